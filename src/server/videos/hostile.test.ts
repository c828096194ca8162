import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { UPLOADS_PER_USER } from '#contract/limits.ts'
import { Video } from '#contract/videos.ts'
import {
  type TestServer,
  linkAccount,
  type Person,
  personWith,
  signUp,
  startTestServer,
} from '#test/support/test-server.ts'
import { sampleVideo } from '#test/support/sample.ts'
import { createUpload } from '#test/support/uploads.ts'
import { busyWebm, webm } from '#test/support/webm.ts'
import { buildApp } from '../app.ts'
import { createFactsReader } from './facts.ts'

let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer()
})
afterAll(() => testServer.stop())

const upload = (someone: Person, file: File) => {
  const body = new FormData()
  body.append('file', file)
  return someone.request('/videos', { method: 'POST', body })
}
const storedFiles = async () => (await Array.fromAsync(testServer.deps.storage.list())).length

describe('a file with numbers that no video has', () => {
  it.each([
    ['a width of 2^64', { width: Buffer.alloc(8, 0xff) }],
    ['a width of 2^53', { width: Buffer.from('0020000000000000', 'hex') }],
    ['a duration without end', { duration: Buffer.from('7ff0000000000000', 'hex') }],
    ['a duration of 10^300 seconds', { duration: Buffer.from('7e37e43c8800759c', 'hex') }],
    ['a duration that is no number', { duration: Buffer.from('7ff8000000000001', 'hex') }],
  ])('%s does not break the list', async (_what, numbers) => {
    const someone = await signUp(testServer)
    const answer = await upload(someone, new File([webm(numbers)], 'odd.webm'))
    expect(answer.status).toBe(201)
    expect((await someone.request('/videos')).status).toBe(200)
  })
})

describe('a stored record that cannot be read', () => {
  it('of a video shows as an unknown video, and the others as they are', async () => {
    const someone = await signUp(testServer)
    const good = Video.parse(await (await upload(someone, sampleVideo().file)).json())
    const odd = Video.parse(await (await upload(someone, sampleVideo().file)).json())
    const { brand_id } = await someone.call('createBrand', { body: { title: 'Northwind' } })
    const { account_id } = await linkAccount(someone, { platform: 'tiktok', brandId: brand_id })
    const body = (video_id: Video['video_id']) => ({ video_id, text: 'Hello', targets: [{ account_id }] })
    const post = await someone.call('createPost', { body: body(odd.video_id) })
    await testServer.deps.db
      .updateTable('videos')
      .set({ facts: JSON.stringify({ ...odd.facts, width: 2 ** 64 }) })
      .where('video_id', '=', odd.video_id)
      .execute()

    expect((await someone.call('listVideos')).videos).toMatchObject([
      { video_id: odd.video_id, facts: { container: 'unknown', width: null } },
      { video_id: good.video_id, facts: good.facts },
    ])
    expect((await someone.call('listPosts')).items).toMatchObject([
      { post_id: post.post_id, video: { width: null } },
    ])
    expect((await someone.call('getOverview')).next.posts).toMatchObject([{ post_id: post.post_id }])
    const again = await someone.request('/posts', {
      method: 'POST',
      body: JSON.stringify(body(odd.video_id)),
      headers: { 'content-type': 'application/json' },
    })
    expect(again.status).toBe(422)
  })

  it('of a delivery shows its status and says so, and the others as they are', async () => {
    const someone = await signUp(testServer)
    const video = Video.parse(await (await upload(someone, sampleVideo().file)).json())
    const { brand_id } = await someone.call('createBrand', { body: { title: 'Northwind' } })
    const { account_id } = await linkAccount(someone, { platform: 'tiktok', brandId: brand_id })
    const create = () =>
      someone.call('createPost', {
        body: { video_id: video.video_id, text: 'Hi', targets: [{ account_id }] },
      })
    const [odd, good] = [await create(), await create()]
    await testServer.deps.db
      .updateTable('deliveries')
      .set({ data: JSON.stringify({ attempt: 1, sent: 0 }) })
      .where('post_id', '=', odd.post_id)
      .execute()
    const { items } = await someone.call('listPosts')
    expect(items.toSorted((a, b) => b.post_id - a.post_id)).toMatchObject([
      { post_id: good.post_id, deliveries: [{ status: 'scheduled', reason: null, actions: ['cancel'] }] },
      {
        post_id: odd.post_id,
        deliveries: [{ status: 'scheduled', reason: { code: 'unreadable_record' }, actions: [] }],
      },
    ])
    expect((await someone.call('getOverview')).next.total).toBe(2)
    expect(await someone.call('getPost', { params: { postId: odd.post_id } })).toMatchObject({ text: 'Hi' })
  })
})

const IMPOSSIBLE_MP4 =
  'AAAAFGZ0eXBpc29tAAACAGlzb20AAAA8bW9vdgAAADR0cmFrAAAALG1kaWEAAAAkbWluZgAAABxzdGJsAAAAFHN0c3oAAAAAdzWUAAAAAAE='

describe('files that wait to be checked', () => {
  it('are bounded for each user, shared between users, and leave nothing when refused', async () => {
    const [busy, fresh, known] = await Promise.all(
      ['Busy', 'Fresh', 'Known'].map((name) => signUp(testServer, name)),
    )
    if (!busy || !fresh || !known) throw new Error('three have signed up')
    await upload(known, sampleVideo().file)
    // One sample of two thousand million bytes: refused by its first bytes, without the parser.
    const impossible = new File([Buffer.from(IMPOSSIBLE_MP4, 'base64')], 'clip.mp4', { type: 'video/mp4' })
    const held = Promise.withResolvers<void>()
    const owners = new Map<string, number>()
    const reading = new Set<string>()
    const waiting: boolean[] = []
    const { storage } = testServer.deps
    const slow: typeof storage = {
      ...storage,
      read: async (key, first, last) => {
        reading.add(key)
        await held.promise
        return storage.read(key, first, last)
      },
    }
    const app = await buildApp({ ...testServer.deps, storage: slow }, undefined, (from, hasVideo) => {
      const reader = createFactsReader(from, async (userId) => {
        const answer = await hasVideo(userId)
        waiting.push(answer)
        return answer
      })
      return {
        readStored: (asker, file) => {
          owners.set(file.key, asker.userId)
          return reader.readStored(asker, file)
        },
      }
    })
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const before = await storedFiles()
    const send = ({ email, token }: Person) => upload(personWith({ url }, email, token), impossible)
    let answered = 0
    // One is being read and the others wait; three more than a user may send at a time are refused.
    const sent = Array.from({ length: UPLOADS_PER_USER + 3 }, () => send(busy).finally(() => (answered += 1)))
    const refused = await Promise.all([Promise.race(sent), expect.poll(() => answered).toBe(3)])
    expect([refused[0].status, refused[0].headers.get('retry-after')]).toEqual([429, '30'])
    await expect.poll(storedFiles).toBe(before + UPLOADS_PER_USER)
    sent.push(send(fresh))
    await expect.poll(() => waiting).toEqual([false, false])
    sent.push(send(known))
    await expect.poll(() => waiting).toEqual([false, false, true])
    held.resolve()
    const statuses = (await Promise.all(sent)).map(({ status }) => status)
    // Behind what was being read, and before everything else of the busy one.
    const order = [...reading].map((key) => owners.get(key))
    const ids = (await Promise.all([busy, known, fresh].map((one) => one.call('getUser')))).map(
      ({ user_id }) => user_id,
    )
    expect(order.slice(0, 3)).toEqual(ids)
    expect(statuses.filter((status) => status === 422)).toHaveLength(UPLOADS_PER_USER + 2)
    expect(statuses.filter((status) => status === 429)).toHaveLength(3)
    expect(await storedFiles()).toBe(before)
    await app.close()
  })

  it('are read when they are asked for, where the client of a long one has left', async () => {
    const someone = await signUp(testServer)
    const held = Promise.withResolvers<void>()
    let isHeld = false
    const { storage } = testServer.deps
    const slow: typeof storage = {
      ...storage,
      read: async (key, first, last) => {
        // The reader asks, not the look at what the file claims before.
        if (isHeld && first === 0 && last > 10_000) {
          isHeld = false
          held.resolve()
          await new Promise(() => {})
        }
        return storage.read(key, first, last)
      },
    }
    const app = await buildApp({ ...testServer.deps, storage: slow })
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const there = personWith({ url }, someone.email, someone.token)
    // From then on all files of this user wait with those that take long.
    expect((await upload(there, new File([busyWebm()], 'busy.webm'))).status).toBe(422)
    isHeld = true
    const leaving = new AbortController()
    const bytes = new Uint8Array(await sampleVideo().file.arrayBuffer())
    const id = await createUpload(there, bytes.length)
    const left = there.request(`/uploads/${id}`, {
      method: 'PATCH',
      headers: {
        'tus-resumable': '1.0.0',
        'upload-offset': '0',
        'content-type': 'application/offset+octet-stream',
      },
      body: bytes,
      signal: leaving.signal,
    })
    const ended = expect(left).rejects.toThrow(/abort/)
    await held.promise
    leaving.abort()
    await ended
    const video = async () => (await there.call('getUpload', { params: { uploadId: id } })).video
    await expect.poll(video).toMatchObject({ size: bytes.length })
    await app.close()
  })
})
