import { systemCode } from './system-error.ts'

/**
 * A failed start that the operator can fix. `main.ts` prints the one-line message (problem and remedy) without a stack and
 * exits with 1. Any other error at start is a bug.
 */
export class StartError extends Error {
  override readonly name: string = 'StartError'
}

export function listenError(
  error: unknown,
  at: { variable: 'PORT' | 'PRACTICE_PORT'; host: string; port: number },
): unknown {
  const { variable, host, port } = at
  const message = {
    EADDRINUSE: `Port ${port} is taken: stop what uses it, or set ${variable} to another.`,
    EACCES: `Port ${port} is not allowed for this user: set ${variable} to one above 1023.`,
    EADDRNOTAVAIL: `HOST ${host} is not an address of this machine.`,
    ENOTFOUND: `HOST ${host} is not an address of this machine.`,
  }[systemCode(error) ?? '']
  return message ? new StartError(message, { cause: error }) : error
}
