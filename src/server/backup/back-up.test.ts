import { mkdtemp, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startS3, type TestS3 } from '#test/support/s3-server.ts'
import { signUp, startTestServer, type Person, type TestServer } from '#test/support/test-server.ts'
import { mountSmallDisk } from '#test/support/disk/small-disk.ts'
import { uploadVideo } from '#test/support/publish.ts'
import { openDisk } from '../storage/disk.ts'
import type { StorageConfig } from '../storage/open-storage.ts'
import { backUp, backUpNightly, isBackupDue } from './back-up.ts'
import { openBackupFolder } from './backup-folder.ts'
import { findLastBackup } from './last-backup.ts'
import { restoreFiles } from './restore-backup.ts'

let testServer: TestServer
let ada: Person
let s3: TestS3
let root: string
beforeAll(async () => {
  testServer = await startTestServer()
  ada = await signUp(testServer)
  s3 = await startS3()
  root = await mkdtemp(path.join(tmpdir(), 'reelay-backups-'))
})
afterAll(async () => {
  await testServer.stop()
  await s3.stop()
  await rm(root, { recursive: true })
})

const inFolder = (name = 'nightly'): StorageConfig => ({ dir: path.join(root, name) })
const inBucket = (): StorageConfig => ({ ...s3.config, prefix: 'backups of ours/' })

const depsOf = (keep = 2) => {
  const { db, storage, encrypter, directUrl } = testServer.deps
  return { db, storage, encrypter, directUrl, keep }
}
const make = async (at: string, place = inFolder()) =>
  backUp(await openBackupFolder(place), depsOf(), new Date(at))

const storageKey = async (videoId: number) => {
  const { storage_key: key } = await testServer.deps.db
    .selectFrom('videos')
    .select('storage_key')
    .where('video_id', '=', videoId)
    .executeTakeFirstOrThrow()
  return key
}

describe.each([
  ['a folder', () => inFolder()],
  ['a bucket', inBucket],
])('in %s', (kind, place) => {
  it('files are copied once, and go with the last backup that has them', async () => {
    const { video_id: videoId, size } = await uploadVideo(ada)
    const key = await storageKey(videoId)
    const copied = async (at: string) => (await make(at, place()))?.copiedBytes
    await copied('2026-11-24T03:00:00Z')
    const other = await uploadVideo(ada)
    expect(await copied('2026-11-25T03:00:00Z')).toBe(size)
    await ada.call('deleteVideo', { params: { videoId } })
    expect(await copied('2026-11-26T03:00:00Z')).toBe(0)
    const folder = await openBackupFolder(place())
    expect(await folder.content.stat(key)).toEqual({ size })
    expect(await copied('2026-11-27T03:00:00Z')).toBe(0)
    expect(await folder.content.stat(key)).toBeNull()
    const names = ['2026-11-26T03-00-00Z', '2026-11-27T03-00-00Z']
    expect(await folder.list()).toEqual(names)

    const manifests = await Promise.all(names.map((name) => folder.readManifest(name)))
    const known = manifests.flatMap(({ tables, files }) => [...tables, ...files].map((its) => its.key))
    const stored = (await Array.fromAsync(folder.content.list())).map((its) => its.key)
    expect(stored.toSorted()).toEqual([...new Set(known)].toSorted())
    const into = await openDisk(path.join(root, `restored from ${kind}`))
    expect(await restoreFiles(folder, into, await folder.readManifest(names[1] ?? ''))).toEqual([])
    expect(await into.stat(await storageKey(other.video_id))).toEqual({ size })
  })
})

it('of two processes at the same moment one makes it', async () => {
  const made = await Promise.all([make('2026-11-29T03:00:00Z'), make('2026-11-29T03:00:00Z')])
  expect(made.filter((one) => one !== null)).toHaveLength(1)
})

const isDue = async (at: Date) => isBackupDue(await openBackupFolder(inFolder()), at)
const night = (hour: number, minute: number) => new Date(2026, 11, 1, hour, minute)

it('is due each night at three', async () => {
  await make(night(2, 0).toISOString())
  expect(await isDue(night(2, 59))).toBe(false)
  expect(await isDue(night(3, 0))).toBe(true)
  await make(night(3, 1).toISOString())
  expect(await isDue(night(23, 0))).toBe(false)
})

const log = { info: () => {}, error: () => {} }
const find = (at: Date, nightly = true) => findLastBackup(testServer.deps.db, { nightly, now: at.getTime() })

describe('what operators see of it', () => {
  it('is when it was made, how large it is, and when a night was missed', async () => {
    const at = night(3, 5)
    const made = await make(at.toISOString(), inFolder('seen'))
    expect(await find(at)).toEqual({
      status: 'ok',
      made: {
        name: made?.name,
        place: path.join(root, 'seen'),
        at,
        rows: made?.rows,
        files: made?.files,
        bytes: made?.bytes,
      },
      failure: null,
    })
    expect(made?.bytes).toBeGreaterThan(0)
    expect(await find(new Date(at.getTime() + 36 * 3_600_000))).toMatchObject({ status: 'old' })
    expect(await find(at, false)).toMatchObject({ status: 'off', made: { name: made?.name } })
  })

  it('is why the night’s failed, until the next is made', async () => {
    const at = night(4, 0)
    await backUpNightly(inFolder('not mounted'), { ...depsOf(), log }, at)
    expect(await find(at)).toMatchObject({
      status: 'failing',
      failure: {
        at,
        message: `The folder ${path.join(root, 'not mounted')} cannot be found: fix it, or name another.`,
      },
    })
    await openBackupFolder(inFolder('not mounted'))
    await backUpNightly(inFolder('not mounted'), { ...depsOf(), log }, at)
    expect(await find(at)).toMatchObject({ status: 'ok', failure: null })
  })
})

const disk = mountSmallDisk(3)
afterAll(() => disk?.remove())
it.runIf(disk !== null)('one that cannot be written is none, and lets the next be made', async () => {
  disk?.fill(40_000)
  const small = { dir: disk?.dir ?? '' }
  await expect(make('2026-12-02T03:00:00Z', small)).rejects.toThrow(/ENOSPC|nearly full/)
  expect(await make('2026-12-02T03:00:00Z')).toMatchObject({ changed: [] })
  const folder = await openBackupFolder(small)
  expect(await folder.list()).toEqual([])
  expect(await Array.fromAsync(folder.content.list())).toEqual([])
})

it('keeps a file as it was, and names it where the storage has damaged it since', async () => {
  const { video_id: videoId } = await uploadVideo(ada)
  await make('2026-12-03T03:00:00Z')
  const key = await storageKey(videoId)
  await truncate(path.join(testServer.config.dataDir, 'media/files', key), 10)
  expect(await make('2026-12-04T03:00:00Z')).toMatchObject({ changed: [key], copiedBytes: 0 })
  const folder = await openBackupFolder(inFolder())
  const { files } = await folder.readManifest('2026-12-04T03-00-00Z')
  const kept = await folder.content.stat(key)
  expect(files.find((file) => file.key === key)?.size).toBe(kept?.size)
})
