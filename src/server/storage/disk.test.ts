import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openDisk } from './disk.ts'
import { storageSuite } from './storage-suite.ts'

const folders: string[] = []
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))))

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'reelay-disk-'))
  folders.push(folder)
  return folder
}

storageSuite('disk', async () => {
  const root = await newFolder()
  const everything = async () =>
    (await readdir(root, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name)
  return { storage: await openDisk(root), everything }
})

it('lists nothing that the file system itself keeps in the folder', async () => {
  const root = await newFolder()
  const disk = await openDisk(root)
  await writeFile(path.join(root, 'files', '.nfs0000001'), 'deleted while it was read')
  await mkdir(path.join(root, 'files', 'lost+found'))
  expect(await Array.fromAsync(disk.list())).toEqual([])
})

describe('partial files of a killed process', () => {
  const key = 'f'.repeat(32)
  const deadPid = spawnSync(process.execPath, ['-e', '0']).pid

  it('are swept when the process is dead', async () => {
    expect(await incoming(`${key}.${deadPid}.aaaaaaaa.${hostname()}.part`)).toEqual([])
  })
  it('are swept when a restarted host reuses the process id', async () => {
    expect(await incoming(`${key}.${process.pid}.aaaaaaaa.${hostname()}.part`)).toEqual([])
  })
  it('stay while the process is alive', async () => {
    expect(await incoming(`${key}.${process.ppid}.aaaaaaaa.${hostname()}.part`)).toHaveLength(1)
  })
  it('stay when they are recent and from another machine', async () => {
    expect(await incoming(`${key}.${deadPid}.aaaaaaaa.another.example.part`)).toHaveLength(1)
  })
  it('are swept an hour after the last write, whichever the machine', async () => {
    expect(await incoming(`${key}.${deadPid}.aaaaaaaa.another.example.part`, 3700)).toEqual([])
  })
})

async function incoming(name: string, ageS = 0): Promise<string[]> {
  const root = await newFolder()
  await openDisk(root)
  const file = path.join(root, 'incoming', name)
  await writeFile(file, 'half')
  await utimes(file, new Date(), new Date(Date.now() - ageS * 1000))
  await (await openDisk(root)).sweep()
  return readdir(path.join(root, 'incoming'))
}
