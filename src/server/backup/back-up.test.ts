import { mkdtemp, readdir, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signUp, startTestServer, type Person, type TestServer } from '#test/support/test-server.ts'
import { mountSmallDisk } from '#test/support/disk/small-disk.ts'
import { uploadVideo } from '#test/support/publish.ts'
import { backUp, isBackupDue } from './back-up.ts'
import { openBackupFolder } from './backup-folder.ts'

let testServer: TestServer
let ada: Person
let root: string
beforeAll(async () => {
  testServer = await startTestServer()
  ada = await signUp(testServer)
  root = await mkdtemp(path.join(tmpdir(), 'reelay-backups-'))
})
afterAll(async () => {
  await testServer.stop()
  await rm(root, { recursive: true })
})

const make = (at: string, keep = 2) => {
  const { storage, encrypter, directUrl } = testServer.deps
  return backUp({ databaseUrl: directUrl, storage, encrypter, root, keep }, new Date(at))
}
const media = () => readdir(path.join(root, 'media/files'))

it('files are copied once, and go with the last backup that has them', async () => {
  const { video_id: videoId, size } = await uploadVideo(ada)
  expect(await make('2026-11-25T03:00:00Z')).toMatchObject({ files: 1, copiedBytes: size })
  await uploadVideo(ada)
  expect(await make('2026-11-26T03:00:00Z')).toMatchObject({ files: 2, copiedBytes: size })
  await ada.call('deleteVideo', { params: { videoId } })
  expect(await make('2026-11-27T03:00:00Z')).toMatchObject({ files: 1, copiedBytes: 0 })
  expect(await media()).toHaveLength(2)
  expect(await make('2026-11-28T03:00:00Z')).toMatchObject({ files: 1, copiedBytes: 0 })
  expect(await media()).toHaveLength(1)
  const folder = await openBackupFolder(root)
  expect(await folder.list()).toEqual(['2026-11-27T03-00-00Z', '2026-11-28T03-00-00Z'])
})

it('of two processes at the same moment one makes it', async () => {
  const made = await Promise.all([make('2026-11-29T03:00:00Z'), make('2026-11-29T03:00:00Z')])
  expect(made.filter((one) => one !== null)).toHaveLength(1)
})

const night = (hour: number, minute: number) => new Date(2026, 11, 1, hour, minute)

it('is due each night at three', async () => {
  await make(night(2, 0).toISOString())
  expect(await isBackupDue(root, night(2, 59))).toBe(false)
  expect(await isBackupDue(root, night(3, 0))).toBe(true)
  await make(night(3, 1).toISOString())
  expect(await isBackupDue(root, night(23, 0))).toBe(false)
})

const disk = mountSmallDisk(3)
afterAll(() => disk?.remove())
it.runIf(disk !== null)('one that cannot be written is none, and lets the next be made', async () => {
  const { storage, encrypter, directUrl } = testServer.deps
  disk?.fill(40_000)
  const small = { databaseUrl: directUrl, storage, encrypter, root: disk?.dir ?? '', keep: 2 }
  await expect(backUp(small, new Date('2026-12-02T03:00:00Z'))).rejects.toThrow(/ENOSPC/)
  expect(await make('2026-12-02T03:00:00Z')).toMatchObject({ changed: [] })
  expect(await (await openBackupFolder(small.root)).list()).toEqual([])
})

it('keeps a file as it was, and names it where the storage has damaged it since', async () => {
  const { video_id: videoId } = await uploadVideo(ada)
  await make('2026-12-03T03:00:00Z')
  const { storage_key: key } = await testServer.deps.db
    .selectFrom('videos')
    .select('storage_key')
    .where('video_id', '=', videoId)
    .executeTakeFirstOrThrow()
  await truncate(path.join(testServer.config.dataDir, 'media/files', key), 10)
  expect(await make('2026-12-04T03:00:00Z')).toMatchObject({ changed: [key], copiedBytes: 0 })
  const folder = await openBackupFolder(root)
  const { files } = await folder.readManifest('2026-12-04T03-00-00Z')
  const kept = await folder.media.stat(key)
  expect(files.find((file) => file.key === key)?.size).toBe(kept?.size)
})
