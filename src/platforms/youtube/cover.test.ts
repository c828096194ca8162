import { afterEach, expect, test, vi } from 'vitest'
import type { CoverJob } from '../kit/platform.ts'
import { type Scripted, type ScriptedServer, scriptedServer } from '../kit/scripted-server.ts'
import { createYouTube } from './index.ts'
import { answer, configAt, NOW, OPTIONS, refusal } from './testing.ts'

const VIDEOS = '/youtube/v3/videos'
const SET = '/upload/youtube/v3/thumbnails/set'
const ID = 'dQw4w9WgXcQ'

let server: ScriptedServer
afterEach(() => server.close())

async function start(answers: Record<string, readonly Scripted[]>) {
  server = await scriptedServer(answers)
  return createYouTube(configAt(server), () => NOW)
}

const read = vi.fn<CoverJob['picture']['read']>(() => Promise.resolve(new Uint8Array([0xff, 0xd8, 0xff])))
const job = {
  account: { accessToken: 'ya29.1', externalId: 'UC1', username: 'ann' },
  postId: ID,
  picture: { mime: 'image/jpeg', read },
  signal: new AbortController().signal,
}
const video = (more: object) => answer({ items: [{ id: ID, ...more }] })
const processed = (processingStatus: string) => video({ processingDetails: { processingStatus } })

test('a thumbnail is set once the video is processed', async () => {
  const youtube = await start({ [VIDEOS]: [processed('succeeded')], [SET]: [answer({ items: [] })] })
  expect(await youtube.setCover?.(job)).toEqual({ ok: true, value: undefined })
  const sent = server.requests.at(-1)
  expect(sent?.url).toBe(`${SET}?videoId=${ID}`)
  expect(sent?.headers).toMatchObject({ 'content-type': 'image/jpeg', 'content-length': '3' })
})

test.each([
  ['is processed', processed('processing')],
  ['is not shown', answer({ items: [] })],
])('no picture is sent before the video %s: it is tried again later', async (_when, reply) => {
  read.mockClear()
  const youtube = await start({ [VIDEOS]: [reply] })
  expect(await youtube.setCover?.(job)).toMatchObject({
    ok: false,
    failure: { kind: 'throttled', retryAfterS: 60, laterS: [300, 900, 3600], limit: false },
  })
  expect(read).not.toHaveBeenCalled()
})

test.each(['failed', 'terminated'])('a video whose processing is %s gets no thumbnail', async (status) => {
  const youtube = await start({ [VIDEOS]: [processed(status)] })
  expect(await youtube.setCover?.(job)).toMatchObject({
    ok: false,
    failure: { kind: 'rejected', reason: { code: 'processing_ended' } },
  })
})

test.each([
  [
    'a channel that may not',
    refusal(403, 'forbidden'),
    { kind: 'rejected', reason: { remedy: expect.stringContaining('youtube.com/verify') as unknown } },
  ],
  ['a picture that is none', refusal(400, 'invalidImage'), { kind: 'rejected' }],
  [
    'a video that is not there',
    refusal(404, 'videoNotFound'),
    { kind: 'rejected', againInS: [30, 300, 1800] },
  ],
  ['too many pictures', refusal(429, 'uploadRateLimitExceeded'), { kind: 'throttled', retryAfterS: 300 }],
  ['the quota', refusal(403, 'quotaExceeded'), { kind: 'throttled', limit: true }],
  ['an error', { status: 502, body: '<html>' }, { kind: 'unreachable' }],
])('%s', async (_what, reply, failure) => {
  const youtube = await start({ [VIDEOS]: [processed('succeeded')], [SET]: [reply] })
  expect(await youtube.setCover?.(job)).toMatchObject({ ok: false, failure })
})

const inspect = async (reply: Scripted, looks = 0, tries = 0) =>
  (await start({ [VIDEOS]: [reply] })).inspect?.({ ...job, options: OPTIONS, looks, tries })

test.each([
  ['processed', { uploadStatus: 'processed', privacyStatus: 'unlisted' }],
  ['of an unknown visibility', { uploadStatus: 'processed', privacyStatus: 'members' }],
])('a video that is %s is as it was asked for', async (_what, status) => {
  expect(await inspect(video({ status }))).toEqual({ ok: true, value: { kind: 'as_asked' } })
})

test.each([
  [
    'made private',
    video({ status: { uploadStatus: 'processed', privacyStatus: 'private' } }),
    'privacy_private',
  ],
  ['removed for a claim', video({ status: { uploadStatus: 'rejected', rejectionReason: 'claim' } }), 'claim'],
  ['deleted', video({ status: { uploadStatus: 'deleted' } }), 'video_gone'],
])('a video that was %s is told', async (_what, reply, code) => {
  expect(await inspect(reply)).toMatchObject({ ok: true, value: { kind: 'differs', reason: { code } } })
})

test.each([
  ['public', 0, 'differs'],
  ['public', 1, 'as_asked'],
  ['private', 3, 'differs'],
])('a video that is %s after %i looks %s: its owner may have published it', async (is, looks, kind) => {
  const reply = video({ status: { uploadStatus: 'processed', privacyStatus: is } })
  expect(await inspect(reply, looks)).toMatchObject({ ok: true, value: { kind } })
})

test('a video that is not shown is looked for twice again, an hour apart, before it is told', async () => {
  const none = answer({ items: [] })
  for (const tries of [0, 1]) {
    expect(await inspect(none, 1, tries)).toMatchObject({
      ok: false,
      failure: { kind: 'throttled', retryAfterS: 3600, limit: false },
    })
  }
  expect(await inspect(none, 1, 2)).toMatchObject({
    ok: true,
    value: { kind: 'differs', reason: { code: 'video_gone' } },
  })
})

test('a question that fails says nothing of the video', async () => {
  expect(await inspect({ status: 500, body: '' })).toMatchObject({
    ok: false,
    failure: { kind: 'unreachable' },
  })
})
