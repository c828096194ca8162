import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startPractice } from '../practice.ts'
import {
  createClient,
  graph,
  initBody,
  linkInstagram,
  linkTikTok,
  putChunk,
  sampleVideo,
  tempDir,
  tiktokPost,
  until,
  type Client,
} from '../test-client.ts'

interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

let answer: { status: number; text: string }
let received: Received[]
let app: { url: string; close: () => Promise<unknown> }
let client: Client

async function listen(port = 0): Promise<typeof app> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      received.push({
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(parts).toString(),
      })
      response.writeHead(answer.status).end(answer.text)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()) }
}

const startAt = async (dir: string): Promise<Client> =>
  createClient(await startPractice({ port: 0, dir, appUrl: app.url }), dir)

beforeEach(async () => {
  answer = { status: 200, text: '{}' }
  received = []
  app = await listen()
  const dir = tempDir()
  // Keeps the redirect addresses that the clients of these tests send.
  client = await startAt(dir)
  for (const platform of ['tiktok', 'instagram'])
    await client.control('POST', '/apps', {
      platform,
      redirect_uris: [`http://localhost:4400/dashboard/oauth/${platform}/callback`],
    })
})
afterEach(async () => {
  await client.close()
  await app.close()
})

interface Listed {
  platform: string
  event: string
  account: string
  state: string
  tries: number
  status: number | null
  answer: string | null
}
const outbox = async (): Promise<Listed[]> => (await client.control('GET', '/outbox')) as Listed[]
const settings = (change: object) => client.control('POST', '/settings', change)
const disconnect = (platform: string) => client.control('POST', '/disconnect', { platform, username: 'nova' })
const delivered = (events: string[]) =>
  until(
    async () => (await outbox()).filter(({ state }) => state === 'delivered').map(({ event }) => event),
    (sent) => events.every((event) => sent.includes(event)),
  )
const eventOf = ({ body }: Received) => JSON.parse(body) as Record<string, unknown>

async function postToTikTok(
  info: Record<string, unknown> = {},
): Promise<{ publish_id: string; open_id: string }> {
  const { access_token, open_id } = await linkTikTok(client)
  const video = sampleVideo()
  const init = await tiktokPost(
    client,
    access_token,
    'video/init',
    initBody(video.length, video.length, 1, info),
  )
  await putChunk(init.data.upload_url, video, 0, video.length - 1)
  return { publish_id: init.data.publish_id, open_id }
}

describe('TikTok', () => {
  test('reports a complete and a public post once each, signed over the bytes', async () => {
    const { publish_id, open_id } = await postToTikTok()
    await delivered(['post.publish.complete', 'post.publish.publicly_available'])
    expect(received.map(({ path }) => path)).toEqual(['/hooks/tiktok/events', '/hooks/tiktok/events'])
    const [complete, available] = received.map(eventOf)
    expect(complete).toEqual({
      client_key: 'practice-tiktok-key',
      event: 'post.publish.complete',
      create_time: expect.any(Number) as number,
      user_openid: open_id,
      content: JSON.stringify({ publish_id, publish_type: 'DIRECT_PUBLISH' }),
    })
    const [post] = await client.posts()
    const postId = /video\/(\d+)$/.exec(post?.url ?? '')?.[1]
    expect(JSON.parse(String(available?.content))).toEqual({
      publish_id,
      post_id: postId,
      publish_type: 'DIRECT_PUBLISH',
    })
    for (const { headers, body } of received) {
      const [, t = '', s] = /^t=(\d+),s=([0-9a-f]{64})$/.exec(String(headers['tiktok-signature'])) ?? []
      expect(s).toBe(createHmac('sha256', 'practice-tiktok-secret').update(`${t}.${body}`).digest('hex'))
      expect(Math.abs(Number(t) - Date.now() / 1000)).toBeLessThan(60)
    }
  })

  test('reports each post once, a private one without id, a failed one with its reason', async () => {
    await settings({ tiktok_processing_ms: 3_600_000 })
    await postToTikTok({ privacy_level: 'SELF_ONLY' })
    await client.control('POST', '/accounts', { platform: 'tiktok', username: 'nova', banned: false })
    expect(await outbox()).toEqual([])
    await settings({ tiktok_processing_ms: 0 })
    await delivered(['post.publish.complete'])
    await client.control('POST', '/accounts', {
      platform: 'tiktok',
      username: 'nova',
      max_video_post_duration_sec: 1,
    })
    await postToTikTok()
    await delivered(['post.publish.failed'])
    expect((await outbox()).map(({ event }) => event)).toEqual([
      'post.publish.complete',
      'post.publish.failed',
    ])
    const failed = received.map(eventOf).find(({ event }) => event === 'post.publish.failed')
    expect(JSON.parse(String(failed?.content))).toMatchObject({ reason: 'duration_check_failed' })
  })

  test('reports that a post is no longer public when its creator goes private', async () => {
    await postToTikTok()
    await delivered(['post.publish.publicly_available'])
    await client.control('POST', '/accounts', { platform: 'tiktok', username: 'nova', private: true })
    await delivered(['post.publish.no_longer_publicaly_available'])
  })

  test('reports removed access, by the creator or by the app itself', async () => {
    const first = await linkTikTok(client)
    await disconnect('tiktok')
    const dead = await tiktokPost(client, first.access_token, 'creator_info/query', {})
    expect(dead.error.code).toBe('access_token_invalid')
    const second = await linkTikTok(client)
    await fetch(`${client.url}/tiktok/v2/oauth/revoke/`, {
      method: 'POST',
      body: new URLSearchParams({
        client_key: 'practice-tiktok-key',
        client_secret: 'practice-tiktok-secret',
        token: second.access_token,
      }),
    })
    await until(
      async () => received.length,
      (count) => count === 2,
    )
    expect(received.map(eventOf)).toMatchObject([
      { event: 'authorization.removed', user_openid: first.open_id, content: '{"reason":1}' },
      { event: 'authorization.removed', content: '{"reason":5}' },
    ])
  })
})

const payloadOf = ({ body }: Received): unknown => {
  const [signature, encoded = ''] = (new URLSearchParams(body).get('signed_request') ?? '').split('.')
  expect(signature).toBe(
    createHmac('sha256', 'practice-instagram-secret').update(encoded).digest('base64url'),
  )
  return JSON.parse(Buffer.from(encoded, 'base64url').toString())
}

describe('Meta', () => {
  test("reports a removed app with the account's app-scoped id, and ends the token", async () => {
    const token = await linkInstagram(client)
    const { id } = await graph(client, token, 'me?fields=id')
    await disconnect('instagram')
    expect((await graph(client, token, 'me')).error).toMatchObject({ code: 190 })
    await delivered(['deauthorize'])
    expect(received.map(({ path, headers }) => [path, headers['content-type']])).toEqual([
      ['/hooks/instagram/deauthorize', 'application/x-www-form-urlencoded'],
    ])
    expect(received.map(payloadOf)).toMatchObject([
      { user_id: id, algorithm: 'HMAC-SHA256', issued_at: expect.any(Number) as number },
    ])
  })

  test('repeats a deletion request until it is answered with an address and a code', async () => {
    await client.control('POST', '/forget', { platform: 'instagram', username: 'nova' })
    const [refused] = await until(outbox, ([webhook]) => (webhook?.tries ?? 0) > 0)
    expect(refused).toMatchObject({ state: 'waiting', status: 200 })
    answer.text = JSON.stringify({ url: 'https://app.example/x', confirmation_code: 'abc123' })
    await client.control('POST', '/clock', { advance_s: 60 })
    await delivered(['delete_data'])
    expect((await outbox())[0]?.answer).toBe(answer.text)
    expect(new Set(received.map(({ body }) => body)).size).toBe(1)
    await expect(
      client.control('POST', '/forget', { platform: 'tiktok', username: 'nova' }),
    ).rejects.toThrow()
    await expect(
      client.control('POST', '/disconnect', { platform: 'tiktok', username: 'nobody' }),
    ).rejects.toThrow()
  })
})

describe('the outbox', () => {
  test('retries with back-off and a new signature until accepted, for three days', async () => {
    answer.status = 500
    await disconnect('tiktok')
    await until(outbox, ([webhook]) => (webhook?.tries ?? 0) >= 1)
    await client.control('POST', '/clock', { advance_s: 1 })
    await until(outbox, ([webhook]) => (webhook?.tries ?? 0) >= 2)
    expect((await outbox())[0]).toMatchObject({ state: 'waiting', status: 500 })
    await client.control('POST', '/clock', { advance_s: 72 * 3600 })
    await until(outbox, ([webhook]) => webhook?.state === 'given_up')
    const signatures = received.map(({ headers }) => headers['tiktok-signature'])
    expect(new Set(signatures).size).toBe(signatures.length)
  })

  test('keeps webhooks for an unreachable app over a restart', async () => {
    const port = Number(new URL(app.url).port)
    await app.close()
    await disconnect('tiktok')
    await until(outbox, ([webhook]) => (webhook?.tries ?? 0) > 0)
    await client.close()
    app = await listen(port)
    client = await startAt(client.dir)
    await client.control('POST', '/clock', { advance_s: 3600 })
    await delivered(['authorization.removed'])
    expect(received).toHaveLength(1)
  })

  test('sends copies, late and out of order when a setting says so', async () => {
    await settings({ hooks_copies: 2, hooks_order: 'reversed', hooks_delay_ms: 60_000 })
    await disconnect('tiktok')
    await disconnect('instagram')
    expect((await outbox()).map(({ tries }) => tries)).toEqual([0, 0])
    await client.control('POST', '/clock', { advance_s: 120 })
    await delivered(['authorization.removed', 'deauthorize'])
    expect(received.map(({ path }) => path.split('/')[2])).toEqual([
      'instagram',
      'tiktok',
      'instagram',
      'tiktok',
      'instagram',
      'tiktok',
    ])
  })

  test('stays empty when webhooks are off', async () => {
    await settings({ hooks: 'off' })
    await disconnect('tiktok')
    await postToTikTok()
    await until(client.posts, (posts) => posts.length === 1)
    expect(await outbox()).toEqual([])
  })
})
