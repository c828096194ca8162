import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { mountSmallDisk } from '#test/support/disk/small-disk.ts'
import { prepareDataDir } from './data-dir.ts'

let base: string
beforeEach(async () => {
  base = await mkdtemp(path.join(tmpdir(), 'reelay-data-'))
})
afterEach(() => rm(base, { recursive: true }))

test('creates the folder and leaves it empty', async () => {
  const dir = path.join(base, 'a', 'b')
  await prepareDataDir(dir)
  await prepareDataDir(dir)
  expect(await readdir(dir)).toEqual([])
})

test('a file in its place is reported in one line', async () => {
  const file = path.join(base, 'file')
  await writeFile(file, '')
  await expect(prepareDataDir(path.join(file, 'data'))).rejects.toThrow(
    `DATA_DIR ${file}/data cannot be written (EEXIST): fix its permissions or disk, or set DATA_DIR to another folder.`,
  )
})

test('a folder that is not writable is reported in one line', async () => {
  await expect(prepareDataDir('/proc/reelay')).rejects.toThrow(
    /^DATA_DIR \/proc\/reelay cannot be written \(E\w+\)/,
  )
})

const disk = mountSmallDisk(1)
afterAll(() => disk?.remove())
test.runIf(disk !== null)('a full disk, which still takes empty files, is named', async () => {
  if (disk === null) return
  disk.fill()
  await writeFile(path.join(disk.dir, 'empty'), '')
  await expect(prepareDataDir(disk.dir)).rejects.toThrow(
    `DATA_DIR ${disk.dir} cannot be written (ENOSPC): free some space on its disk, or set DATA_DIR to another folder.`,
  )
  expect((await readdir(disk.dir)).toSorted()).toEqual(['ballast', 'empty'])
})

test('makes our folders of an earlier start private and touches nothing else', async () => {
  const [media, other] = [path.join(base, 'media', 'files'), path.join(base, 'other')]
  for (const folder of [media, other, path.join(base, 'postgres')]) {
    await mkdir(folder, { recursive: true })
    await writeFile(path.join(folder, 'a'), '')
  }
  await symlink(other, path.join(base, 'practice'))
  for (const name of await readdir(base, { recursive: true })) {
    const place = path.join(base, name)
    await chmod(place, (await stat(place)).isDirectory() ? 0o755 : 0o644)
  }
  await prepareDataDir(base)
  const modes = await Promise.all(
    ['media', 'media/files', 'media/files/a', 'postgres/a', 'other', 'other/a'].map(
      async (name) => (await stat(path.join(base, name))).mode & 0o777,
    ),
  )
  expect(modes).toEqual([0o700, 0o700, 0o600, 0o600, 0o755, 0o644])
})
