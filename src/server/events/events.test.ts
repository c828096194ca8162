import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type TestServer,
  linkAccount,
  type Person,
  signUp,
  startTestServer,
} from '#test/support/test-server.ts'
import { sampleVideo } from '#test/support/sample.ts'
import { type DeliveryNews, notifyNews, notifyNotifications } from '../db/bus.ts'
import type { Db } from '#base/db/open.ts'
import { buildApp } from '../app.ts'
import { createStreams, type Stream, STREAMS_PER_USER, UNREAD_MAX_BYTES } from './streams.ts'

let testServer: TestServer
let someone: Person
let userId: number
let deliveries: number[]
beforeAll(async () => {
  testServer = await startTestServer()
  someone = await signUp(testServer)
  userId = (await someone.call('getUser')).user_id
  const body = new FormData()
  body.append('file', sampleVideo().file)
  await someone.request('/videos', { method: 'POST', body })
  const [video] = (await someone.call('listVideos')).videos
  const { brand_id } = await someone.call('createBrand', { body: { title: 'Northwind' } })
  const { account_id } = await linkAccount(someone, { platform: 'tiktok', brandId: brand_id })
  deliveries = []
  for (let i = 0; i < 20; i++) {
    const post = await someone.call('createPost', {
      body: { video_id: video?.video_id ?? 0, text: `Post ${i}`, targets: [{ account_id }] },
    })
    deliveries.push(post.deliveries[0]?.delivery_id ?? 0)
  }
})
afterAll(() => testServer.stop())

function startStreams() {
  let queries = 0
  const db: Db = testServer.deps.db.withPlugin({
    transformQuery: ({ node }) => {
      queries += 1
      return node
    },
    transformResult: async ({ result }) => result,
  })
  let say: ((news: DeliveryNews) => void) | null = null
  const onNews = (listen: (news: DeliveryNews) => void) => {
    say = listen
    return () => {}
  }
  let lose: (() => void) | null = null
  const onGap = (listen: () => void) => {
    lose = listen
    return () => {}
  }
  const streams = createStreams({ db, bus: { onNews, onGap } }, (error) => {
    throw error
  })
  const change = (deliveryId: number) => say?.({ userId, deliveryId, eventId: null })
  const tell = () => say?.({ userId, deliveryId: null, eventId: null, notifications: true })
  return { streams, change, tell, lose: () => lose?.(), queries: () => queries }
}

function listener() {
  const frames: number[] = []
  let ended = false
  const stream: Stream = {
    write: (written) => frames.push(...idsIn(written.toString())),
    inTurn: (read) => read(),
    check: () => {},
    end: () => (ended = true),
  }
  return { stream, frames, hasEnded: () => ended }
}
const idsIn = (text: string) =>
  [...text.matchAll(/"delivery":\{"delivery_id":(\d+)/g)].map(([, id]) => Number(id))

describe('changes of deliveries', () => {
  it('are read once, however many streams a user has', async () => {
    const { streams, change, queries } = startStreams()
    const all = Array.from({ length: STREAMS_PER_USER }, listener)
    for (const { stream } of all) streams.join(userId, stream, null)
    const [first = 0] = deliveries
    change(first)
    await expect.poll(() => all.map(({ frames }) => frames)).toEqual(all.map(() => [first]))
    expect(queries()).toBe(1)
  })

  it('are collected in a burst', async () => {
    const { streams, change, queries } = startStreams()
    const { stream, frames } = listener()
    streams.join(userId, stream, null)
    for (let round = 0; round < 10; round++) deliveries.forEach(change)
    // The first change is sent at once, the others together in their present state.
    await expect.poll(() => frames.length).toBe(deliveries.length + 1)
    expect(new Set(frames)).toEqual(new Set(deliveries))
    expect(queries()).toBe(2)
  })

  it('end the streams when there are too many', async () => {
    const { streams, change } = startStreams()
    const { stream, hasEnded } = listener()
    streams.join(userId, stream, null)
    for (let id = 1_000; id < 2_000; id++) change(id)
    await expect.poll(hasEnded).toBe(true)
  })

  it('end the streams when some may have been lost', async () => {
    const { streams, lose } = startStreams()
    const { stream, hasEnded } = listener()
    streams.join(userId, stream, null)
    lose()
    expect(hasEnded()).toBe(true)
  })

  it('are sent in parts to a client that missed many, which reconnects for the next', async () => {
    const { streams } = startStreams()
    const other = await signUp(testServer, 'Cleo')
    const { user_id } = await other.call('getUser')
    await sql`insert into delivery_events (delivery_id, user_id, state, message)
      select ${deliveries[0]}, ${user_id}, 'published', 'Made.' from generate_series(1, 101)`.execute(
      testServer.deps.db,
    )
    const { stream, hasEnded } = listener()
    streams.join(user_id, stream, 1)
    await expect.poll(hasEnded).toBe(true)
  })

  it('are read together for a reconnecting client', async () => {
    const { streams, queries } = startStreams()
    const { stream, frames } = listener()
    streams.join(userId, stream, 1)
    await expect.poll(() => frames).toHaveLength(deliveries.length - 1)
    expect(queries()).toBe(2)
  })

  it('are the same bytes for all streams of a user', async () => {
    const { streams, change } = startStreams()
    const written: Buffer[] = []
    const stream = { ...listener().stream, write: (frames: Buffer) => void written.push(frames) }
    for (let i = 0; i < 2; i++) streams.join(userId, { ...stream }, null)
    change(deliveries[0] ?? 0)
    await expect.poll(() => written.length).toBe(2)
    expect(written[0]).toBe(written[1])
  })

  it('do not pile up for a stream whose missed ones are still being read', () => {
    const { streams, tell } = startStreams()
    const reading = listener()
    streams.join(userId, { ...reading.stream, inTurn: () => new Promise(() => {}) }, 1)
    const other = listener()
    streams.join(userId, other.stream, null)
    for (let i = 0; i < UNREAD_MAX_BYTES / 10; i++) tell()
    expect([reading.hasEnded(), other.hasEnded()]).toEqual([true, false])
  })

  it('reach the streams of every process', async () => {
    const text = readStream(await openStream(someone))
    const [, second = 0] = deliveries
    await notifyNews(testServer.deps.db, { userId, deliveryId: second, eventId: null })
    expect(await text.until((all) => idsIn(all).includes(second))).toBe(true)
    text.close()
  })
})

describe('what a user was told', () => {
  it('is announced to the streams of its user, and to nobody else', async () => {
    const other = await signUp(testServer, 'Bo')
    const { user_id } = await other.call('getUser')
    const [ours, theirs] = [readStream(await openStream(someone)), readStream(await openStream(other))]
    await notifyNotifications(testServer.deps.db, user_id)
    expect(await theirs.until((all) => all.includes('data: {"notifications":"changed"}'))).toBe(true)
    const [first = 0] = deliveries
    await notifyNews(testServer.deps.db, { userId, deliveryId: first, eventId: null })
    let seen = ''
    expect(await ours.until((all) => idsIn((seen = all)).includes(first))).toBe(true)
    expect(seen).not.toContain('notifications')
    for (const stream of [ours, theirs]) stream.close()
  })
})

const openStream = (who: Person) => {
  const controller = new AbortController()
  return who.request('/events', { signal: controller.signal }).then((answer) => ({ answer, controller }))
}
function readStream({ answer, controller }: Awaited<ReturnType<typeof openStream>>) {
  return {
    async until(found: (all: string) => boolean) {
      if (!answer.body) return false
      let all = ''
      for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
        all += part
        if (found(all)) return true
      }
      return false
    },
    close: () => controller.abort(),
  }
}

describe('streams of one user', () => {
  it('are refused by a server that is stopping, which they would hold up', async () => {
    const app = await buildApp(testServer.deps)
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    void app.drain(600_000)
    const headers = { authorization: `Bearer ${someone.token}` }
    const { status } = await fetch(`${url}/api/v1/events`, { headers })
    expect(status).toBe(503)
    await app.close()
  })

  it('are limited to ten', async () => {
    const busy = await signUp(testServer, 'Busy')
    const open = await Promise.all(Array.from({ length: STREAMS_PER_USER }, () => openStream(busy)))
    expect(open.map(({ answer }) => answer.status)).toEqual(open.map(() => 200))
    const refused = await busy.request('/events')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    expect(await refused.json()).toMatchObject({ code: 'too_many_requests' })
    const other = await openStream(someone)
    expect(other.answer.status).toBe(200)
    open[0]?.controller.abort()
    const again = async () => {
      const tried = await openStream(busy)
      open.push(tried)
      return tried.answer.status
    }
    await expect.poll(again).toBe(200)
    for (const { controller } of [...open, other]) controller.abort()
  })
})
