import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { POSTER_MAX_BYTES } from '#contract/limits.ts'
import { Video } from '#contract/videos.ts'
import { signUp, startTestServer, type TestServer, type Person } from '#test/support/test-server.ts'
import { uploadVideo } from '#test/support/publish.ts'
import { clearStorage } from '../housekeeping.ts'

let testServer: TestServer
let someone: Person
beforeAll(async () => {
  testServer = await startTestServer()
  someone = await signUp(testServer)
})
afterAll(() => testServer.stop())

/** What a picture begins with; the rest of it is nobody's business here. */
const JPEG = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(60, 1)])
const WEBP = Buffer.concat([Buffer.from('RIFF\x40\x00\x00\x00WEBPVP8 ', 'latin1'), Buffer.alloc(60, 2)])

function send(
  who: Person,
  videoId: number,
  content: Uint8Array<ArrayBuffer>,
  fields: Record<string, string> = {},
) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('poster', new File([content], 'poster', { type: 'image/jpeg' }))
  return who.request(`/videos/${videoId}/poster`, { method: 'PUT', body: form })
}
const sent = async (
  videoId: number,
  content: Uint8Array<ArrayBuffer>,
  fields: Record<string, string> = {},
) => {
  const answer = await send(someone, videoId, content, fields)
  expect(answer.status).toBe(200)
  return Video.parse(await answer.json()).poster_url ?? ''
}
const inTwoDays = () => Date.now() + 172_800_000
const storedFiles = async () => (await Array.fromAsync(testServer.deps.storage.list())).length

describe('the picture of a video', () => {
  it('is served at its address with its own type and cached for ever', async () => {
    const { video_id, poster_url } = await uploadVideo(someone)
    expect(poster_url).toBeNull()
    const url = await sent(video_id, WEBP)
    expect(url).toMatch(/^\/posters\/[\w-]{43}$/)
    const answer = await fetch(testServer.url + url)
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/webp',
      'content-length': String(WEBP.length),
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=31536000, immutable',
      'x-robots-tag': 'noindex',
    })
    expect(WEBP.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true)
    expect((await someone.call('listVideos')).videos).toMatchObject([{ video_id, poster_url: url }])
  })

  it('replaces an earlier one, under a new address', async () => {
    const { video_id } = await uploadVideo(someone)
    const first = await sent(video_id, JPEG)
    const before = await storedFiles()
    const second = await sent(video_id, WEBP)
    expect(second).not.toBe(first)
    expect(await storedFiles()).toBe(before)
    expect((await fetch(testServer.url + first)).status).toBe(404)
    const both = await Promise.all([send(someone, video_id, JPEG), send(someone, video_id, WEBP)])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect(await storedFiles()).toBe(before)
  })

  it('stays where the next one is only for a video without one', async () => {
    const { video_id } = await uploadVideo(someone)
    const keeping = { keep_existing: 'true' }
    const before = await storedFiles()
    const addresses = await Promise.all([sent(video_id, JPEG, keeping), sent(video_id, WEBP, keeping)])
    expect(addresses[0]).toBe(addresses[1])
    expect(await sent(video_id, WEBP, keeping)).toBe(addresses[0])
    expect(await storedFiles()).toBe(before + 1)
    const own = await sent(video_id, WEBP)
    expect(own).not.toBe(addresses[0])
    expect(await sent(video_id, JPEG, keeping)).toBe(own)
    expect(WEBP.equals(Buffer.from(await (await fetch(testServer.url + own)).arrayBuffer()))).toBe(true)
    expect(await storedFiles()).toBe(before + 1)
  })

  it('is deleted with its video and not earlier', async () => {
    const { video_id } = await uploadVideo(someone)
    const url = await sent(video_id, JPEG)
    await clearStorage({ ...testServer.deps, now: inTwoDays })
    expect((await fetch(testServer.url + url)).status).toBe(200)
    const before = await storedFiles()
    await someone.call('deleteVideo', { params: { videoId: video_id } })
    expect((await fetch(testServer.url + url)).status).toBe(404)
    expect(await storedFiles()).toBe(before - 2)
  })

  it("is refused if invalid, too large, missing or for another user's video; nothing is stored", async () => {
    const { video_id } = await uploadVideo(someone)
    const before = await storedFiles()
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
    const large = Buffer.concat([JPEG, Buffer.alloc(POSTER_MAX_BYTES)])
    const eve = await signUp(testServer, 'Eve')
    const empty = await someone.request(`/videos/${video_id}/poster`, { method: 'PUT', body: new FormData() })
    expect([
      (await send(someone, video_id, svg)).status,
      (await send(someone, video_id, Buffer.from('x'))).status,
      (await send(someone, video_id, large)).status,
      (await send(eve, video_id, JPEG)).status,
      (await send(someone, 999_999, JPEG)).status,
      empty.status,
    ]).toEqual([415, 415, 413, 404, 404, 422])
    expect(await storedFiles()).toBe(before)
    for (const address of [`/posters/${'x'.repeat(43)}`, '/posters/x', '/posters/..%2fx'])
      expect((await fetch(testServer.url + address)).status).toBe(404)
  })
})
