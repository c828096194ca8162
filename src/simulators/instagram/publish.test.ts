import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  graph,
  halfVideo,
  hollowVideo,
  linkInstagram,
  sampleVideo,
  start,
  until,
  type Client,
  type GraphAnswer,
} from '../test-client.ts'
import { startMediaHost, type MediaHost } from '../test-media-host.ts'

/** JFIF with a frame of 16 by 9 and this many colour components; the scan is too short for a decoder. */
const jpeg = (components: number) =>
  Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0]),
    Buffer.from([0xff, 0xc0, 0, 17, 8, 0, 16, 0, 9, components, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 1, 2, 3, 0xff, 0xd9]),
  ])
const JPEG = jpeg(3)

let client: Client
let token: string
let host: MediaHost
let robots = ''
let video = sampleVideo()
let contentType = 'video/mp4'
let cover = { type: 'image/jpeg', bytes: JPEG }
let seen: string[] = []

beforeAll(async () => {
  client = await start()
  host = await startMediaHost((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers['user-agent']}`)
    if (request.url === '/robots.txt') return response.setHeader('content-type', 'text/plain').end(robots)
    const body = request.url === '/cover.jpg' ? cover : { type: contentType, bytes: video }
    response.setHeader('content-type', body.type).setHeader('content-length', body.bytes.length)
    return response.end(request.method === 'HEAD' ? undefined : body.bytes)
  })
})
afterAll(async () => {
  host.close()
  await client.close()
})
beforeEach(async () => {
  await client.control('DELETE', '')
  await client.control('POST', '/settings', { instagram_processing_ms: 0 })
  token = await linkInstagram(client)
  robots = ''
  video = sampleVideo()
  contentType = 'video/mp4'
  cover = { type: 'image/jpeg', bytes: JPEG }
  seen = []
})

const create = (change: Record<string, string> = {}): Promise<GraphAnswer> =>
  graph(client, token, 'me/media', {
    media_type: 'REELS',
    video_url: `${host.url}/a.mp4`,
    caption: 'Hello',
    ...change,
  })
const read = (id: string): Promise<GraphAnswer> => graph(client, token, `${id}?fields=status_code,status`)
const settled = (id: string): Promise<GraphAnswer> =>
  until(
    () => read(id),
    (answer) => answer.status_code !== 'IN_PROGRESS',
  )
const publish = (id: string): Promise<GraphAnswer> =>
  graph(client, token, 'me/media_publish', { creation_id: id })
const ready = async (change: Record<string, string> = {}): Promise<string> => {
  const { id } = await create(change)
  expect((await settled(id)).status_code).toBe('FINISHED')
  return id
}

test('a reel is downloaded by Meta’s crawler, published, listed and found at its address', async () => {
  const container = await ready()
  const crawler = 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)'
  expect(seen).toContain(`GET /robots.txt ${crawler}`)
  expect(seen).toContain(`HEAD /a.mp4 ${crawler}`)
  expect(seen).toContain(`GET /a.mp4 ${crawler}`)
  const { id } = await publish(container)
  expect((await read(container)).status_code).toBe('PUBLISHED')
  const media = await graph(client, token, `${id}?fields=id,permalink,shortcode,timestamp,media_type`)
  expect(media).toMatchObject({
    media_type: 'VIDEO',
    permalink: `${client.url}/instagram/reel/${String(media.shortcode)}/`,
  })
  const since = Math.floor(Date.now() / 1000) - 60
  expect((await graph(client, token, `me/media?fields=id,caption&since=${since}`)).data).toEqual([
    { id, caption: 'Hello' },
  ])
  expect((await graph(client, token, `me/media?since=${since + 3600}`)).data).toEqual([])
  const posts = await client.posts()
  expect(posts).toMatchObject([
    {
      platform: 'instagram',
      account: 'nova',
      text: 'Hello',
      sha256: createHash('sha256').update(video).digest('hex'),
    },
  ])
  expect((await fetch(posts[0]?.url ?? '')).status).toBe(200)
})

test('a caption is answered as the text that it was', async () => {
  const { id } = await publish(await ready({ caption: '@int:5@' }))
  expect((await graph(client, token, 'me/media?fields=id,caption')).data).toEqual([
    { id, caption: '@int:5@' },
  ])
})

test('documented fields of a post are answered, unknown ones refused', async () => {
  const { id } = await publish(await ready())
  const fields = ['comments_count', 'like_count', 'is_comment_enabled', 'owner', 'thumbnail_url']
  const media = await graph(client, token, `${id}?fields=${fields.join(',')}`)
  expect(media).toMatchObject({ status: 200, comments_count: 0, like_count: 0, is_comment_enabled: true })
  expect(Object.keys(media)).toEqual(expect.arrayContaining(fields))
  expect((await graph(client, token, `${id}?fields=like_count,loves`)).error).toMatchObject({
    code: 100,
    message: '(#100) Tried accessing nonexisting field (loves)',
  })
})

test('fields that older clients read are known, and doubled slashes are one', async () => {
  const { id } = await publish(await ready())
  expect(await graph(client, token, `${id}?fields=ig_id,children{id,media_type}`)).toMatchObject({
    status: 200,
    ig_id: id,
  })
  for (const path of ['/instagram//me', '/instagram//v25.0//me', '/graph.instagram.com//me']) {
    const answer = await fetch(`${client.url}${path}?fields=ig_id,username&access_token=${token}`)
    expect(await answer.json()).toMatchObject({ ig_id: expect.any(String) as string, username: 'nova' })
  }
})

test('publishing before FINISHED is refused with 9007', async () => {
  await client.control('POST', '/settings', { instagram_processing_ms: 60_000 })
  const { id } = await create()
  expect((await publish(id)).error).toMatchObject({ code: 9007, error_subcode: 2207027 })
  await until(client.calls, (calls) => calls.some(({ call }) => call === 'fetch'))
  await client.control('POST', '/settings', { instagram_processing_ms: 0 })
  await settled(id)
  expect((await publish(id)).status).toBe(200)
})

test('publishing twice is refused and flagged', async () => {
  const container = await ready()
  await publish(container)
  expect((await publish(container)).error).toMatchObject({ code: 24, error_subcode: 2207008 })
  expect(await client.posts()).toHaveLength(1)
  expect((await client.calls()).at(-1)).toMatchObject({ call: 'publish', flag: 'published_again' })
})

test.each([
  ['drop_after', 'publish'],
  ['publish_error_but_live', 'publish'],
  ['status_500_after', 'publish'],
])('after %s the post is live exactly once', async (fault, call) => {
  const container = await ready()
  await client.control('POST', '/faults', { platform: 'instagram', call, fault })
  const answer = await publish(container).catch((error: unknown) => error)
  if (fault === 'publish_error_but_live')
    expect(answer).toMatchObject({ error: { code: 4, error_subcode: 2207051 } })
  expect((await read(container)).status_code).toBe('PUBLISHED')
  expect(await client.posts()).toHaveLength(1)
})

test('in a read outage a container that exists answers 100/33', async () => {
  const container = await ready()
  await client.control('POST', '/faults', { platform: 'instagram', call: 'container', fault: 'not_found' })
  expect((await read(container)).error).toMatchObject({ code: 100, error_subcode: 33 })
  expect((await read(container)).status_code).toBe('FINISHED')
})

test.each([
  ['a refusal', { code: 9007, subcode: 2207027 }],
  ['no answer', {}],
])('after %s with late_effect the container stays FINISHED until the delay is over', async (_, error) => {
  const container = await ready()
  const fault = { platform: 'instagram', call: 'publish', fault: 'late_effect', ms: 90_000, ...error }
  await client.control('POST', '/faults', fault)
  const answer = await publish(container).catch(() => null)
  if ('code' in error) expect(answer?.error).toMatchObject({ code: 9007, error_subcode: 2207027 })
  else expect(answer).toBeNull()
  await client.control('POST', '/clock', { advance_s: 80 })
  expect((await read(container)).status_code).toBe('FINISHED')
  expect(await client.posts()).toEqual([])
  expect(await client.control('GET', '/pending')).toMatchObject([{ account: 'nova', state: 'late_publish' }])
  await client.control('POST', '/clock', { advance_s: 10 })
  expect((await read(container)).status_code).toBe('PUBLISHED')
  expect(await client.posts()).toHaveLength(1)
  expect(await client.control('GET', '/pending')).toEqual([])
})

test('a second publish before a late effect makes a second post', async () => {
  const container = await ready()
  const fault = {
    platform: 'instagram',
    call: 'publish',
    fault: 'late_effect',
    ms: 90_000,
    code: 2,
    status: 500,
  }
  await client.control('POST', '/faults', fault)
  expect((await publish(container)).status).toBe(500)
  expect((await publish(container)).status).toBe(200)
  await client.control('POST', '/clock', { advance_s: 90 })
  expect(await client.posts()).toHaveLength(2)
})

test('late_effect is refused for other calls', async () => {
  const fault = { platform: 'instagram', call: 'create', fault: 'late_effect' }
  await expect(client.control('POST', '/faults', fault)).rejects.toThrow('takes effect late')
})

test('after drop_before nothing is live', async () => {
  const container = await ready()
  await client.control('POST', '/faults', { platform: 'instagram', call: 'publish', fault: 'drop_before' })
  await expect(publish(container)).rejects.toThrow()
  expect((await read(container)).status_code).toBe('FINISHED')
  expect(await client.posts()).toEqual([])
})

test('robots.txt is obeyed', async () => {
  robots = 'User-agent: *\nDisallow: /\n'
  const { id } = await create()
  expect(await settled(id)).toMatchObject({
    status_code: 'ERROR',
    sentence: 'Error: Media upload has failed with error code 2207052',
  })
  expect(seen.some((line) => line.includes('/a.mp4'))).toBe(false)
  robots = 'User-agent: *\nDisallow: /\n\nUser-agent: facebookexternalhit\nAllow: /\n'
  await ready()
})

test.each([
  ['no video type', () => (contentType = 'application/octet-stream'), '2207052'],
  ['no video', () => (video = Buffer.alloc(5000, 1)), '2207026'],
  ['an index behind the media', () => (video = Buffer.concat([mdat, sampleVideo()])), '2207026'],
  ['half a file', () => (video = halfVideo()), '2207026'],
  ['media data of zeros', () => (video = hollowVideo()), '2207026'],
  // AudioSpecificConfig: AAC-LC, 48 kHz, 2 channels become 6.
  ['5.1 sound', () => (video = changedVideo('esds', [0x11, 0x90], [0x11, 0xb0])), '2207026'],
  // H.264's High 4:2:2 profile replaces the sample's own.
  ['other chroma', () => (video = changedVideo('avcC', [0x01, 0x64], [0x01, 0x7a])), '2207026'],
])('%s ends in ERROR', async (_name, arrange, code) => {
  arrange()
  const { id } = await create()
  expect(await settled(id)).toMatchObject({
    status_code: 'ERROR',
    sentence: expect.stringContaining(code) as string,
  })
})

test('QuickTime that begins without ftyp is read', async () => {
  video = sampleVideo()
  video.write('free', 4, 'latin1')
  contentType = 'video/quicktime'
  await ready()
})

function changedVideo(box: string, from: number[], to: number[]): Buffer {
  const changed = sampleVideo()
  const at = changed.indexOf(Buffer.from(from), changed.indexOf(box, 0, 'latin1'))
  Buffer.from(to).copy(changed, at)
  return changed
}

const mdat = Buffer.from([0, 0, 0, 16, ...Buffer.from('mdat'), 0, 0, 0, 0, 0, 0, 0, 0])

test('a host that cannot be reached ends in 2207003', async () => {
  const { id } = await create({ video_url: 'http://127.0.0.1:1/a.mp4' })
  expect((await settled(id)).sentence).toContain('2207003')
})

test.each([
  ['no URL', { media_type: 'REELS', video_url: '', upload_type: 'resumable' }, 100, undefined],
  ['a long caption', { caption: 'x'.repeat(2201) }, 36004, 2207010],
  ['a negative thumb_offset', { thumb_offset: '-1' }, 1, 2207057],
  ['a thumb_offset in seconds', { thumb_offset: '1.5' }, 100, undefined],
  ['a thumb_offset without digits', { thumb_offset: '' }, 100, undefined],
  ['four collaborators', { collaborators: '["a","b","c","d"]' }, 100, undefined],
  ['a collaborator with @', { collaborators: '["@a"]' }, 100, undefined],
  ['a tag with a place', { user_tags: '[{"username":"a","x":0.5,"y":0.5}]' }, 100, undefined],
  ['tags that are no list', { user_tags: 'a' }, 100, undefined],
  ['a trial reel that never graduates', { trial_params: '{"graduation_strategy":"NEVER"}' }, 100, undefined],
  ['a URL beyond ASCII', { video_url: 'http://x/ü.mp4' }, 100, undefined],
  ['an unknown media type', { media_type: 'FILM' }, 100, 2207023],
])('%s is refused at once', async (_name, change, code, subcode) => {
  const { error } = await create(change)
  expect([error?.code, error?.error_subcode]).toEqual([code, subcode])
})

test('a VIDEO container is created but cannot be published', async () => {
  const container = await ready({ media_type: 'VIDEO' })
  expect((await publish(container)).error).toMatchObject({ code: 100, error_subcode: 2207089 })
})

test('a container dies after 24 hours', async () => {
  const container = await ready()
  await client.control('POST', '/clock', { advance_s: 86_400 })
  expect((await read(container)).status_code).toBe('EXPIRED')
  expect((await publish(container)).error?.code).toBe(24)
})

test('the daily limit is reported and enforced', async () => {
  await client.control('POST', '/accounts', { platform: 'instagram', username: 'nova', daily_limit: 1 })
  const before = Math.floor(Date.now() / 1000) - 5
  await publish(await ready())
  const limit = await graph(
    client,
    token,
    `me/content_publishing_limit?fields=config,quota_usage&since=${before}`,
  )
  expect(limit.data).toEqual([{ quota_usage: 1, config: { quota_total: 1, quota_duration: 86_400 } }])
  expect((await publish(await ready())).error).toMatchObject({ code: 9, error_subcode: 2207042 })
})

test('an own cover is fetched and kept with the post, and no moment beside it is looked at', async () => {
  const coverUrl = `${host.url}/cover.jpg`
  await publish(await ready({ cover_url: coverUrl, thumb_offset: '900000' }))
  const cover_sha256 = createHash('sha256').update(JPEG).digest('hex')
  expect(await client.posts()).toMatchObject([{ options: { cover_url: coverUrl, cover_sha256 } }])
})

test.each([
  ['is no JPEG by its type', { type: 'image/png', bytes: JPEG }, 2207005],
  ['is no JPEG by its bytes', { type: 'image/jpeg', bytes: Buffer.from('GIF89a, not a JPEG') }, 2207005],
  ['is in CMYK', { type: 'image/jpeg', bytes: jpeg(4) }, 2207005],
  ['is cut off', { type: 'image/jpeg', bytes: JPEG.subarray(0, -2) }, 2207005],
  ['has more than 8 MB', { type: 'image/jpeg', bytes: Buffer.concat([JPEG, Buffer.alloc(8e6)]) }, 2207004],
])('a cover that %s ends the container in ERROR', async (_what, wrong, subcode) => {
  cover = wrong
  const { id } = await create({ cover_url: `${host.url}/cover.jpg` })
  expect(await settled(id)).toMatchObject({
    status_code: 'ERROR',
    sentence: `Error: Media upload has failed with error code ${subcode}`,
  })
})

test('a cover that cannot be reached ends the container in ERROR, another address is refused', async () => {
  robots = 'User-agent: *\nDisallow: /cover.jpg\n'
  const { id } = await create({ cover_url: `${host.url}/cover.jpg` })
  expect((await settled(id)).sentence).toContain('2207052')
  const refused = await create({ cover_url: 'https://cover.example/ü.jpg' })
  expect(refused.error).toMatchObject({ code: 100, message: expect.stringContaining('cover_url') as string })
})
