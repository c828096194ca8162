import { inspect } from 'node:util'
import { Problem } from '#base/problem.ts'
import { StartError } from '#base/start-error.ts'

export const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** Prints one line for an error that the operator can fix, the stack for our bugs. */
export function report(error: unknown): void {
  const isExpected = error instanceof StartError || error instanceof Problem
  process.stderr.write(`${isExpected ? error.message : inspect(error)}\n`)
}

/** Runs a command of the command line. An error is reported, and the process exits with 1. */
export async function runCommand(run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    report(error)
    process.exitCode = 1
  }
}
