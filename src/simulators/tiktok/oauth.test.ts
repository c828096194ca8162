import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  consent,
  linkTikTok,
  start,
  tiktokAuthorize,
  tiktokCodeFields,
  tiktokToken,
  type Client,
  type TikTokTokens,
} from '../test-client.ts'

let client: Client
beforeAll(async () => {
  client = await start()
})
afterAll(() => client.close())

const authorizeUrl = (change: Record<string, string> = {}): string =>
  `${client.url}/tiktok/v2/auth/authorize/?${tiktokAuthorize(change).toString()}`

test('approving leads back with a code, the granted scopes and the state', async () => {
  const back = await consent(authorizeUrl(), { creator: 'nova', decision: 'approve' })
  expect(back.origin + back.pathname).toBe('http://localhost:4400/dashboard/oauth/tiktok/callback')
  expect(back.searchParams.get('scopes')).toBe('user.info.basic,video.publish')
  expect(back.searchParams.get('state')).toBe('a state')
  expect(back.search).toMatch(/code=[\w-]+%2A1%21\d+\.va/)
  const tokens = await tiktokToken(client, tiktokCodeFields(back.searchParams.get('code') ?? ''))
  expect(tokens).toMatchObject({
    expires_in: 86_400,
    refresh_expires_in: 31_536_000,
    scope: 'user.info.basic,video.publish',
    token_type: 'Bearer',
  })
})

test('refusing leads back with access_denied and no code', async () => {
  const back = await consent(authorizeUrl(), { creator: 'nova', decision: 'deny' })
  expect(back.searchParams.get('error')).toBe('access_denied')
  expect(back.searchParams.has('code')).toBe(false)
  expect(back.searchParams.get('state')).toBe('a state')
})

test('an unticked scope is not granted, and one field outside the granted scopes fails the whole profile', async () => {
  const tokens = await linkTikTok(client, 'atlas', 'video.publish')
  expect(tokens.scope).toBe('user.info.basic')
  const read = async (fields: string): Promise<Response> =>
    fetch(`${client.url}/tiktok/v2/user/info/?fields=${fields}`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    })
  expect(await (await read('open_id,display_name')).json()).toMatchObject({
    data: { user: { open_id: tokens.open_id, display_name: 'Atlas' } },
    error: { code: 'ok' },
  })
  const refused = await read('open_id,username')
  expect(refused.status).toBe(401)
  expect(await refused.json()).toMatchObject({ error: { code: 'scope_not_authorized' } })
})

test.each([
  [
    'a redirect address that is not registered to the letter',
    { redirect_uri: 'http://localhost:4400/dashboard/oauth/tiktok/callback/' },
  ],
  ['an unknown client', { client_key: 'someone' }],
  ['scopes separated by spaces', { scope: 'user.info.basic video.publish' }],
  ['a PKCE challenge in base64url', { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' }],
])('%s is refused on a page of its own', async (_name, change) => {
  const answer = await fetch(authorizeUrl(change), { redirect: 'manual' })
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain('Practice TikTok')
})

const newCode = async (): Promise<string> =>
  (await consent(authorizeUrl(), { creator: 'nova', decision: 'approve' })).searchParams.get('code') ?? ''

test('a code works once, for five minutes, with the same redirect address', async () => {
  const code = await newCode()
  expect(
    await tiktokToken(client, { ...tiktokCodeFields(code), redirect_uri: 'http://localhost:4400/' }),
  ).toMatchObject({ error: 'invalid_request' })
  expect(await tiktokToken(client, tiktokCodeFields(code))).toHaveProperty('access_token')
  expect(await tiktokToken(client, tiktokCodeFields(code))).toMatchObject({ error: 'invalid_grant' })
  const late = await newCode()
  await client.control('POST', '/clock', { advance_s: 301 })
  expect(await tiktokToken(client, tiktokCodeFields(late))).toMatchObject({ error: 'invalid_grant' })
})

test('the token endpoint takes forms only, and answers errors flat with HTTP 200', async () => {
  const answer = await fetch(`${client.url}/tiktok/v2/oauth/token/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_key: 'practice-tiktok-key' }),
  })
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({ error: 'invalid_request' })
  expect(await tiktokToken(client, { client_secret: 'wrong' })).toMatchObject({ error: 'invalid_client' })
})

const refresh = (token: string): Promise<unknown> =>
  tiktokToken(client, { grant_type: 'refresh_token', refresh_token: token })

const isAlive = async (accessToken: string): Promise<boolean> =>
  (
    await fetch(`${client.url}/tiktok/v2/user/info/?fields=open_id`, {
      headers: { authorization: `Bearer ${accessToken}` },
    })
  ).ok

test('refreshing rotates: the old refresh token repairs a lost answer, until the new pair is used', async () => {
  const first = await linkTikTok(client)
  const lost = (await refresh(first.refresh_token)) as TikTokTokens
  expect(lost.refresh_token).not.toBe(first.refresh_token)
  const second = (await refresh(first.refresh_token)) as TikTokTokens
  expect(await isAlive(lost.access_token)).toBe(false)
  expect(await isAlive(second.access_token)).toBe(true)
  expect(await refresh(first.refresh_token)).toMatchObject({ error: 'invalid_grant' })
  expect(await refresh(second.refresh_token)).toHaveProperty('access_token')
})

test('with rotation "at_once" the old refresh token is dead as soon as it was used', async () => {
  await client.control('POST', '/settings', { tiktok_refresh_rotation: 'at_once' })
  const { refresh_token } = await linkTikTok(client)
  expect(await refresh(refresh_token)).toHaveProperty('access_token')
  expect(await refresh(refresh_token)).toMatchObject({ error: 'invalid_grant' })
})

test('an access token lives for a day; revoking ends the whole grant', async () => {
  const tokens = await linkTikTok(client)
  await client.control('POST', '/clock', { advance_s: 86_401 })
  expect(await isAlive(tokens.access_token)).toBe(false)
  const fresh = (await refresh(tokens.refresh_token)) as TikTokTokens
  const revoked = await fetch(`${client.url}/tiktok/v2/oauth/revoke/`, {
    method: 'POST',
    body: new URLSearchParams({
      client_key: 'practice-tiktok-key',
      client_secret: 'practice-tiktok-secret',
      token: fresh.access_token,
    }),
  })
  expect([revoked.status, await revoked.text()]).toEqual([200, ''])
  expect(await isAlive(fresh.access_token)).toBe(false)
  expect(await refresh(fresh.refresh_token)).toMatchObject({ error: 'invalid_grant' })
})
