import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { copyFiles } from '#server/storage/copy-files.ts'
import { openDisk } from '#server/storage/disk.ts'
import { openS3 } from '#server/storage/s3.ts'
import { delivered, postInstagram, postTikTok, signUpToPost, uploadVideo } from '../support/publish.ts'
import { sampleVideo } from '../support/sample.ts'
import { startS3, type TestS3 } from '../support/s3-server.ts'
import { livePosts, startTestServer, until, type TestServer } from '../support/test-server.ts'
import { createUpload, patchUpload, sendTus } from '../support/uploads.ts'

let s3: TestS3
let testServer: TestServer
let owner: Awaited<ReturnType<typeof signUpToPost>>
beforeAll(async () => {
  s3 = await startS3()
  const { bucket, endpoint } = s3.config
  testServer = await startTestServer({
    worker: true,
    env: { STORAGE_URL: `s3://${bucket}/of-ours?endpoint=${endpoint}` },
  })
  owner = await signUpToPost(testServer)
})
afterAll(async () => {
  await testServer.stop()
  await s3.stop()
})

const formOf = (file: File) => {
  const form = new FormData()
  form.append('file', file)
  return form
}
const whole = async (sample: ReturnType<typeof sampleVideo>) =>
  new Uint8Array(await sample.file.arrayBuffer())

it('a video in a bucket is live once on both platforms, byte for byte', async () => {
  const { person, tiktok, instagram } = owner
  const [one, other] = [sampleVideo(12_000_000), sampleVideo(9_000_000)]
  const posts = [await postTikTok(person, tiktok, one), await postInstagram(person, instagram, other)]
  for (const post of posts)
    expect(await delivered(person, post, ['published', 'failed'])).toMatchObject({ status: 'published' })
  const live = await livePosts(testServer)
  for (const { sha256 } of [one, other]) expect(live.filter((its) => its.sha256 === sha256)).toHaveLength(1)
})

it('an upload goes on where it was cut, and is copied to a folder with all others', async () => {
  const { person } = owner
  const sample = sampleVideo(9_500_000)
  const bytes = await whole(sample)
  const id = await createUpload(person, bytes.length)
  await patchUpload(person, id, 0, bytes.slice(0, 9_000_000))
  const asked = await sendTus(person, 'HEAD', `/${id}`)
  expect(asked.headers.get('upload-offset')).toBe('9000000')
  await patchUpload(person, id, 9_000_000, bytes.slice(9_000_000))
  const { video } = await person.call('getUpload', { params: { uploadId: id } })
  expect(video).toMatchObject({ size: bytes.length, sha256: sample.sha256 })

  const folder = await mkdtemp(path.join(tmpdir(), 'reelay-copy-'))
  try {
    const from = openS3({ ...s3.config, prefix: 'of-ours/' })
    const to = await openDisk(folder)
    const keys = async (storage: typeof to) =>
      (await Array.fromAsync(storage.list())).map(({ key }) => key).toSorted()
    const unfinished = await from.parts.begin()
    const report = await copyFiles(from, to)
    expect(report).toEqual({ copied: (await keys(from)).length - 1, same: 0, unfinished: 1 })
    await from.delete(unfinished)
    expect(await keys(to)).toEqual(await keys(from))
    expect(await copyFiles(from, to)).toEqual({ copied: 0, same: report.copied, unfinished: 0 })
  } finally {
    await rm(folder, { recursive: true })
  }
})

it('a post that is due while the bucket does not answer goes out once it does', async () => {
  const { person, tiktok, instagram } = owner
  const sample = sampleVideo(7_000_000)
  const { video_id } = await uploadVideo(person, sample.file)
  await s3.down()
  const refused = await person.request('/videos', { method: 'POST', body: formOf(sampleVideo().file) })
  expect([refused.status, await refused.json()]).toEqual([
    503,
    expect.objectContaining({ code: 'unavailable' }),
  ])
  const post = await person.call('createPost', {
    body: {
      video_id,
      text: 'Through an outage',
      targets: [tiktok, instagram].map((account_id) => ({ account_id, options: {} })),
    },
  })
  // Longer than the first tries take.
  await setTimeout(3000)
  const state = await person.call('getPost', { params: { postId: post.post_id } })
  for (const { status } of state.deliveries)
    expect(['failed', 'published', 'unconfirmed']).not.toContain(status)
  await s3.up()
  await until('both to be live', async () => {
    const { deliveries } = await person.call('getPost', { params: { postId: post.post_id } })
    return deliveries.every(({ status }) => status === 'published')
  })
  const live = (await livePosts(testServer)).filter(({ sha256 }) => sha256 === sample.sha256)
  expect(live.map(({ platform }) => platform).toSorted()).toEqual(['instagram', 'tiktok'])
})

it('what is deleted is gone from the bucket', async () => {
  const { person, videoId } = owner
  const before = (await s3.list('of-ours/files/')).length
  await person.call('deleteVideos', { body: { video_ids: [videoId] } })
  expect(await s3.list('of-ours/files/')).toHaveLength(before - 1)
})
