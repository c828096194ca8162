import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { prepareDataDir } from './data-dir.ts'

let base: string
beforeEach(async () => {
  base = await mkdtemp(path.join(tmpdir(), 'reelay-data-'))
})
afterEach(() => rm(base, { recursive: true }))

test('makes the folder and leaves nothing in it', async () => {
  const dir = path.join(base, 'a', 'b')
  await prepareDataDir(dir)
  await prepareDataDir(dir)
  expect(await readdir(dir)).toEqual([])
})

test('a file in its place is one line', async () => {
  const file = path.join(base, 'file')
  await writeFile(file, '')
  await expect(prepareDataDir(path.join(file, 'data'))).rejects.toThrow(
    `DATA_DIR ${file}/data cannot be written (EEXIST): mend that, or set DATA_DIR to another folder.`,
  )
})

test('a place that takes no files is one line', async () => {
  await expect(prepareDataDir('/proc/reelay')).rejects.toThrow(
    /^DATA_DIR \/proc\/reelay cannot be written \(E\w+\)/,
  )
})
