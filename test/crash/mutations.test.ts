import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createMutatedCopy, type MutatedCopy } from './mutated-copy.ts'
import { MODULE_MUTATIONS } from './mutations.ts'

// A test that never fails proves nothing: each rule is removed from a copy of the code, and the cheapest test that guards
// it must fail. `npm run crash -- mutations` checks rules that only runs with several processes guard.

let copy: MutatedCopy
beforeAll(() => {
  copy = createMutatedCopy()
})
afterAll(() => copy.remove())

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
})

describe('a module test notices', () => {
  // Runs only the named test, because a mutation may block others.
  for (const mutation of MODULE_MUTATIONS) {
    it(mutation.what, async () => {
      copy.plant(mutation)
      const { file, name } = mutation.test
      const report = path.join(copy.dir, 'report.json')
      await copy.run([
        'node_modules/vitest/vitest.mjs',
        'run',
        '--maxWorkers=1',
        '--reporter=json',
        `--outputFile=${report}`,
        `--testNamePattern=${toPattern(name)}`,
        file,
      ])
      const failed = Report.parse(JSON.parse(readFileSync(report, 'utf8'))).testResults.flatMap(
        ({ name: from, assertionResults }) =>
          assertionResults
            .filter(({ status }) => status === 'failed')
            .map(({ fullName }) => `${path.relative(copy.dir, from)} > ${fullName}`),
      )
      expect(failed).toEqual([`${file} > ${name}`])
    })
  }
})

/** Reports join a suite's and its test's name by a space, patterns by more. */
const toPattern = (name: string): string =>
  `${name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(' ', '[ >]+')}$`
