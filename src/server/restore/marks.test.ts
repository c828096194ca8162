import { randomUUID } from 'node:crypto'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { markFolders, readMarks, writeMark } from './marks.ts'

const log = { warn: vi.fn() }
const databaseId = randomUUID()
let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'reelay-marks-'))
})
afterEach(() => rm(dir, { recursive: true }))

it('the largest mark of all folders counts, and those of other databases stay', async () => {
  const folders = [path.join(dir, 'a'), path.join(dir, 'b')]
  const other = randomUUID()
  await writeMark(folders, { databaseId: other, mark: 3 }, log)
  await writeMark(folders, { databaseId, mark: 7 }, log)
  await writeMark(folders.slice(0, 1), { databaseId, mark: 4 }, log)
  expect(await readMarks(folders)).toEqual(
    new Map([
      [other, 3],
      [databaseId, 7],
    ]),
  )
})

it('a folder that cannot be written or read stops nothing, and is told', async () => {
  const file = path.join(dir, 'file')
  await writeFile(file, '')
  const folders = [path.join(file, 'marks'), path.join(dir, 'marks')]
  await writeMark(folders, { databaseId, mark: 1 }, log)
  expect(await readMarks(folders)).toEqual(new Map([[databaseId, 1]]))
  expect(log.warn).toHaveBeenCalledOnce()
})

it('marks are kept in DATA_DIR, and outside it under a name of its path', async () => {
  const [inside, outside, ...more] = await markFolders({ dataDir: dir, stateDir: '/state' })
  expect(inside).toBe(path.join(dir, 'marks'))
  expect(outside).toMatch(/^\/state\/reelay\/marks\/[0-9a-f]{16}$/)
  expect(more).toEqual([])
  expect(await markFolders({ dataDir: await realpath(dir), stateDir: '/state' })).toContain(outside)
  expect(await markFolders({ dataDir: dir, stateDir: null })).toEqual([inside])
})
