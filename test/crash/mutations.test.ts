import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { MUTATIONS, plant } from './mutations.ts'

// A suite of kills and faults that never fails could be one in which nothing happens. So the laws that it is to guard are broken
// one by one in a copy of the code, and it must notice each.

const root = fileURLToPath(new URL('../..', import.meta.url))
const RUNS = 500

let copy: string
beforeAll(() => {
  copy = mkdtempSync(path.join(tmpdir(), 'reelay-mutation-'))
  for (const name of ['src', 'test', 'migrations', 'package.json']) {
    cpSync(path.join(root, name), path.join(copy, name), { recursive: true })
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))
})
afterEach(() => {
  for (const { file } of MUTATIONS.flatMap(({ edits }) => edits)) {
    cpSync(path.join(root, file), path.join(copy, file))
  }
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

for (const mutation of MUTATIONS) {
  it(`the crash suite notices ${mutation.what}`, () => {
    plant(copy, mutation)
    // Seed 1, begun shortly before the run that shows it; if the runs are drawn otherwise one day, a later one does.
    const told = spawnSync(
      process.execPath,
      [
        'test/crash/cli.ts',
        '--seed',
        '1',
        '--from',
        String(mutation.from),
        '--runs',
        String(RUNS),
        '--lanes',
        '1',
        '--max-broken',
        '1',
        '--as-is',
      ],
      {
        cwd: copy,
        encoding: 'utf8',
        maxBuffer: 64 * 1024 * 1024,
        env: { ...process.env, NODE_COMPILE_CACHE: path.join(copy, '.cache/compiled') },
      },
    )
    expect(told.stdout).toMatch(mutation.shows)
    expect(told.status).toBe(1)
  }, 900_000)
}
