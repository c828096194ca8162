import { PROCESS_MUTATIONS } from './mutations.ts'
import { createMutatedCopy } from './mutated-copy.ts'

/**
 * `npm run crash -- mutations [--runs N] [--seed S]`: removes rules that only runs with several processes guard, and plays
 * until one of them notices. @returns the exit code
 */
export async function runMutations(args: readonly string[]): Promise<number> {
  const copy = createMutatedCopy()
  let unnoticed = 0
  try {
    for (const mutation of PROCESS_MUTATIONS) {
      copy.plant(mutation)
      const { output } = await copy.run(['test/crash/cli.ts', '--max-broken', '1', '--as-is', ...args])
      const [, where = ''] = /^BROKEN: (.*)$/m.exec(output) ?? []
      const isNoticed = mutation.shows.test(output)
      if (!isNoticed) unnoticed += 1
      console.log(`${mutation.what}: ${isNoticed ? `noticed at ${where}` : `NOT NOTICED\n${output}`}`)
    }
  } finally {
    copy.remove()
  }
  return unnoticed === 0 ? 0 : 1
}
