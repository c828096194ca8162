import { systemCode } from './system.ts'

/** `pg` gives these errors no code. */
const PG_WORDS =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/

/** SQLSTATE classes 08 (connection), 53 (resources), 57P (operator intervention), and codes of the socket. */
export function isDatabaseDown(error: unknown): boolean {
  const code = systemCode(error) ?? ''
  return (
    /^(08|53|57P)/.test(code) ||
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(code) ||
    (error instanceof Error && PG_WORDS.test(error.message))
  )
}
