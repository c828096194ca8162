import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { MODULE_MUTATIONS, plant, PROCESS_MUTATIONS } from './mutations.ts'

// A test that never fails proves nothing: each rule is taken out of a copy of the code, and the cheapest test that guards
// it must fail.

const root = fileURLToPath(new URL('../..', import.meta.url))
const RUNS = 500

let copy: string
beforeAll(() => {
  copy = mkdtempSync(path.join(tmpdir(), 'reelay-mutation-'))
  for (const name of [
    'src',
    'test',
    'migrations',
    'package.json',
    'tsconfig.base.json',
    'vitest.config.ts',
  ]) {
    cpSync(path.join(root, name), path.join(copy, name), { recursive: true })
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))
})
afterEach(restore)
afterAll(() => rmSync(copy, { recursive: true, force: true }))

function restore(): void {
  for (const { file } of [...PROCESS_MUTATIONS, ...MODULE_MUTATIONS].flatMap(({ edits }) => edits)) {
    cpSync(path.join(root, file), path.join(copy, file))
  }
}

describe('the crash suite notices', () => {
  for (const mutation of PROCESS_MUTATIONS) {
    // Runs are drawn otherwise since resends are among them: one that shows this mutation has to be found anew.
    const isFound = mutation.from !== null
    it.skipIf(!isFound)(
      mutation.what,
      async () => {
        plant(copy, mutation)
        // Seed 1, begun shortly before the run that shows it; if the runs are drawn otherwise one day, a later one does.
        const range = ['--seed', '1', '--from', String(mutation.from), '--runs', String(RUNS)]
        const { status, output } = await run([
          'test/crash/cli.ts',
          ...range,
          '--lanes',
          '1',
          '--max-broken',
          '1',
          '--as-is',
        ])
        expect(output).toMatch(mutation.shows)
        expect(status).toBe(1)
      },
      900_000,
    )
  }
})

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
      plant(copy, mutation)
      const { file, name } = mutation.test
      const report = path.join(copy, 'report.json')
      await run([
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
            .map(({ fullName }) => `${path.relative(copy, from)} > ${fullName}`),
      )
      expect(failed).toEqual([`${file} > ${name}`])
    })
  }
})

/** A suite's name and its test's are joined by a space in reports and by more than that in patterns. */
const patternOf = (name: string): string =>
  `${name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(' ', '[ >]+')}$`

async function run(args: readonly string[]): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, args, {
    cwd: copy,
    env: { ...process.env, NODE_COMPILE_CACHE: path.join(copy, '.cache/compiled') },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const [status] = (await once(child, 'close')) as [number | null]
  return { status, output }
}
