import { systemCode } from './system.ts'

/** `pg` gives these errors no code. */
const PG_WORDS =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/

/** What Node says, with the code of a lost connection, where a caller breaks its own body off. */
const CALLER_LEFT = 'aborted'

/** SQLSTATE classes 08 (connection), 53 (resources), 57P (operator intervention), and codes of the socket. */
export function isDatabaseDown(error: unknown): boolean {
  if (error instanceof Error && error.message === CALLER_LEFT) return false
  const code = systemCode(error) ?? ''
  return (
    /^(08|53|57P)/.test(code) ||
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(code) ||
    (error instanceof Error && PG_WORDS.test(error.message))
  )
}
