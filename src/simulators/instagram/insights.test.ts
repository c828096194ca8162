import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { graph, linkInstagram, sampleVideo, start, until, type Client } from '../test-client.ts'
import { startMediaHost, type MediaHost } from '../test-media-host.ts'

const PLAIN = 'instagram_business_basic,instagram_business_content_publish'
const SCOPE = 'instagram_business_manage_insights'
const DAY_S = 86_400

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
  token = await linkInstagram(client, 'nova', '', { scope: `${PLAIN},${SCOPE}` })
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

const read = (metric: string, access = token) => graph(client, access, `${mediaId}/insights?metric=${metric}`)
const advance = (seconds: number) => client.control('POST', '/clock', { advance_s: seconds })
const settings = (change: object) => client.control('POST', '/settings', change)
const turn = (visibility: string) =>
  client.control('POST', '/visibility', { platform: 'instagram', id: mediaId, visibility })

const percent = async () => {
  const address = `${client.url}/instagram/v25.0/${mediaId}/insights?metric=views`
  const { headers } = await fetch(address, { headers: { authorization: `Bearer ${token}` } })
  const usage = JSON.parse(headers.get('x-business-use-case-usage') ?? '{}') as object
  return (Object.values(usage) as { call_count: number }[][])[0]?.[0]?.call_count
}

test('numbers come after a delay, with an empty list before', async () => {
  await settings({ instagram_insights_delay_ms: 172_800_000 })
  await advance(DAY_S)
  expect(await read('views')).toMatchObject({ status: 200, data: [] })
  await advance(2 * DAY_S)
  const { data } = await read('views,reach,ig_reels_avg_watch_time')
  expect(data.map(({ name, period, id }) => [name, period, id])).toEqual(
    ['views', 'reach', 'ig_reels_avg_watch_time'].map((name) => [
      name,
      'lifetime',
      `${mediaId}/insights/${name}/lifetime`,
    ]),
  )
  const [views = 0, reach = 0] = data.map(({ values }) => (values as { value: number }[])[0]?.value)
  expect(views).toBeGreaterThan(40)
  expect(reach).toBeLessThan(views)
})

test('what would be zero, or is not told, is left out', async () => {
  await advance(DAY_S)
  await client.control('POST', '/numbers', {
    platform: 'instagram',
    id: mediaId,
    views: 9,
    likes: 0,
    saves: null,
  })
  const { data } = await read('views,likes,saved')
  expect(data).toMatchObject([{ name: 'views', values: [{ value: 9 }] }])
  expect(data).toHaveLength(1)
})

test.each([
  ['views,impressions', '(#100) metric[1] must be one of the following values: views'],
  [
    'follows,views',
    '(#100) The Media Insights API does not support the follows metric for this media product type.',
  ],
  ['facebook_views', '(#100) The Media Insights API does not support the facebook_views metric'],
  ['', '(#100) The parameter metric is required'],
])('one metric that is refused fails the whole call: %s', async (metric, words) => {
  const { status, error } = await read(metric)
  expect([status, error?.code]).toEqual([400, 100])
  expect(error?.message).toContain(words)
})

test('a metric can be withdrawn, and the refusal may name none', async () => {
  await settings({ instagram_retired_metrics: 'reach, saved' })
  const { error } = await read('views,reach')
  expect(error?.message).toContain('metric[1]')
  expect(error?.message).not.toContain('reach')
  expect(await read('views')).toMatchObject({ status: 200 })
  await settings({ instagram_metric_refusal: 'unnamed' })
  expect((await read('views,saved')).error?.message).toBe('(#100) The value must be a valid insights metric')
})

test('the permission is demanded, and may be taken away', async () => {
  const plain = await linkInstagram(client, 'nova', '', { scope: PLAIN })
  expect(await read('views', plain)).toMatchObject({ status: 403, error: { code: 10 } })
  await client.control('POST', '/withdraw', { platform: 'instagram', username: 'nova', scopes: [SCOPE] })
  expect(await read('views')).toMatchObject({ status: 403, error: { code: 10 } })
  await settings({ instagram_insights_refusal: 'missing' })
  expect(await read('views')).toMatchObject({ status: 400, error: { code: 100, error_subcode: 33 } })
  expect(await graph(client, token, `${mediaId}?fields=permalink`)).toMatchObject({ status: 200 })
})

test("another's, an archived and a deleted post do not exist", async () => {
  const gone = { status: 400, error: { code: 100, error_subcode: 33 } }
  const atlas = await linkInstagram(client, 'atlas', '', { scope: `${PLAIN},${SCOPE}` })
  expect(await read('views', atlas)).toMatchObject(gone)
  await turn('private')
  expect(await read('views')).toMatchObject(gone)
  expect(await graph(client, token, `${mediaId}?fields=id`)).toMatchObject(gone)
  expect((await graph(client, token, 'me/media')).data).toEqual([])
  await turn('public')
  expect(await read('views')).toMatchObject({ status: 200 })
  await turn('deleted')
  expect(await read('views')).toMatchObject(gone)
  expect(await client.posts()).toEqual([])
})

test('calls raise the usage, and end at the allowance of the hour', async () => {
  await settings({ instagram_insights_per_hour: 4 })
  expect([await percent(), await percent(), await percent(), await percent()]).toEqual([25, 50, 75, 100])
  expect(await read('views')).toMatchObject({ status: 400, error: { code: 80_002 } })
  await advance(3600)
  expect(await read('views')).toMatchObject({ status: 200 })
})
