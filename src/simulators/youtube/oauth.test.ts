import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  consent,
  linkYouTube,
  start,
  youtubeAuthorize,
  youtubeCall,
  youtubeCodeFields,
  youtubeToken,
  type Client,
  type YouTubeTokens,
} from '../test-client.ts'

let client: Client
beforeAll(async () => {
  client = await start()
})
afterAll(() => client.close())
beforeEach(() => client.control('DELETE', ''))

const authorizeUrl = (change: Record<string, string> = {}): string =>
  `${client.url}/youtube/o/oauth2/v2/auth?${youtubeAuthorize(change).toString()}`
const settings = (change: object): Promise<unknown> => client.control('POST', '/settings', change)
const later = (days: number): Promise<unknown> =>
  client.control('POST', '/clock', { advance_s: days * 86_400 })
const refresh = (token = ''): Promise<YouTubeTokens> =>
  youtubeToken(client, { grant_type: 'refresh_token', refresh_token: token })
const mine = (token: string) =>
  youtubeCall(client, token, '/youtube/v3/channels?part=id,snippet,status&mine=true')
const revoke = (token = ''): Promise<Response> =>
  fetch(`${client.url}/youtube/revoke`, { method: 'POST', body: new URLSearchParams({ token }) })

test.each([
  ['an address that is not registered', { redirect_uri: 'http://localhost:4400/' }, 'redirect_uri_mismatch'],
  ['an unknown app', { client_id: '1' }, 'invalid_client'],
  ['scopes with commas', { scope: 'openid,email' }, 'invalid_scope'],
  ['a challenge in hex', { code_challenge: 'a'.repeat(64), code_challenge_method: 'S256' }, 'code_challenge'],
])('%s is refused on a page of its own', async (_name, change, text) => {
  const answer = await fetch(authorizeUrl(change), { redirect: 'manual' })
  expect(answer.status).toBeGreaterThanOrEqual(400)
  expect(await answer.text()).toContain(text)
})

test('a refusal comes back with the state', async () => {
  const back = await consent(authorizeUrl(), { creator: 'nova', decision: 'deny' })
  expect(Object.fromEntries(back.searchParams)).toEqual({ error: 'access_denied', state: 'a state' })
})

test('a code works once, with the answer to its challenge', async () => {
  const verifier = 'v'.repeat(43)
  const code_challenge = createHash('sha256').update(verifier).digest('base64url')
  const url = authorizeUrl({ code_challenge, code_challenge_method: 'S256' })
  const back = await consent(url, { creator: 'nova', decision: 'approve' })
  const fields = youtubeCodeFields(back.searchParams.get('code') ?? '')
  expect(await youtubeToken(client, fields)).toMatchObject({ error: 'invalid_grant' })
  expect(await youtubeToken(client, { ...fields, code_verifier: verifier })).toMatchObject({
    expires_in: 3599,
    token_type: 'Bearer',
  })
  expect(await youtubeToken(client, { ...fields, code_verifier: verifier })).toMatchObject({
    error: 'invalid_grant',
  })
})

test('a refresh token needs access_type=offline, and a consent or the first time', async () => {
  expect((await linkYouTube(client, 'nova', { access_type: 'online' })).refresh_token).toBeUndefined()
  expect((await linkYouTube(client, 'atlas', { prompt: '' })).refresh_token).toMatch(/^1\/\//)
  expect((await linkYouTube(client, 'atlas', { prompt: '' })).refresh_token).toBeUndefined()
  expect((await linkYouTube(client, 'atlas')).refresh_token).toMatch(/^1\/\//)
})

test('an unticked box is missing from the scopes, and its calls are refused', async () => {
  const { access_token, scope } = await linkYouTube(client, 'nova', {}, 'youtube.readonly')
  expect(scope).toBe('https://www.googleapis.com/auth/youtube.upload')
  expect(await mine(access_token)).toMatchObject({
    status: 403,
    error: { errors: [{ reason: 'insufficientPermissions' }] },
  })
})

test('earlier scopes are included where the request asks for it', async () => {
  await linkYouTube(client)
  const scope = 'https://www.googleapis.com/auth/youtube.force-ssl'
  expect((await linkYouTube(client, 'nova', { scope })).scope.split(' ')).toHaveLength(1)
  const together = await linkYouTube(client, 'nova', { scope, include_granted_scopes: 'true' })
  expect(together.scope.split(' ')).toHaveLength(3)
})

test('openid brings the id of the Google account, the same for all of its channels', async () => {
  const scope = `openid ${youtubeAuthorize().get('scope') ?? ''}`
  const sub = async (creator: string): Promise<string> => {
    const { id_token = '' } = await linkYouTube(client, creator, { scope })
    const claims = Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString()
    return (JSON.parse(claims) as { sub: string }).sub
  }
  expect(await sub('atlas')).toBe(await sub('atlas.kitchen'))
  expect(await sub('atlas')).not.toBe(await sub('nova'))
})

test('each channel of a person is a link of its own', async () => {
  const ids = await Promise.all(
    ['atlas', 'atlas.kitchen', 'atlas.travel'].map(async (creator) => {
      const { items } = await mine((await linkYouTube(client, creator)).access_token)
      return items?.[0]?.id
    }),
  )
  expect(new Set(ids).size).toBe(3)
})

test.each([
  ['signup_required', 401, 'youtubeSignupRequired'],
  ['not_channel', 403, 'authenticatedUserNotChannel'],
  ['empty', 200, undefined],
])('a person without a channel is told as %s', async (youtube_no_channel, status, reason) => {
  await settings({ youtube_no_channel })
  const answer = await mine((await linkYouTube(client, 'lurker')).access_token)
  expect([answer.status, answer.error?.errors?.[0]?.reason, answer.items]).toEqual([
    status,
    reason,
    undefined,
  ])
})

test('a refresh gives an access token and keeps the refresh token', async () => {
  const { access_token, refresh_token } = await linkYouTube(client)
  await client.control('POST', '/clock', { advance_s: 3600 })
  expect(await mine(access_token)).toMatchObject({
    status: 401,
    error: { errors: [{ reason: 'authError' }] },
  })
  const fresh = await refresh(refresh_token)
  expect(fresh.refresh_token).toBeUndefined()
  expect((await mine(fresh.access_token)).status).toBe(200)
})

test('refresh tokens end after six months unused, and in Testing after seven days', async () => {
  const { refresh_token } = await linkYouTube(client)
  await later(179)
  expect((await refresh(refresh_token)).error).toBeUndefined()
  await later(8)
  await settings({ youtube_consent_screen: 'testing' })
  expect(await refresh(refresh_token)).toMatchObject({ error: 'invalid_grant' })
  await settings({ youtube_consent_screen: 'production' })
  await later(180)
  expect(await refresh(refresh_token)).toMatchObject({ error: 'invalid_grant' })
})

test('one refresh token too many ends the oldest of the person', async () => {
  await settings({ youtube_refresh_tokens_max: 2 })
  const tokens = [await linkYouTube(client, 'atlas'), await linkYouTube(client, 'atlas.kitchen')]
  await linkYouTube(client, 'atlas.travel')
  expect((await refresh(tokens[0]?.refresh_token)).error).toBe('invalid_grant')
  expect((await refresh(tokens[1]?.refresh_token)).error).toBeUndefined()
})

test('a revocation ends the access to all channels of the person', async () => {
  const atlas = await linkYouTube(client, 'atlas')
  const kitchen = await linkYouTube(client, 'atlas.kitchen')
  const nova = await linkYouTube(client, 'nova')
  expect((await revoke(atlas.refresh_token)).status).toBe(200)
  expect((await revoke(atlas.refresh_token)).status).toBe(400)
  expect((await mine(kitchen.access_token)).status).toBe(401)
  expect((await refresh(kitchen.refresh_token)).error).toBe('invalid_grant')
  expect((await mine(nova.access_token)).status).toBe(200)
})

test('a token in the address is refused', async () => {
  const { access_token } = await linkYouTube(client)
  const path = `/youtube/v3/channels?part=id&mine=true&access_token=${access_token}`
  expect((await youtubeCall(client, access_token, path)).status).toBe(401)
})
