import { chmod, copyFile, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '#test/support/test-server.ts'
import { compareFingerprints, type Fingerprint, mergeFingerprints, readFileFact } from './fingerprint.ts'

const here: Fingerprint = { system: '1', timeline: '00000001', database: '5', table: '16400', files: '7' }

it.each<[string, Partial<Fingerprint>, string[]]>([
  ['the same place is no other', {}, []],
  [
    'a dump in a new cluster',
    { system: '2', database: '6', table: '9' },
    ['another PostgreSQL cluster', 'another database of the cluster', 'other tables'],
  ],
  ['a recovery to a point in time', { timeline: '00000002' }, ['another timeline of the cluster']],
  ['tables that were dropped and made anew', { table: '20000' }, ['other tables']],
  ['what can no longer be read', { system: null, timeline: null, files: null }, []],
])('%s: %j', (_what, change, differs) => {
  expect(compareFingerprints(here, { ...here, ...change })).toEqual(differs)
})

it('what cannot be read now is kept as it was', () => {
  expect(mergeFingerprints(here, { ...here, system: null, table: '9' })).toEqual({ ...here, table: '9' })
})

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'reelay-fingerprint-'))
})
afterAll(() => rm(dir, { recursive: true }))

/** Within the clock tick of its creation, a file looks like one on a file system without creation times. */
const factOfWritten = (file: string): Promise<string> =>
  until('a fact', async () => {
    await writeFile(file, 'two', { flag: 'r+' })
    return readFileFact(file)
  })

it('a file keeps its fact while it is written, moved and restricted, and a copy has another', async () => {
  const file = path.join(dir, 'pg_control')
  await writeFile(file, 'one')
  const fact = await factOfWritten(file)
  await chmod(file, 0o600)
  await utimes(file, 0, 0)
  await rename(file, `${file}.moved`)
  expect(await readFileFact(`${file}.moved`)).toBe(fact)
  await copyFile(`${file}.moved`, file)
  expect(await factOfWritten(file)).not.toBe(fact)
})

it('a file that is not there has no fact', async () => {
  expect(await readFileFact(path.join(dir, 'nowhere'))).toBeNull()
})
