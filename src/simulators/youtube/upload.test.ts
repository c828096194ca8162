import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  linkYouTube,
  paddedVideo,
  start,
  until,
  youtubeCall,
  youtubeInitiate,
  youtubePut,
  type Client,
  type YouTubeAnswer,
} from '../test-client.ts'

const unit = 262_144
const video = paddedVideo(4 * unit + 100)
const sha256 = createHash('sha256').update(video).digest('hex')

let client: Client
let token: string
beforeAll(async () => {
  client = await start()
})
afterAll(() => client.close())
beforeEach(async () => {
  await client.control('DELETE', '')
  await client.control('POST', '/settings', { youtube_processing_ms: 0 })
  token = (await linkYouTube(client)).access_token
})

const begin = async (): Promise<string> =>
  (await youtubeInitiate(client, token, video.length)).headers.get('location') ?? ''
const readStatus = (id: string): Promise<YouTubeAnswer> =>
  youtubeCall(client, token, `/youtube/v3/videos?part=snippet,status,processingDetails&id=${id}`)
const uploadStatus = async (id: string): Promise<unknown> =>
  (await readStatus(id)).items?.[0]?.status?.uploadStatus
const fault = (call: string, kind: string, more: object = {}): Promise<unknown> =>
  client.control('POST', '/faults', { platform: 'youtube', call, fault: kind, ...more })

test('chunks, the last byte and the clock make a public video of the same bytes', async () => {
  const session = await begin()
  expect(session).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/youtube\/upload\/youtube\/v3\/videos\?.*upload_id=/)
  const empty = await youtubePut(session, token, video, null)
  expect([empty.status, empty.headers.get('range')]).toEqual([308, null])
  const first = await youtubePut(session, token, video, 0, 4 * unit - 1)
  expect([first.status, first.headers.get('range')]).toEqual([308, `bytes=0-${4 * unit - 1}`])
  expect(await client.posts()).toEqual([])
  const last = await youtubePut(session, token, video, 4 * unit)
  const answer = await last.text()
  const { id, status } = JSON.parse(answer) as { id: string; status: { uploadStatus: string } }
  expect([last.status, status.uploadStatus]).toEqual([201, 'uploaded'])
  for (const from of [null, 0, 4 * unit]) {
    const again = await youtubePut(session, token, video, from)
    expect([again.status, await again.text()]).toEqual([201, answer])
  }
  await until(
    () => uploadStatus(id),
    (now) => now === 'processed',
  )
  expect(await client.posts()).toMatchObject([
    { platform: 'youtube', account: 'nova', text: 'Hello', sha256, options: { title: 'A title' } },
  ])
  const page = await fetch(`${client.url}/youtube/shorts/${id}`)
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('A title')])
})

test('a gap and an overlap store nothing', async () => {
  const session = await begin()
  await youtubePut(session, token, video, 0, 2 * unit - 1)
  for (const first of [0, unit, 3 * unit]) {
    const answer = await youtubePut(session, token, video, first, first + unit - 1)
    expect([answer.status, answer.headers.get('range')]).toEqual([308, `bytes=0-${2 * unit - 1}`])
  }
  await client.control('POST', '/settings', { youtube_gap_status: 503 })
  expect((await youtubePut(session, token, video, 3 * unit, 4 * unit - 1)).status).toBe(503)
})

test('sizes that are no multiple of 256 KiB, another total and a missing token are refused', async () => {
  const session = await begin()
  expect((await youtubePut(session, token, video, 0, unit)).status).toBe(400)
  expect((await youtubePut(session, token, video.subarray(1), 0)).status).toBe(400)
  expect((await youtubePut(session, 'nonsense', video, null)).status).toBe(401)
  expect((await youtubePut(`${session}x`, token, video, null)).status).toBe(404)
})

test('of a cut body whole units of 256 KiB are kept', async () => {
  const session = await begin()
  await fault('final_chunk', 'reset_midway')
  await expect(youtubePut(session, token, video, 0)).rejects.toThrow()
  const probe = await youtubePut(session, token, video, null)
  expect([probe.status, probe.headers.get('range')]).toEqual([308, `bytes=0-${2 * unit - 1}`])
  expect((await youtubePut(session, token, video, 2 * unit)).status).toBe(201)
  await until(client.posts, (posts) => posts.length === 1)
  expect(await client.posts()).toMatchObject([{ sha256 }])
})

test.each(['drop_after', 'status_500_after', 'repeated'])(
  'after %s at the last byte a probe names the one video',
  async (kind) => {
    const session = await begin()
    await fault('final_chunk', kind)
    await youtubePut(session, token, video, 0).catch(() => null)
    const probe = await youtubePut(session, token, video, null)
    expect([probe.status, await probe.json()]).toMatchObject([201, { kind: 'youtube#video' }])
    expect(await until(client.posts, (posts) => posts.length > 0)).toHaveLength(1)
  },
)

test('a session ends after seven days, or early by a fault', async () => {
  const session = await begin()
  await fault('probe', 'not_found')
  for (let n = 0; n < 2; n += 1) expect((await youtubePut(session, token, video, null)).status).toBe(404)
  const old = await begin()
  await client.control('POST', '/clock', { advance_s: 7 * 86_400 })
  expect((await youtubePut(old, token, video, null)).status).toBe(404)
})
