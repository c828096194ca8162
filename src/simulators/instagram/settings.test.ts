import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  consent,
  graph,
  instagramAuthorize,
  instagramToken,
  linkInstagram,
  sampleVideo,
  start,
  until,
  type Client,
  type GraphAnswer,
} from '../test-client.ts'
import { startMediaHost, type MediaHost } from '../test-media-host.ts'

// Each side of every open question between documentation and reality, and every possible failure.

let client: Client
let token: string
let host: MediaHost
let serve: (path: string, response: ServerResponse) => unknown

beforeAll(async () => {
  client = await start()
  host = await startMediaHost((request, response) => {
    if (request.url === '/robots.txt') return response.writeHead(404).end()
    response.setHeader('content-type', 'video/mp4')
    return serve(request.url ?? '', response)
  })
})
afterAll(async () => {
  host.close()
  await client.close()
})
const sends =
  (video: Buffer): typeof serve =>
  (_path, response) =>
    response.setHeader('content-length', video.length).end(response.req.method === 'HEAD' ? undefined : video)
beforeEach(async () => {
  await client.control('DELETE', '')
  await set({ instagram_processing_ms: 0 })
  token = await linkInstagram(client)
  serve = sends(sampleVideo())
})

const set = (settings: Record<string, unknown>): Promise<unknown> =>
  client.control('POST', '/settings', settings)
const fault = (call: string, kind: string, more: object = {}): Promise<unknown> =>
  client.control('POST', '/faults', { platform: 'instagram', call, fault: kind, ...more })
const advance = (seconds: number): Promise<unknown> =>
  client.control('POST', '/clock', { advance_s: seconds })
const create = (change: Record<string, string> = {}): Promise<GraphAnswer> =>
  graph(client, token, 'me/media', { media_type: 'REELS', video_url: `${host.url}/a.mp4`, ...change })
const read = (id: string): Promise<GraphAnswer> => graph(client, token, `${id}?fields=status_code,status`)
const settled = (id: string): Promise<GraphAnswer> =>
  until(
    () => read(id),
    (answer) => answer.status_code !== 'IN_PROGRESS',
  )
const publish = (id: string): Promise<GraphAnswer> =>
  graph(client, token, 'me/media_publish', { creation_id: id })
const ready = async (): Promise<string> => {
  const { id } = await create()
  expect((await settled(id)).status_code).toBe('FINISHED')
  return id
}
const newCode = async (): Promise<string> => {
  const url = `${client.url}/instagram/oauth/authorize?${instagramAuthorize().toString()}`
  return (await consent(url, { creator: 'nova', decision: 'approve' })).searchParams.get('code') ?? ''
}
const flagged = async (): Promise<number> =>
  (await client.calls()).filter(({ flag }) => flag === 'published_again').length

describe('linking', () => {
  test('the short token comes wrapped, with its permissions as a text', async () => {
    await set({ instagram_token_shape: 'data', instagram_permissions_shape: 'string' })
    expect(await (await instagramToken(client, await newCode())).json()).toMatchObject({
      data: [{ permissions: 'instagram_business_basic,instagram_business_content_publish' }],
    })
  })

  test('a code expires after an hour', async () => {
    const code = await newCode()
    await advance(3600)
    expect(await (await instagramToken(client, code)).json()).toMatchObject({
      error_message: 'This authorization code has expired',
    })
  })

  test('an expired token is refused', async () => {
    await advance(61 * 86_400)
    expect(await graph(client, token, 'me')).toMatchObject({
      status: 400,
      error: { code: 190, error_subcode: 463 },
    })
  })

  test('a refresh can end the token that it was made with', async () => {
    const refresh = (of: string): Promise<Response> =>
      fetch(`${client.url}/instagram/refresh_access_token?grant_type=ig_refresh_token&access_token=${of}`)
    await advance(86_401)
    await refresh(token)
    expect((await graph(client, token, 'me')).status).toBe(200)
    await set({ instagram_refresh_ends_old: true })
    await refresh(token)
    expect((await graph(client, token, 'me')).error?.code).toBe(190)
  })

  test('a removed app is answered differently from an expired token', async () => {
    await client.control('POST', '/disconnect', { platform: 'instagram', username: 'nova' })
    expect((await graph(client, token, 'me')).error).toMatchObject({ code: 190, error_subcode: 458 })
  })

  test('a profile comes wrapped, with ids that no number holds, and its type as documented', async () => {
    await set({
      instagram_me_shape: 'data',
      instagram_ids: 'number',
      instagram_account_type_case: 'documented',
    })
    const answer = await fetch(`${client.url}/instagram/v25.0/me?fields=id,user_id,account_type`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(await answer.text()).toMatch(
      /^\{"data":\[\{"id":2616\d{13},"user_id":178414\d{11},"account_type":"Business"\}\]\}$/,
    )
  })

  test('a personal account can be linked and cannot publish', async () => {
    await client.control('POST', '/accounts', {
      platform: 'instagram',
      username: 'nova',
      account_type: 'PERSONAL',
    })
    expect((await graph(client, token, 'me?fields=account_type')).account_type).toBe('PERSONAL')
    expect((await create()).error).toMatchObject({
      code: 10,
      message: 'the user is not an instagram business',
    })
  })
})

const ask = async (path: string, init: RequestInit = {}): Promise<unknown> => {
  const answer = await fetch(`${client.url}/${path}`, {
    headers: { authorization: `Bearer ${token}` },
    ...init,
  })
  return answer.json().catch(() => answer.status)
}

describe('each host knows only its own calls', () => {
  test('graph.instagram.com has the accounts, and no codes', async () => {
    expect(await ask('graph.instagram.com/v25.0/me')).toHaveProperty('id')
    expect(await ask('graph.instagram.com/oauth/access_token', { method: 'POST' })).toHaveProperty(
      'error.code',
    )
  })

  test('api.instagram.com has the codes, and no accounts', async () => {
    expect(await ask('api.instagram.com/oauth/access_token', { method: 'POST' })).toMatchObject({
      error_type: 'OAuthException',
    })
    expect(await ask('api.instagram.com/v25.0/me')).toHaveProperty('error_message')
  })

  test('www.instagram.com has the consent page', async () => {
    const page = await fetch(
      `${client.url}/www.instagram.com/oauth/authorize?${instagramAuthorize().toString()}`,
    )
    expect(page.status).toBe(200)
    expect(await ask('www.instagram.com/v25.0/me')).toBe(404)
  })

  test('graph.facebook.com does not know the token', async () => {
    expect(await ask('graph.facebook.com/v25.0/me')).toMatchObject({
      error: { code: 190, message: expect.stringContaining('Cannot parse access token') as string },
    })
  })

  test('rupload.facebook.com takes no bytes, in a shape of its own', async () => {
    expect(
      await ask('rupload.facebook.com/ig-api-upload/v25.0/1', { method: 'POST', body: 'x' }),
    ).toMatchObject({
      debug_info: { retriable: false, type: 'NotAuthorizedError' },
    })
  })
})

const refusedFor = async (change: Record<string, string> = {}): Promise<string> => {
  const { id } = await create(change)
  const answer = await settled(id)
  expect(answer.status_code).toBe('ERROR')
  return /\d{7}/.exec(String(answer.sentence))?.[0] ?? ''
}

const fixture = (name: string): Buffer =>
  readFileSync(join(import.meta.dirname, '../../../test/fixtures', name))

describe('the crawler', () => {
  test('gives up on a host that stops sending', async () => {
    await set({ instagram_fetch_timeout_ms: 100 })
    serve = () => undefined
    expect(await refusedFor()).toBe('2207003')
    host.disconnect()
  })

  test('follows three redirects and no more', async () => {
    const video = sends(sampleVideo())
    let hops = 3
    serve = (path, response) => {
      const hop = Number(path.slice(2))
      return hop === hops
        ? video(path, response)
        : response.writeHead(302, { location: `/r${hop + 1}` }).end()
    }
    expect((await settled((await create({ video_url: `${host.url}/r0` })).id)).status_code).toBe('FINISHED')
    hops = 4
    expect(await refusedFor({ video_url: `${host.url}/r0` })).toBe('2207052')
  })

  test.each([404, 500])('does not accept an answer with status %i', async (status) => {
    serve = (_path, response) => response.writeHead(status).end()
    expect(await refusedFor()).toBe('2207052')
  })

  test.each([
    ['less than three seconds', () => sends(fixture('short.mp4'))],
    ['an index at the end', () => sends(fixture('moov-last.mp4'))],
    ['neither MP4 nor MOV', () => sends(fixture('vp9.webm'))],
    ['wider than 1920 pixels', () => sends(wider(sampleVideo(), 2160))],
    [
      'more than 300 MB',
      () => (_path: string, response: ServerResponse) =>
        response.setHeader('content-length', 300_000_001).end(),
    ],
  ])('does not take a video of %s', async (_name, video) => {
    serve = video()
    expect(await refusedFor()).toBe('2207026')
  })

  test('refuses a cover time beyond the end of the video', async () => {
    expect(await refusedFor({ thumb_offset: '9999999' })).toBe('2207057')
  })
})

function wider(video: Buffer, width: number): Buffer {
  const copy = Buffer.from(video)
  const entry = copy.indexOf('avc1', copy.indexOf('stsd'))
  copy.writeUInt16BE(width, entry + 28)
  const track = copy.indexOf('tkhd')
  copy.writeUInt16BE(width, track - 4 + copy.readUInt32BE(track - 4) - 8)
  return copy
}

describe('containers and posts', () => {
  test('the 401st container of a day is refused', async () => {
    const answers: GraphAnswer[] = []
    for (let each = 0; each < 400; each += 1)
      answers.push(await create({ video_url: 'http://127.0.0.1:1/a.mp4' }))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect((await create()).error).toMatchObject({ code: 9, error_subcode: 2207042 })
    await advance(86_401)
    expect((await create()).status).toBe(200)
  })

  test.each([25, 50, 100])('an account may post %i times a day', async (total) => {
    await set({ instagram_quota_total: total })
    const limit = await graph(client, token, 'me/content_publishing_limit?fields=config,quota_usage')
    expect(limit.data).toEqual([{ quota_usage: 0, config: { quota_total: total, quota_duration: 86_400 } }])
  })

  test('without fields only the usage is told, and no time is taken that is older than a day', async () => {
    expect((await graph(client, token, 'me/content_publishing_limit')).data).toEqual([{ quota_usage: 0 }])
    const old = Math.floor(Date.now() / 1000) - 90_000
    expect((await graph(client, token, `me/content_publishing_limit?since=${old}`)).error?.code).toBe(100)
  })

  test('an incomplete list names its next page', async () => {
    await publish(await ready())
    await publish(await ready())
    expect(await graph(client, token, 'me/media?limit=1')).toHaveProperty('paging.next')
    expect(await graph(client, token, 'me/media?limit=2')).not.toHaveProperty('paging.next')
  })

  test('texts are missing from the list where they are said to be', async () => {
    await set({ instagram_caption_in_list: false })
    const container = await create({ caption: 'Hello' })
    await settled(container.id)
    const { id } = await publish(container.id)
    expect((await graph(client, token, 'me/media?fields=id,caption')).data).toEqual([{ id }])
  })

  test.each([
    ['refused', 400, 1],
    ['same_id', 200, 1],
    ['posts_again', 200, 2],
  ])('publishing a published container: %s', async (what, status, live) => {
    await set({ instagram_published_again: what })
    const id = await ready()
    const first = await publish(id)
    const second = await publish(id)
    expect(second.status).toBe(status)
    expect(second.id === first.id).toBe(what === 'same_id')
    expect(await client.posts()).toHaveLength(live)
    // A careful client would not have asked, whatever the outcome.
    expect(await flagged()).toBe(1)
  })

  test('a banned account is refused', async () => {
    const id = await ready()
    await client.control('POST', '/accounts', { platform: 'instagram', username: 'nova', banned: true })
    expect((await publish(id)).error).toMatchObject({ code: 25, error_subcode: 2207050 })
  })
})

describe('faults', () => {
  test.each(['hang', 'slow'])('publishing works, and %ss', async (kind) => {
    const id = await ready()
    await fault('publish', kind, { ms: 60_000 })
    const body = new URLSearchParams({ creation_id: id })
    const headers = { authorization: `Bearer ${token}` }
    const asked = fetch(`${client.url}/instagram/v25.0/me/media_publish`, {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(500),
    })
    await expect(asked).rejects.toThrow('aborted due to timeout')
    expect(await client.posts()).toHaveLength(1)
  })

  test('an answer comes in two parts', async () => {
    await fault('me', 'slow_body', { ms: 50 })
    expect((await graph(client, token, 'me')).id).toMatch(/^\d+$/)
  })

  test('any error can be answered, to a call that was carried out or not', async () => {
    const id = await ready()
    await fault('publish', 'error', { code: 24, subcode: 2_207_008 })
    expect(await publish(id)).toMatchObject({ status: 400, error: { code: 24, error_subcode: 2_207_008 } })
    expect(await client.posts()).toHaveLength(0)
    await fault('publish', 'error_after', { code: 506, status: 403 })
    expect(await publish(id)).toMatchObject({ status: 403, error: { code: 506 } })
    expect(await client.posts()).toHaveLength(1)
    await expect(fault('publish', 'error')).rejects.toThrow('code and status must be numbers')
    await expect(
      client.control('POST', '/faults', { platform: 'tiktok', call: 'init', fault: 'error', code: 1 }),
    ).rejects.toThrow('only errors of Instagram are numbers')
  })

  test('the address of a post cannot be read for a while', async () => {
    const { id } = await publish(await ready())
    await fault('media', 'not_found', { times: 2 })
    const looks = [1, 2, 3].map(() => graph(client, token, `${id}?fields=permalink`))
    expect((await Promise.all(looks)).filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test.each([
    ['es', 'No se pudo completar la acción'],
    ['th', 'ไม่สามารถดำเนินการได้'],
  ])('what is meant for the owner of the account comes in %s', async (language, title) => {
    await set({ instagram_error_language: language })
    expect((await create({ media_type: 'FILM' })).error).toMatchObject({ code: 100, error_user_title: title })
  })
})
