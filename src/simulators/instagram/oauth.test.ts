import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  consent,
  graph,
  instagramAuthorize,
  instagramToken,
  linkInstagram,
  start,
  type Client,
} from '../test-client.ts'

let client: Client
beforeAll(async () => {
  client = await start()
})
afterAll(() => client.close())

const authorizeUrl = (change: Record<string, string> = {}): string =>
  `${client.url}/instagram/oauth/authorize?${instagramAuthorize(change).toString()}`

const newCode = async (untick = ''): Promise<string> =>
  (await consent(authorizeUrl(), { creator: 'nova', decision: 'approve', untick })).searchParams.get(
    'code',
  ) ?? ''

test('approving leads back with a code, the state and "#_"', async () => {
  const back = await consent(authorizeUrl(), { creator: 'nova', decision: 'approve' })
  expect(back.searchParams.get('state')).toBe('a state')
  expect(back.hash).toBe('#_')
})

test.each([
  ['an address that is not registered', { redirect_uri: 'http://localhost:4400/' }, 'Invalid redirect_uri'],
  ['an unknown app', { client_id: '1' }, 'Invalid platform app'],
  ['a missing app id', { client_id: 'undefined' }, 'this page isn’t available'],
  ['an old scope', { scope: 'business_basic' }, 'Invalid scope'],
])('%s is refused on a page of its own', async (_name, change, text) => {
  const answer = await fetch(authorizeUrl(change), { redirect: 'manual' })
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain(text)
})

test("the short-lived token has an id beyond JavaScript's integers and a list of permissions", async () => {
  const text = await (await instagramToken(client, await newCode())).text()
  const number = /"user_id":(\d+)/.exec(text)?.[1]
  expect(String(Number(number))).not.toBe(number)
  expect(JSON.parse(text)).toMatchObject({
    permissions: ['instagram_business_basic', 'instagram_business_content_publish'],
  })
})

test('a code works once; errors of this host are flat', async () => {
  const code = await newCode()
  expect(await (await instagramToken(client, code, { redirect_uri: 'http://x/' })).json()).toMatchObject({
    error_message: 'Invalid redirect_uri',
  })
  expect((await instagramToken(client, code)).status).toBe(200)
  const again = await instagramToken(client, code)
  expect(again.status).toBe(400)
  expect(await again.json()).toEqual({
    error_type: 'OAuthException',
    code: 400,
    error_message: 'Matching code was not found or was already used',
  })
})

test('an unticked permission is missing from the list, and publishing without it is refused', async () => {
  const token = await linkInstagram(client, 'nova', 'instagram_business_content_publish')
  const refused = await graph(client, token, 'me/media', { media_type: 'REELS', video_url: 'http://x/a.mp4' })
  expect(refused.error?.code).toBe(10)
})

test('the exchange needs the right secret and a short token that is not an hour old', async () => {
  const exchange = async (access_token: string, client_secret: string): Promise<unknown> => {
    const query = new URLSearchParams({ grant_type: 'ig_exchange_token', client_secret, access_token })
    return (await fetch(`${client.url}/instagram/access_token?${query.toString()}`)).json()
  }
  const short = (await (await instagramToken(client, await newCode())).json()) as { access_token: string }
  expect(await exchange(short.access_token, 'wrong')).toMatchObject({ error: { code: 101 } })
  expect(await exchange(short.access_token, 'practice-instagram-secret')).toMatchObject({
    token_type: 'bearer',
    expires_in: 5_183_944,
  })
  await client.control('POST', '/clock', { advance_s: 3601 })
  expect(await exchange(short.access_token, 'practice-instagram-secret')).toMatchObject({
    error: { code: 190 },
  })
})

test('a token is refreshed by GET, from its 24th hour to its end', async () => {
  const token = await linkInstagram(client)
  const refresh = (method = 'GET'): Promise<Response> =>
    fetch(`${client.url}/instagram/refresh_access_token?grant_type=ig_refresh_token&access_token=${token}`, {
      method,
    })
  expect((await refresh()).status).toBe(400)
  await client.control('POST', '/clock', { advance_s: 86_401 })
  expect((await refresh('POST')).status).toBe(400)
  const fresh = (await (await refresh()).json()) as { access_token: string }
  expect(fresh.access_token).not.toBe(token)
  await client.control('POST', '/clock', { advance_s: 60 * 86_400 })
  expect(await (await refresh()).json()).toMatchObject({ error: { code: 190 } })
})

test('the profile is flat, with two different ids as strings', async () => {
  const me = await graph(
    client,
    await linkInstagram(client, 'atlas'),
    'me?fields=id,user_id,username,account_type',
  )
  expect(me).toMatchObject({ username: 'atlas', account_type: 'MEDIA_CREATOR' })
  expect(me.id).toMatch(/^2616\d{13}$/)
  expect(me.user_id).toMatch(/^178414\d{11}$/)
})

test('an unknown token is refused', async () => {
  expect((await graph(client, 'nonsense', 'me')).error?.code).toBe(190)
})

const askAt = async (path: string): Promise<{ status: number; error?: { code: number } }> => {
  const headers = { authorization: `Bearer ${await linkInstagram(client)}` }
  const answer = await fetch(`${client.url}/instagram${path}`, { headers })
  return { status: answer.status, ...((await answer.json()) as { error?: { code: number } }) }
}

test.each([
  '/v19.0/me',
  '/v20.0/me',
  '/v21.0/me',
  '/v26.0/me',
  '/me',
  '/me/media',
  '/me/content_publishing_limit',
])('Graph serves %s', async (path) => {
  expect((await askAt(path)).status).toBe(200)
})

test.each(['/v27.0/me', '/latest/me', '/v/me'])('Graph has no %s', async (path) => {
  expect(await askAt(path)).toMatchObject({ status: 400, error: { code: 2500 } })
})
