import { createHash } from 'node:crypto'
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

test('scopes beyond ours can be granted, and what TikTok does not know is refused', async () => {
  const scope = 'user.info.basic,user.info.profile,user.info.stats,video.list,video.publish'
  const tokens = await linkTikTok(client, 'nova', '', scope)
  expect(tokens.scope).toBe(scope)
  const refused = await fetch(authorizeUrl({ scope: 'user.info.basic,video.everything' }))
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('invalid_scope')])
})

test('an unticked scope is not granted, and a field that needs it fails the whole profile', async () => {
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
  ['a PKCE challenge without its method', { code_challenge: 'a'.repeat(64) }],
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

test('a code requested with a hex challenge needs its verifier', async () => {
  const verifier = 'a.b~c_d-'.repeat(6)
  const hash = createHash('sha256').update(verifier).digest('hex')
  const asked = { code_challenge: hash, code_challenge_method: 'S256' }
  const code = async (): Promise<string> =>
    (await consent(authorizeUrl(asked), { creator: 'nova', decision: 'approve' })).searchParams.get('code') ??
    ''
  expect(await tiktokToken(client, tiktokCodeFields(await code()))).toMatchObject({
    error: 'invalid_request',
  })
  for (const wrong of ['short', `${verifier}x`]) {
    const fields = { ...tiktokCodeFields(await code()), code_verifier: wrong }
    expect(await tiktokToken(client, fields)).toMatchObject({ error: 'invalid_request' })
  }
  const right = { ...tiktokCodeFields(await code()), code_verifier: verifier }
  expect(await tiktokToken(client, right)).toHaveProperty('access_token')
})

test('the status of errors is a setting', async () => {
  await client.control('POST', '/settings', { tiktok_oauth_error_status: 400 })
  const answer = await fetch(`${client.url}/tiktok/v2/oauth/token/`, {
    method: 'POST',
    body: new URLSearchParams({
      client_key: 'practice-tiktok-key',
      client_secret: 'practice-tiktok-secret',
      ...tiktokCodeFields('nonsense'),
    }),
  })
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ error: 'invalid_grant' })
  await client.control('POST', '/settings', { tiktok_oauth_error_status: 200 })
})

test("a user outside the sandbox's target users returns without a code", async () => {
  const outsider = { platform: 'tiktok', username: 'outsider', sandbox_target: false }
  await client.control('POST', '/accounts', outsider)
  const back = await consent(authorizeUrl(), { creator: 'outsider', decision: 'approve' })
  expect(back.searchParams.get('error_type')).toBe('non_sandbox_target')
  expect(back.searchParams.has('code')).toBe(false)
  expect(back.searchParams.get('state')).toBe('a state')
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

test('the old refresh token works after a lost answer until the new tokens are used', async () => {
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

test('with rotation "at_once" one of two refreshes at the same time finds its token dead', async () => {
  const { refresh_token } = await linkTikTok(client)
  const answers = await Promise.all([refresh(refresh_token), refresh(refresh_token)])
  expect(answers).toContainEqual(expect.objectContaining({ token_type: 'Bearer' }))
  expect(answers).toContainEqual(expect.objectContaining({ error: 'invalid_grant' }))
})

test('with rotation "never" the refresh token stays', async () => {
  await client.control('POST', '/settings', { tiktok_refresh_rotation: 'never' })
  const { refresh_token } = await linkTikTok(client)
  for (let n = 0; n < 2; n += 1) expect(await refresh(refresh_token)).toMatchObject({ refresh_token })
  await client.control('POST', '/settings', { tiktok_refresh_rotation: 'on_use' })
})

test('a creator who revokes access ends every token of every grant', async () => {
  const [one, two] = [await linkTikTok(client, 'atlas'), await linkTikTok(client, 'atlas')]
  const other = await linkTikTok(client, 'nova')
  await client.control('POST', '/disconnect', { platform: 'tiktok', username: 'atlas' })
  for (const tokens of [one, two]) {
    expect(await isAlive(tokens.access_token)).toBe(false)
    expect(await refresh(tokens.refresh_token)).toMatchObject({ error: 'invalid_grant' })
  }
  expect(await isAlive(other.access_token)).toBe(true)
  expect(await isAlive((await linkTikTok(client, 'atlas')).access_token)).toBe(true)
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
