import { ApiProblem } from '#web/api/api.ts'

/** Why it failed, as a sentence; null: the response was not the server's, or gave no reason. */
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
