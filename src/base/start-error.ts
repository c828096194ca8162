import { systemCode } from './system.ts'

/**
 * The server cannot start and the person who started it can mend that. The message is one line that says what is wrong
 * and what to do; `start.ts` prints it without a stack and exits with 1. Anything else thrown at start is our bug.
 */
export class StartError extends Error {
  override readonly name: string = 'StartError'
}

/** Turns what `listen` threw into a StartError where the person can mend it; anything else comes back as it is. */
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
