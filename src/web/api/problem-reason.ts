import { ApiProblem } from './api.ts'

/** Why a call failed, in the server's words or the browser's ("Network Error"); null: no reason that a user could read. */
export const reasonOf = (error: Error): string | null =>
  error instanceof ApiProblem && error.kind !== 'unreadable' ? error.message.trim() || null : null

/** The server's own message; null where it sent none. */
export const serverMessageOf = (error: Error): string | null =>
  error instanceof ApiProblem && (error.kind === 'refused' || error.kind === 'no_token')
    ? reasonOf(error)
    : null

/** True if the server may have acted although no readable response came. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof ApiProblem && (error.kind === 'unreachable' || error.kind === 'unreadable')
