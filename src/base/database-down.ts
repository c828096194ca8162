import { systemCode } from './system-error.ts'

/** `pg` gives these errors no code. */
const PG_WORDS =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/

/** Node's message, with the code of a lost connection, when a caller breaks off its own body. */
const CALLER_LEFT = 'aborted'

/** SQLSTATE classes 08 (connection), 53 (resources), 57P (operator intervention), and socket codes. */
export function isDatabaseDown(error: unknown): boolean {
  if (error instanceof Error && error.message === CALLER_LEFT) return false
  const code = systemCode(error) ?? ''
  return (
    /^(08|53|57P)/.test(code) ||
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(code) ||
    (error instanceof Error && PG_WORDS.test(error.message))
  )
}
