import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { ProblemBody } from '#contract/http/problem.ts'
import type { AccountId } from '#contract/ids.ts'
import { tiktokSourceInfo } from '#contract/platforms/tiktok.ts'
import { Post } from '#contract/posts.ts'
import { Video } from '#contract/videos.ts'
import { fixture, sampleVideo } from '#test/support/sample.ts'
import {
  linkAccount,
  type Person,
  signUp,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'
import { createUpload, sendTus } from '#test/support/uploads.ts'

const QUOTA = 200_000

let testServer: TestServer
let ada: Person
let accountId: AccountId
beforeAll(async () => {
  testServer = await startTestServer({ env: { STORAGE_QUOTA: '0.2MB' } })
  ada = await signUp(testServer)
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  accountId = (await linkAccount(ada, { platform: 'tiktok', brandId })).account_id
})
afterAll(() => testServer.stop())
beforeEach(async () => {
  for (const table of ['posts', 'drafts', 'uploads', 'videos', 'pictures'] as const)
    await testServer.deps.db.deleteFrom(table).execute()
})

const formOf = (name: string, file: File) => {
  const form = new FormData()
  form.append(name, file)
  return form
}
const upload = (who = ada) =>
  who.request('/videos', { method: 'POST', body: formOf('file', sampleVideo().file) })
const picture = async () => new File([await readFile(fixture('poster-2.jpg'))], 'a.jpg')
const addPicture = async () =>
  (await ada.request('/pictures', { method: 'POST', body: formOf('picture', await picture()) })).status
const used = async () => (await ada.call('getLibrary')).storage.used_bytes
/** As a user has stored who uploaded before there was a quota. */
const fill = () =>
  testServer.deps.db
    .updateTable('videos')
    .set({ size: QUOTA + 1 })
    .execute()

it('of several uploads at once only those that fit are stored, and deleting makes room', async () => {
  const answers = await Promise.all(Array.from({ length: 4 }, () => upload()))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 507, 507, 507])
  const stored = answers.find(({ status }) => status === 201)
  const refused = answers.find(({ status }) => status === 507)
  const { video_id: videoId, size } = Video.parse(await stored?.json())
  expect(ProblemBody.parse(await refused?.json())).toMatchObject({
    code: 'quota_exceeded',
    message: 'Your storage is full: 0 MB of 0.2 MB are left. Delete videos that you no longer need.',
  })
  expect((await ada.call('getLibrary')).storage).toEqual({ used_bytes: size, quota_bytes: QUOTA })
  expect(await Array.fromAsync(testServer.deps.storage.list())).toHaveLength(1)
  expect((await upload(await signUp(testServer, 'Eve'))).status).toBe(201)
  await ada.call('deleteVideo', { params: { videoId } })
  expect((await upload()).status).toBe(201)
})

it('an upload that cannot fit is refused before its body is read', async () => {
  const { hostname, port } = new URL(testServer.url)
  const headers = {
    authorization: `Bearer ${ada.token}`,
    'content-type': 'multipart/form-data; boundary=x',
    'content-length': 5_000_000,
  }
  const status = await new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method: 'POST', path: '/api/v1/videos', headers }, (answer) => {
      resolve(answer.statusCode)
      sent.destroy()
    })
    sent.on('error', reject)
    sent.flushHeaders()
  })
  expect(status).toBe(507)
})

it('pictures count, and the picture of a stored video is taken all the same', async () => {
  const { video_id } = Video.parse(await (await upload()).json())
  expect(await addPicture()).toBe(201)
  expect(await addPicture()).toBe(507)
  await fill()
  const body = formOf('poster', await picture())
  expect((await ada.request(`/videos/${video_id}/poster`, { method: 'PUT', body })).status).toBe(200)
})

it('an unfinished upload counts with its whole size until it is cancelled', async () => {
  const id = await createUpload(ada, 150_000, 'a.mp4')
  expect(await used()).toBe(150_000)
  const refused = await sendTus(ada, 'POST', '', { 'upload-length': '50001' })
  expect([refused.status, ProblemBody.parse(await refused.json()).code]).toEqual([507, 'quota_exceeded'])
  expect((await upload()).status).toBe(507)
  await sendTus(ada, 'DELETE', `/${id}`)
  expect((await upload()).status).toBe(201)
})

it('a post that was made is answered again although the storage is full by now', async () => {
  const sample = sampleVideo()
  const send = (key: string) => {
    const form = formOf('videoFile', sample.file)
    form.append('post_info', JSON.stringify({ title: 'Hello', privacy_level: 'PUBLIC_TO_EVERYONE' }))
    form.append('source_info', JSON.stringify(tiktokSourceInfo(sample.bytes)))
    form.append('accountId', String(accountId))
    const headers = { 'idempotency-key': key }
    return ada.request('/platforms/tiktok/video', { method: 'POST', body: form, headers })
  }
  const made = Post.parse(await (await send('one')).json())
  expect((await send('two')).status).toBe(507)
  await fill()
  expect((await send('two')).status).toBe(507)
  expect(Post.parse(await (await send('one')).json()).post_id).toBe(made.post_id)
  expect((await ada.call('listPosts')).items).toHaveLength(1)
})

it('drafts count, and one that does not fit any more may still become smaller', async () => {
  const content = { video_id: null, platform_options: {}, targets: [], publish_at: null }
  const put = (id: string, version: number, text: string) =>
    ada.request(`/drafts/${id}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ version, content: { ...content, text } }),
    })
  const [one, other] = [randomUUID(), randomUUID()]
  expect((await put(one, 0, 'x'.repeat(9_000))).status).toBe(200)
  expect(await used()).toBeGreaterThan(9_000)
  await upload()
  await fill()
  const refused = await put(other, 0, 'x')
  expect(refused.status).toBe(507)
  expect(ProblemBody.parse(await refused.json()).code).toBe('quota_exceeded')
  expect((await put(one, 1, 'x'.repeat(9_500))).status).toBe(507)
  expect((await put(one, 1, 'x'.repeat(8_000))).status).toBe(200)
})
