import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createMutatedCopy, type MutatedCopy } from './mutated-copy.ts'
import { MODULE_MUTATIONS } from './mutations.ts'

// A test that never fails proves nothing: each rule is taken out of a copy of the code, and the cheapest test that guards
// it must fail. What only runs with several processes guard is in `npm run crash -- mutations`.

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
  // Each by itself, and only the test that is named: what else a mutation makes wait is not waited for.
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
        `--testNamePattern=${patternOf(name)}`,
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

/** A suite's name and its test's are joined by a space in reports and by more than that in patterns. */
const patternOf = (name: string): string =>
  `${name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(' ', '[ >]+')}$`
