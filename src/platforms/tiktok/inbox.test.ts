import { Readable } from 'node:stream'
import { afterEach, expect, test } from 'vitest'
import { tellsLink } from '#contract/platforms/index.ts'
import type { PublishJob } from '../kit/platform.ts'
import { scriptedServer } from '../kit/scripted-server.ts'
import type { Scripted, ScriptedServer } from '../kit/scripted-server.ts'
import { createTikTok } from './index.ts'

const INIT = '/v2/post/publish/inbox/video/init/'
const STATUS = '/v2/post/publish/status/fetch/'

let server: ScriptedServer
afterEach(() => server.close())

const enveloped = (data: unknown): Scripted => ({ body: JSON.stringify({ data, error: { code: 'ok' } }) })
const tiktok = () =>
  createTikTok(
    {
      mode: 'practice',
      clientKey: 'key',
      clientSecret: 'secret',
      authorizeUrl: `${server.url}/auth/`,
      apiUrl: server.url,
      uploadHosts: ['127.0.0.1:1'],
      postUrl: 'https://www.tiktok.com',
      appAudited: false,
    },
    () => 1_800_000_000_000,
  )

const job = (durationS = 10): PublishJob => ({
  account: { accessToken: 'act.1', externalId: '-000', username: 'ann' },
  text: 'hello #cat',
  options: { post_mode: 'MEDIA_UPLOAD', privacy_level: 'SELF_ONLY', brand_content_toggle: true },
  video: {
    size: 30,
    mime: 'video/mp4',
    durationS,
    read: (first, last) => Promise.resolve(Readable.from([Buffer.alloc(last - first + 1)])),
    address: () => Promise.reject(new Error('not pulled')),
  },
  pictureAddress: () => Promise.resolve(null),
  siblings: () => Promise.resolve({ postIds: [], unknown: [] }),
  signal: new AbortController().signal,
})

async function openedWith(...statuses: Scripted[]) {
  const address = { publish_id: 'v_inbox_file~v2-1.7', upload_url: 'http://127.0.0.1:1/upload' }
  server = await scriptedServer({ [INIT]: [enveloped(address)], [STATUS]: statuses })
  const opened = await tiktok().open(job())
  return opened.ok ? opened.value : expect.unreachable()
}

test('a draft is opened with its source alone: no caption, no choice, no question before it', async () => {
  expect(await openedWith()).toMatchObject({ publishId: 'v_inbox_file~v2-1.7', inbox: true, username: 'ann' })
  expect(server.requests.map(({ url }) => url)).toEqual([INIT])
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
    source_info: { source: 'FILE_UPLOAD', video_size: 30, chunk_size: 30, total_chunk_count: 1 },
  })
})

test('a draft whose opening may have happened is opened once more at most', async () => {
  server = await scriptedServer({ [INIT]: [{ status: 502, body: '<html>' }] })
  expect(await tiktok().open(job())).toMatchObject({
    failure: { kind: 'unreachable', mayHaveOpened: true, openAgainMost: 1 },
  })
})

test('a draft of more than ten minutes is not sent', async () => {
  server = await scriptedServer({})
  expect(await tiktok().open(job(601))).toMatchObject({ failure: { reason: { code: 'too_long' } } })
  expect(server.requests).toEqual([])
})

test('five pending drafts are a limit of the account, and end nothing', async () => {
  const body = JSON.stringify({ error: { code: 'spam_risk_too_many_pending_share', message: 'no' } })
  server = await scriptedServer({ [INIT]: [{ status: 403, body }] })
  const { failure } = await tiktok()
    .open(job())
    .then((answer) => (answer.ok ? expect.unreachable() : answer))
  expect(failure).toMatchObject({ kind: 'throttled', limit: true, retryAfterS: 3600 })
  expect(failure).not.toHaveProperty('stops')
})

test('what is in the inbox is neither live nor a failure, and live once its creator posted it', async () => {
  const posted = `{"data":{"status":"PUBLISH_COMPLETE","publicaly_available_post_id":[7678907398077074696,1]},"error":{"code":"ok"}}`
  const session = await openedWith(
    enveloped({ status: 'PROCESSING_UPLOAD', uploaded_bytes: 30 }),
    enveloped({ status: 'SEND_TO_USER_INBOX', uploaded_bytes: 30 }),
    enveloped({ status: 'PUBLISH_COMPLETE', publicaly_available_post_id: [] }),
    { body: posted },
    { body: posted },
  )
  const check = () => tiktok().check(job(), session)
  expect(await check()).toMatchObject({ kind: 'accepted' })
  expect(await check()).toMatchObject({ kind: 'in_inbox', session: { publishId: 'v_inbox_file~v2-1.7' } })
  expect(await check()).toEqual({ kind: 'live', postId: null, url: null })
  const url = 'https://www.tiktok.com/@ann/video/7678907398077074696'
  expect(await check()).toEqual({ kind: 'live', postId: '7678907398077074696', url })
  // The audience of a draft is unknown, so its address is requested whatever audience was sent.
  expect(tellsLink.tiktok(job().options)).toBe(true)
  expect(await tiktok().locate(job(), session, null)).toMatchObject({ value: { url, complete: true } })
})
