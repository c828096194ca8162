import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { graph, linkInstagram, sampleVideo, start, until, type Client } from '../test-client.ts'
import { startMediaHost, type MediaHost } from '../test-media-host.ts'

const SCOPES =
  'instagram_business_basic,instagram_business_content_publish,instagram_business_manage_comments'

let client: Client
let host: MediaHost
let token: string
let mediaId: string

beforeAll(async () => {
  client = await start()
  const video = sampleVideo()
  host = await startMediaHost((request, response) => {
    if (request.url === '/robots.txt') return response.end('')
    response.setHeader('content-type', 'video/mp4').setHeader('content-length', video.length)
    return response.end(request.method === 'HEAD' ? undefined : video)
  })
})
afterAll(async () => {
  host.close()
  await client.close()
})
beforeEach(async () => {
  await client.control('DELETE', '')
  await client.control('POST', '/settings', { instagram_processing_ms: 0 })
  token = await linkInstagram(client, 'nova', '', { scope: SCOPES })
  const { id } = await graph(client, token, 'me/media', {
    media_type: 'REELS',
    video_url: `${host.url}/a.mp4`,
  })
  await until(
    () => graph(client, token, `${id}?fields=status_code`),
    (answer) => answer.status_code === 'FINISHED',
  )
  mediaId = (await graph(client, token, 'me/media_publish', { creation_id: id })).id
})

const comment = (message: string, of = mediaId) => graph(client, token, `${of}/comments`, { message })
const list = async (query = 'fields=id,text,username,timestamp') =>
  (await graph(client, token, `${mediaId}/comments?${query}`)).data

test('a comment is listed newest first, counted, and shown under its post', async () => {
  const first = await comment('#baking')
  const second = await comment('Recipe <soon>')
  expect(await list()).toMatchObject([
    { id: second.id, text: 'Recipe <soon>', username: 'nova' },
    { id: first.id, text: '#baking', username: 'nova' },
  ])
  expect(await list(`fields=id&after=${second.id}`)).toEqual([{ id: first.id }])
  expect(await graph(client, token, `${mediaId}?fields=comments_count`)).toMatchObject({ comments_count: 2 })
  expect((await client.posts())[0]?.comments).toEqual([
    { account: 'nova', text: '#baking' },
    { account: 'nova', text: 'Recipe <soon>' },
  ])
  expect(await (await fetch(client.url)).text()).toContain('Recipe &lt;soon&gt;')
})

test('a comment needs the permission, a post of the account, and a text that is not too long', async () => {
  expect(await comment('hello', '18000000000000001')).toMatchObject({
    error: { code: 100, error_subcode: 33 },
  })
  expect(await comment(' ')).toMatchObject({ error: { code: 100 } })
  expect(await comment('x'.repeat(2201))).toMatchObject({ error: { code: 100 } })
  expect(await comment('x'.repeat(2200))).toMatchObject({ status: 200 })
  token = await linkInstagram(client, 'atlas', '', { scope: SCOPES })
  expect(await comment('hello')).toMatchObject({ error: { code: 100, error_subcode: 33 } })
  token = await linkInstagram(client)
  expect(await comment('hello')).toMatchObject({ status: 403, error: { code: 10 } })
  expect((await client.posts())[0]?.comments).toHaveLength(1)
})

test('a comment that takes effect late is pending until then, and the same text again is flagged', async () => {
  const fault = { platform: 'instagram', call: 'comment', fault: 'late_effect', ms: 60_000, code: 2 }
  await client.control('POST', '/faults', fault)
  expect(await comment('#baking')).toMatchObject({ error: { code: 2 } })
  expect(await list()).toEqual([])
  expect(await client.control('GET', '/pending')).toMatchObject([{ state: 'late_comment' }])
  await client.control('POST', '/clock', { advance_s: 61 })
  expect(await list()).toMatchObject([{ text: '#baking' }])
  expect(await client.control('GET', '/pending')).toEqual([])
  await comment('#baking')
  expect((await client.calls()).at(-1)).toMatchObject({ call: 'comment', flag: 'commented_again' })
})

test('comments can be turned off and on, and nobody comments while they are off', async () => {
  const set = (comment_enabled: string) => graph(client, token, mediaId, { comment_enabled })
  const enabled = async () =>
    (await graph(client, token, `${mediaId}?fields=is_comment_enabled`)).is_comment_enabled
  expect(await set('false')).toMatchObject({ status: 200, success: true })
  expect(await set('false')).toMatchObject({ success: true })
  expect(await enabled()).toBe(false)
  expect(await comment('hello')).toMatchObject({ error: { code: 100 } })
  expect((await client.posts())[0]).toMatchObject({ comments_off: true, comments: [] })
  expect(await (await fetch(client.url)).text()).toContain('Comments are off.')
  expect(await set('perhaps')).toMatchObject({ error: { code: 100 } })
  expect(await set('true')).toMatchObject({ success: true })
  expect(await enabled()).toBe(true)
  token = await linkInstagram(client)
  expect(await set('false')).toMatchObject({ status: 403, error: { code: 10 } })
})

test('one comment is read by its id, with the fields of IG Comment', async () => {
  const { id } = await comment('Thank you')
  const fields = 'id,text,from{id,username},media{id},replies.limit(5){text,from},parent_id,hidden'
  const one = await graph(client, token, `${id}?fields=${fields}`)
  expect(one).toMatchObject({ id, text: 'Thank you', from: { username: 'nova' }, media: { id: mediaId } })
  expect(await list(`fields=${fields}`)).toMatchObject([{ id, hidden: false }])
  expect((await graph(client, token, `${id}?fields=text,loves`)).error).toMatchObject({ code: 100 })
  const basic = await linkInstagram(client)
  expect(await graph(client, basic, `${id}?fields=text`)).toMatchObject({ status: 403 })
})
