/**
 * The server cannot start and the person who started it can mend that. The message is one line that says what is wrong
 * and what to do; `main.ts` prints it without a stack and exits with 1. Anything else thrown at start is our bug.
 */
export class StartError extends Error {
  override readonly name: string = 'StartError'
}
