import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  linkYouTube,
  sampleVideo,
  start,
  until,
  youtubeCall,
  youtubeInitiate,
  youtubePut,
  type Client,
  type YouTubeAnswer,
} from '../test-client.ts'

let client: Client
let token: string
beforeAll(async () => {
  client = await start()
})
afterAll(() => client.close())
beforeEach(async () => {
  await client.control('DELETE', '')
  await settings({ youtube_processing_ms: 0 })
  const scope = ['upload', 'readonly', 'force-ssl'].map(
    (name) => `https://www.googleapis.com/auth/youtube.${name}`,
  )
  token = (await linkYouTube(client, 'nova', { scope: scope.join(' ') })).access_token
})

const settings = (change: object): Promise<unknown> => client.control('POST', '/settings', change)
const creator = (change: object): Promise<unknown> =>
  client.control('POST', '/accounts', { platform: 'youtube', username: 'nova', ...change })
const reasonOf = ({ status, error }: YouTubeAnswer): unknown[] => [status, error?.errors?.[0]?.reason]
const resource = (snippet: object = {}, status: object = {}): object => ({
  snippet: { title: 'A title', ...snippet },
  status: { privacyStatus: 'public', selfDeclaredMadeForKids: false, ...status },
})
const initiate = (body: object = resource()): Promise<YouTubeAnswer> =>
  youtubeInitiate(client, token, sampleVideo().length, body)
const list = (id: string, part = 'snippet,status,processingDetails'): Promise<YouTubeAnswer> =>
  youtubeCall(client, token, `/youtube/v3/videos?part=${part}&id=${id}`)

async function upload(body: object = resource()): Promise<string> {
  const session = (await initiate(body)).headers.get('location') ?? ''
  const { id } = (await (await youtubePut(session, token, sampleVideo(), 0)).json()) as { id: string }
  await client.control('POST', '/settle')
  return id
}
const statusOf = async (id: string): Promise<Record<string, unknown> | undefined> =>
  (await list(id)).items?.[0]?.status

test.each([
  ['no title', { title: ' ' }, {}, 400, 'invalidTitle'],
  ['a title of 101 characters', { title: 'x'.repeat(101) }, {}, 400, 'invalidTitle'],
  ['angle brackets', { title: 'a <b>' }, {}, 400, 'invalidTitle'],
  ['a description of 5001 bytes', { description: `${'ü'.repeat(2500)}x` }, {}, 400, 'invalidDescription'],
  ['tags of 501', { tags: ['x'.repeat(248), `y ${'y'.repeat(248)}`] }, {}, 400, 'invalidTags'],
  ['a category that is not assignable', { categoryId: '18' }, {}, 400, 'invalidCategoryId'],
  ['an unknown field', { caption: 'x' }, {}, 400, 'parseError'],
  ['a time with a public video', {}, { publishAt: '2030-01-01T00:00:00Z' }, 400, 'invalidPublishAt'],
  ['an unknown privacy', {}, { privacyStatus: 'friends' }, 403, 'forbiddenPrivacySetting'],
])('%s is refused', async (_name, snippet, status, code, reason) => {
  expect(reasonOf(await initiate(resource(snippet, status)))).toEqual([code, reason])
})

test('the longest texts are accepted', async () => {
  const tags = ['x'.repeat(247), `y ${'y'.repeat(248)}`]
  const longest = resource({ title: 'x'.repeat(100), description: 'ü'.repeat(2500), tags })
  expect((await initiate(longest)).status).toBe(200)
})

test('a field whose part is not named is refused', async () => {
  expect(reasonOf(await initiate({ ...resource(), localizations: {} }))).toEqual([400, 'unexpectedPart'])
})

test.each(['codec', 'copyright'])('an upload can end with the reason %s', async (reason) => {
  await creator({ fail_reasons: [reason] })
  const status = await statusOf(await upload())
  expect([status?.failureReason, status?.rejectionReason]).toContain(reason)
  expect(await client.posts()).toEqual([])
})

test('a rejection can follow when the video was processed', async () => {
  await settings({ youtube_late_rejection_ms: 60_000 })
  await creator({ late_rejections: ['claim'] })
  const id = await upload()
  expect(await statusOf(id)).toMatchObject({ uploadStatus: 'processed' })
  await client.control('POST', '/clock', { advance_s: 60 })
  expect(await statusOf(id)).toMatchObject({ uploadStatus: 'rejected', rejectionReason: 'claim' })
})

test('the daily limit of a channel is answered at the initiation, or finishes the upload', async () => {
  await creator({ daily_limit: 0 })
  expect(reasonOf(await initiate())).toEqual([400, 'uploadLimitExceeded'])
  await settings({ youtube_upload_limit_at: 'last_byte', youtube_upload_limit_status: 403 })
  const session = (await initiate()).headers.get('location') ?? ''
  for (const first of [0, null]) {
    expect((await youtubePut(session, token, sampleVideo(), first)).status).toBe(403)
  }
  expect(await client.posts()).toEqual([])
})

test('uploads become private by the project or the channel', async () => {
  await settings({ youtube_private_lock: true })
  expect(await statusOf(await upload())).toMatchObject({ privacyStatus: 'private' })
})

test('the quota ends at its number and begins anew at midnight in California', async () => {
  await settings({ youtube_quota_uploads: 1, youtube_quota_units: 2 })
  expect((await initiate(resource({ title: '' }))).status).toBe(400)
  expect(reasonOf(await initiate())).toEqual([403, 'quotaExceeded'])
  expect([(await list('x')).status, (await list('x')).status, (await list('x')).status]).toEqual([
    200, 200, 403,
  ])
  await client.control('POST', '/clock', { advance_s: 86_400 })
  const { access_token } = await linkYouTube(client)
  expect((await youtubeCall(client, access_token, '/youtube/v3/videos?part=id&id=x')).status).toBe(200)
})

test('the uploads playlist shows a video after its delay', async () => {
  await settings({ youtube_playlist_delay_ms: 60_000 })
  const id = await upload(resource({}, { privacyStatus: 'private' }))
  const channel = await youtubeCall(client, token, '/youtube/v3/channels?part=contentDetails&mine=true')
  const { uploads } = (channel.items?.[0]?.contentDetails?.relatedPlaylists ?? {}) as { uploads?: string }
  const items = async () =>
    (
      await youtubeCall(
        client,
        token,
        `/youtube/v3/playlistItems?part=contentDetails&playlistId=${uploads ?? ''}`,
      )
    ).items
  expect(await items()).toEqual([])
  await client.control('POST', '/clock', { advance_s: 60 })
  expect(await items()).toMatchObject([{ contentDetails: { videoId: id } }])
})

test('a comment is public at once, and found by its author', async () => {
  const id = await upload()
  const channelId = (await list(id)).items?.[0]?.snippet?.channelId
  const body = (change: object = {}): object => ({
    snippet: {
      channelId,
      videoId: id,
      topLevelComment: { snippet: { textOriginal: 'First & best' } },
      ...change,
    },
  })
  const post = (what: object) => youtubeCall(client, token, '/youtube/v3/commentThreads?part=snippet', what)
  expect(reasonOf(await post(body({ channelId: undefined })))).toEqual([400, 'channelOrVideoIdMissing'])
  expect((await post(body())).status).toBe(200)
  const found = await youtubeCall(client, token, `/youtube/v3/commentThreads?part=snippet&videoId=${id}`)
  expect(found.items?.[0]?.snippet?.topLevelComment).toMatchObject({
    snippet: {
      textOriginal: 'First & best',
      textDisplay: 'First &amp; best',
      authorChannelId: { value: channelId },
    },
  })
  expect(await client.posts()).toMatchObject([{ comments: [{ account: 'nova', text: 'First & best' }] }])
})

test.each([{ selfDeclaredMadeForKids: true }, { privacyStatus: 'private' }])(
  'comments are off with %o',
  async (status) => {
    const id = await upload(resource({}, status))
    const found = await youtubeCall(client, token, `/youtube/v3/commentThreads?part=snippet&videoId=${id}`)
    expect(reasonOf(found)).toEqual([403, 'commentsDisabled'])
  },
)

const hasOwn = async (id: string): Promise<boolean> =>
  JSON.stringify(await list(id, 'snippet')).includes('?own=')

test('a thumbnail is ignored before processing has ended, and shown afterwards', async () => {
  const set = async (id: string): Promise<number> => {
    const answer = await fetch(`${client.url}/youtube/upload/youtube/v3/thumbnails/set?videoId=${id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'image/jpeg' },
      body: new Uint8Array([0xff, 0xd8, 0xff, 0xe0]),
    })
    return answer.status
  }
  await settings({ youtube_processing_ms: 60_000 })
  const id = await upload()
  expect([await set(id), await hasOwn(id)]).toEqual([200, false])
  await client.control('POST', '/clock', { advance_s: 60 })
  expect([await set(id), await hasOwn(id)]).toEqual([200, true])
  await until(client.posts, (posts) => posts.length === 1)
  expect(await (await fetch(client.url)).text()).toContain(`poster="/youtube/vi/${id}/hqdefault.jpg"`)
})

test.each(['full', 'reasons', 'status'])('errors have the shape "%s"', async (youtube_error_shape) => {
  await settings({ youtube_error_shape })
  const { error } = await initiate(resource({ title: '' }))
  expect([error?.errors !== undefined, error?.status !== undefined]).toEqual([
    youtube_error_shape !== 'status',
    youtube_error_shape !== 'reasons',
  ])
})

test('a scripted error names a reason of YouTube', async () => {
  const fault = { platform: 'youtube', call: 'initiate', fault: 'error', code: 'alreadyExists', status: 409 }
  await client.control('POST', '/faults', fault)
  expect(reasonOf(await initiate())).toEqual([409, 'alreadyExists'])
  expect((await initiate()).status).toBe(200)
})
