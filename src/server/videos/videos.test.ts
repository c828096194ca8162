import { readFile } from 'node:fs/promises'
import { BufferTarget, EncodedAudioPacketSource, EncodedPacket, OggOutputFormat, Output } from 'mediabunny'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Video } from '#contract/videos.ts'
import {
  type TestServer,
  linkAccount,
  type Person,
  signUp,
  startTestServer,
} from '#test/support/test-server.ts'
import { fixture, sampleVideo } from '#test/support/sample.ts'
import { createFactsReader } from './facts.ts'
import { mintMediaLink, parseRange } from './media.ts'

let testServer: TestServer
let someone: Person
beforeAll(async () => {
  testServer = await startTestServer({ openFactsReader: createFactsReader })
  someone = await signUp(testServer)
})
afterAll(() => testServer.stop())

async function upload(file: File): Promise<Video> {
  const form = new FormData()
  form.append('file', file)
  const answer = await someone.request('/videos', { method: 'POST', body: form })
  expect(answer.status).toBe(201)
  return Video.parse(await answer.json())
}
const uploadFixture = async (name: string, type: string) =>
  upload(new File([await readFile(fixture(name))], name, { type }))

describe('an uploaded video', () => {
  it('is listed with its facts and what each platform would say', async () => {
    const good = await uploadFixture('good.mp4', 'video/mp4')
    const webm = await uploadFixture('vp9.webm', 'application/octet-stream')
    expect(good).toMatchObject({ filename: 'good.mp4', facts: { container: 'mp4' }, findings: [] })
    expect(webm).toMatchObject({ mime: 'video/webm', facts: { video_codec: 'vp9' } })
    expect(webm.findings.map(({ platform, level, code }) => `${platform} ${level} ${code}`)).toEqual([
      'instagram error container',
      'instagram error video_codec',
      'instagram error audio_codec',
    ])
    expect(await someone.call('listVideos')).toEqual({ videos: [webm, good], next_cursor: null })
  })

  it('that is not a video is refused whatever its name, and its file deleted', async () => {
    const before = await Array.fromAsync(testServer.deps.storage.list())
    const form = new FormData()
    form.append('file', new File(['not a video'], 'notes.mp4', { type: 'video/mp4' }))
    const answer = await someone.request('/videos', { method: 'POST', body: form })
    expect(answer.status).toBe(422)
    expect(await answer.json()).toMatchObject({ errors: { file: ['Please select a valid video file'] } })
    expect(await Array.fromAsync(testServer.deps.storage.list())).toHaveLength(before.length)
  })

  it('is deleted with its file, unless a post still needs it', async () => {
    const video = await upload(sampleVideo().file)
    const remove = async () =>
      (await someone.request(`/videos/${video.video_id}`, { method: 'DELETE' })).status
    const { brand_id } = await someone.call('createBrand', { body: { title: 'Northwind' } })
    const { account_id } = await linkAccount(someone, { platform: 'tiktok', brandId: brand_id })
    const post = await someone.call('createPost', {
      body: { video_id: video.video_id, text: 'Hello', targets: [{ account_id }] },
    })
    expect(await remove()).toBe(409)
    await someone.call('cancelDelivery', { params: { deliveryId: post.deliveries[0]?.delivery_id ?? 0 } })
    const { storage_key } = await testServer.deps.db
      .selectFrom('videos')
      .select('storage_key')
      .where('video_id', '=', video.video_id)
      .executeTakeFirstOrThrow()
    expect(await testServer.deps.storage.stat(storage_key)).toEqual({ size: video.size })
    expect([await remove(), await remove()]).toEqual([204, 404])
    expect(await testServer.deps.storage.stat(storage_key)).toBeNull()
    const seen = await someone.call('getPost', { params: { postId: post.post_id } })
    expect(seen.video.filename).toBe(video.filename)
  })
})

const get = async (path: string, init: RequestInit = {}) => fetch(`${testServer.url}${path}`, init)
const newLink = async (ttlMs = 60_000) => {
  const bytes = await readFile(fixture('good.mp4'))
  const { video_id } = await uploadFixture('good.mp4', 'video/mp4')
  const post = await postOf(video_id)
  const deliveryId = post.deliveries[0]?.delivery_id ?? 0
  return { bytes, video_id, post, deliveryId, path: await mintMediaLink(testServer.deps.db, video_id, ttlMs) }
}

let accountId: Promise<number> | null = null
async function linkOnce() {
  const { brand_id } = await someone.call('createBrand', { body: { title: 'Media' } })
  return (await linkAccount(someone, { platform: 'instagram', brandId: brand_id })).account_id
}
/** An open post of the video, which nobody takes up. */
const postOf = async (videoId: Video['video_id']) => {
  accountId ??= linkOnce()
  const targets = [{ account_id: await accountId }]
  return someone.call('createPost', { body: { video_id: videoId, text: 'Hello', targets } })
}

/** A second of silence. */
async function ogg(): Promise<ArrayBuffer> {
  const target = new BufferTarget()
  const output = new Output({ format: new OggOutputFormat(), target })
  const sound = new EncodedAudioPacketSource('opus')
  output.addAudioTrack(sound)
  await output.start()
  // RFC 7845, 5.1: version 1, one channel, nothing to skip, 48 kHz.
  const description = Buffer.from('OpusHead\x01\x01\0\0\x80\xbb\0\0\0\0\0', 'latin1')
  const decoderConfig = { codec: 'opus', numberOfChannels: 1, sampleRate: 48_000, description }
  for (let i = 0; i < 50; i++)
    await sound.add(new EncodedPacket(Uint8Array.of(0xfc, 0xff, 0xfe), 'key', i / 50, 1 / 50), {
      decoderConfig,
    })
  await output.finalize()
  return target.buffer ?? new ArrayBuffer()
}

const setState = (deliveryId: number, state: string) =>
  testServer.deps.db
    .updateTable('deliveries')
    .set({ state, wake_at: null })
    .where('delivery_id', '=', deliveryId)
    .execute()

describe('the media address', () => {
  it('gives the file to anybody, unindexed and uncached', async () => {
    const { bytes, path } = await newLink()
    expect(path).toMatch(/^\/media\/[\w-]{43}\.mp4$/)
    const answer = await get(path)
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': String(bytes.length),
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-store',
      'x-robots-tag': 'noindex',
    })
    expect(bytes.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true)
  })

  it('answers HEAD like GET without the file', async () => {
    const { bytes, path } = await newLink()
    const answer = await get(path, { method: 'HEAD' })
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(bytes.length)])
    expect((await answer.arrayBuffer()).byteLength).toBe(0)
  })

  it('answers ranges, and 416 for one outside the file', async () => {
    const { bytes, path } = await newLink()
    const size = bytes.length
    const part = async (range: string, headers: Record<string, string> = {}) => {
      const answer = await get(path, { headers: { range, ...headers } })
      return { answer, body: Buffer.from(await answer.arrayBuffer()) }
    }
    const middle = await part('bytes=100-199')
    expect(middle.answer.status).toBe(206)
    expect(middle.answer.headers.get('content-range')).toBe(`bytes 100-199/${size}`)
    expect(middle.body.equals(bytes.subarray(100, 200))).toBe(true)
    expect((await part('bytes=-50')).body.equals(bytes.subarray(-50))).toBe(true)
    expect((await part(`bytes=${size - 10}-`)).body.equals(bytes.subarray(-10))).toBe(true)
    const beyond = await part(`bytes=${size}-`)
    expect([beyond.answer.status, beyond.answer.headers.get('content-range')]).toEqual([
      416,
      `bytes */${size}`,
    ])
    expect((await part('bytes=0-1,5-6')).answer.status).toBe(200)
    expect((await part('bytes=0-9', { 'if-range': '"another"' })).answer.status).toBe(200)
  })

  it('answers 404 after its expiry, without its video, and for unknown addresses', async () => {
    const expired = await newLink(-1)
    const deleted = await newLink()
    await someone.call('cancelDelivery', { params: { deliveryId: deleted.deliveryId } })
    await someone.call('deleteVideo', { params: { videoId: deleted.video_id } })
    for (const path of [
      expired.path,
      deleted.path,
      `/media/${'x'.repeat(43)}.mp4`,
      '/media/x',
      '/media/..%2fx',
    ]) {
      expect((await get(path)).status).toBe(404)
    }
  })

  it.each(['published', 'failed', 'cancelled'])('is gone once its only delivery is %s', async (state) => {
    const { path, deliveryId } = await newLink()
    expect((await get(path, { method: 'HEAD' })).status).toBe(200)
    await setState(deliveryId, state)
    expect((await get(path)).status).toBe(404)
  })

  it('is there as long as another delivery of the video is open', async () => {
    const { path, video_id, deliveryId } = await newLink()
    const other = await postOf(video_id)
    await setState(deliveryId, 'published')
    expect((await get(path)).status).toBe(200)
    await setState(other.deliveries[0]?.delivery_id ?? 0, 'published')
    expect((await get(path)).status).toBe(404)
  })

  it('has the type of the file’s contents, whatever the browser said, now and in older rows', async () => {
    const { video_id, mime } = await upload(new File([await ogg()], 'a.html', { type: 'text/html' }))
    expect(mime).toBe('video/ogg')
    const { path, video_id: older } = await newLink()
    await testServer.deps.db
      .updateTable('videos')
      .set({ mime: 'text/html' })
      .where('video_id', '=', older)
      .execute()
    const { headers } = await get(path, { method: 'HEAD' })
    expect([headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([
      'application/octet-stream',
      'nosniff',
    ])
    const { videos: listed } = await someone.call('listVideos')
    expect(listed.find((video) => video.video_id === older)?.mime).toBe('application/octet-stream')
    expect(listed.find((video) => video.video_id === video_id)?.mime).toBe('video/ogg')
  })

  it('is open to Meta’s crawlers, and to no others', async () => {
    const robots = await (await get('/robots.txt')).text()
    const [meta, others] = robots.split('\n\n')
    expect(meta).toBe(
      'User-agent: facebookexternalhit\nUser-agent: meta-externalfetcher\nAllow: /media/\nDisallow: /',
    )
    expect(others).toBe('User-agent: *\nAllow: /feeds/\nDisallow: /\n')
  })
})

const play = (videoId: Video['video_id']) => someone.call('createPlayback', { params: { videoId } })
const askToPlay = async (who: Person, videoId: number) =>
  (await who.request(`/videos/${videoId}/playback`, { method: 'POST' })).status

const disposition = async (address: string) =>
  (await get(address, { method: 'HEAD' })).headers.get('content-disposition')

describe("the player's address", () => {
  it('gives the owner ranges of a video that no post uses, kept in their browser only', async () => {
    const bytes = await readFile(fixture('good.mp4'))
    const { video_id } = await uploadFixture('good.mp4', 'video/mp4')
    const { url, expires_at } = await play(video_id)
    expect(url).toMatch(/^\/media\/[\w-]{43}\.mp4$/)
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(3_500_000)
    expect(Date.parse(expires_at) - Date.now()).toBeLessThan(3_700_000)
    const answer = await get(url, { headers: { range: 'bytes=100-199' } })
    expect(answer.status).toBe(206)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'video/mp4',
      'content-range': `bytes 100-199/${bytes.length}`,
      'cache-control': 'private, max-age=3600',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
    })
    expect(answer.headers.get('content-security-policy')).toContain("media-src 'self' blob:;")
    expect(bytes.subarray(100, 200).equals(Buffer.from(await answer.arrayBuffer()))).toBe(true)
    expect((await play(video_id)).url).not.toBe(url)
  })

  it("is not given for another user's video, a deleted one or none", async () => {
    const { video_id } = await uploadFixture('good.mp4', 'video/mp4')
    const eve = await signUp(testServer, 'Eve')
    expect(await askToPlay(eve, video_id)).toBe(404)
    expect(await askToPlay(someone, 999_999)).toBe(404)
    expect(await askToPlay(someone, video_id)).toBe(201)
    await someone.call('deleteVideo', { params: { videoId: video_id } })
    expect(await askToPlay(someone, video_id)).toBe(404)
  })

  it('makes browsers save the video under its name when asked for a download', async () => {
    const { video_id: videoId } = await uploadFixture('good.mp4', 'video/mp4')
    await someone.call('updateVideo', { params: { videoId }, body: { filename: 'Crème' } })
    const { url } = await play(videoId)
    expect(await disposition(`${url}?download=1`)).toBe(
      `attachment; filename="Creme.mp4"; filename*=UTF-8''Cr%C3%A8me.mp4`,
    )
    expect(await disposition(url)).toBeNull()
    const { path } = await newLink()
    expect(await disposition(`${path}?download=1`)).toBeNull()
  })

  it('ends with its hour, and with its video', async () => {
    const { video_id } = await uploadFixture('good.mp4', 'video/mp4')
    const ended = await play(video_id)
    const links = testServer.deps.db.updateTable('media_links').where('video_id', '=', video_id)
    await links.set({ expires_at: new Date() }).execute()
    const { url } = await play(video_id)
    expect([(await get(ended.url)).status, (await get(url)).status]).toEqual([404, 200])
    await someone.call('deleteVideo', { params: { videoId: video_id } })
    const gone = await get(url)
    expect([gone.status, gone.headers.get('cache-control')]).toEqual([404, 'private, no-store'])
  })
})

it.each<[string | undefined, ReturnType<typeof parseRange>]>([
  [undefined, 'whole'],
  ['bytes=0-0', { first: 0, last: 0 }],
  ['bytes=0-', { first: 0, last: 99 }],
  ['bytes=90-200', { first: 90, last: 99 }],
  ['bytes=-10', { first: 90, last: 99 }],
  ['bytes=-1000', { first: 0, last: 99 }],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=5-4', 'whole'],
  ['bytes=-', 'whole'],
  ['bytes=0-1, 3-4', 'whole'],
  ['items=0-1', 'whole'],
  ['bytes=a-b', 'whole'],
])('a range header %s over 100 bytes is %j', (header, range) => {
  expect(parseRange(header, 100)).toEqual(range)
})
