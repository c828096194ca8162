import { afterEach, expect, test } from 'vitest'
import type { Tokens } from '../kit/platform.ts'
import { scriptedServer } from '../kit/scripted-server.ts'
import type { Scripted, ScriptedServer } from '../kit/scripted-server.ts'
import { createTikTok } from './index.ts'

const TOKEN = '/v2/oauth/token/'
const NOW = 1_800_000_000_000
const DAY_MS = 86_400_000

let server: ScriptedServer
afterEach(() => server.close())

const tiktok = () =>
  createTikTok(
    {
      mode: 'practice',
      clientKey: 'key',
      clientSecret: 'secret',
      authorizeUrl: 'https://www.tiktok.com/v2/auth/authorize/',
      apiUrl: server.url,
      uploadHosts: [],
      postUrl: server.url,
      appAudited: true,
    },
    () => NOW,
  )

const answer = (body: object): Scripted => ({ body: JSON.stringify(body) })
const PAIR = {
  access_token: 'act.2',
  expires_in: 86_400,
  open_id: '-000AbC',
  refresh_expires_in: 31_536_000,
  refresh_token: 'rft.2',
  scope: 'user.info.basic, video.publish',
  token_type: 'Bearer',
}
const OLD: Tokens = {
  accessToken: 'act.1',
  accessExpiresAt: NOW,
  refreshToken: 'rft.1',
  refreshExpiresAt: NOW + 9 * DAY_MS,
  issuedAt: NOW - DAY_MS,
}

test('the consent page is always shown, and its scopes are separated by commas', async () => {
  server = await scriptedServer({})
  const url = new URL(
    tiktok().authorizeUrl({
      state: 's',
      redirectUri: 'https://a.example/cb',
      extraScopes: ['video.upload'],
      codeVerifier: 'cv',
    }),
  )
  expect(url.origin + url.pathname).toBe('https://www.tiktok.com/v2/auth/authorize/')
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_key: 'key',
    response_type: 'code',
    scope: 'user.info.basic,video.upload,video.publish',
    redirect_uri: 'https://a.example/cb',
    state: 's',
    disable_auto_auth: '1',
  })
})

test('a code with * and ! arrives to the letter, and an open_id keeps its dash', async () => {
  server = await scriptedServer({ [TOKEN]: [answer(PAIR)] })
  const code = 'AbC*1!4608.va'
  expect(
    await tiktok().exchangeCode({ code, redirectUri: 'https://a.example/cb', codeVerifier: 'cv' }),
  ).toMatchObject({
    ok: true,
    value: {
      externalId: '-000AbC',
      scopes: ['user.info.basic', 'video.publish'],
      tokens: { accessExpiresAt: NOW + DAY_MS, refreshExpiresAt: NOW + 365 * DAY_MS },
    },
  })
  const [request] = server.requests
  expect(request?.headers['content-type']).toContain('application/x-www-form-urlencoded')
  expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
    client_key: 'key',
    client_secret: 'secret',
    grant_type: 'authorization_code',
    code,
    redirect_uri: 'https://a.example/cb',
  })
})

test('a refresh stores the new tokens and keeps what the answer omits', async () => {
  server = await scriptedServer({
    [TOKEN]: [answer(PAIR), answer({ access_token: 'act.3' })],
  })
  expect(await tiktok().refresh(OLD)).toMatchObject({
    value: { accessToken: 'act.2', refreshToken: 'rft.2', refreshExpiresAt: NOW + 365 * DAY_MS },
  })
  expect(await tiktok().refresh(OLD)).toMatchObject({
    value: {
      accessToken: 'act.3',
      accessExpiresAt: NOW + DAY_MS,
      refreshToken: 'rft.1',
      refreshExpiresAt: OLD.refreshExpiresAt,
    },
  })
})

test('a refresh without an access token changes nothing, with whatever status', async () => {
  server = await scriptedServer({
    [TOKEN]: [
      answer({ error: 'server_error', error_description: 'no' }),
      answer({ refresh_token: 'rft.2' }),
      { body: '' },
      { status: 502, body: '<html>' },
    ],
  })
  for (const kind of ['unreachable', 'unexpected', 'unexpected', 'unreachable']) {
    expect(await tiktok().refresh(OLD)).toMatchObject({ ok: false, failure: { kind } })
  }
})

test('a refresh refused as malformed is repeated once; then the account must be linked again', async () => {
  const malformed = answer({ error: 'invalid_request', error_description: 'no' })
  server = await scriptedServer({ [TOKEN]: [malformed, answer(PAIR), malformed, malformed] })
  expect(await tiktok().refresh(OLD)).toMatchObject({ ok: true, value: { accessToken: 'act.2' } })
  expect(await tiktok().refresh(OLD)).toMatchObject({
    failure: { kind: 'account', expired: false, reason: { code: 'invalid_request' } },
  })
  expect(server.requests).toHaveLength(4)
})

test('a creator who may not post now can still be linked, without a handle', async () => {
  server = await scriptedServer({
    '/v2/user/info/': [
      answer({
        data: { user: { open_id: '-000AbC', display_name: 'Ann', avatar_url: null } },
        error: { code: 'ok' },
      }),
    ],
    '/v2/post/publish/creator_info/query/': [
      answer({ data: {}, error: { code: 'spam_risk_user_banned_from_posting', message: 'm' } }),
    ],
  })
  const grant = { accessToken: 'act.1', externalId: null, scopes: ['video.publish'] }
  expect(await tiktok().profile(grant)).toMatchObject({
    ok: true,
    value: { externalId: '-000AbC', username: null, displayName: 'Ann', avatarUrl: null },
  })
  expect(server.requests[0]?.url).toBe('/v2/user/info/?fields=open_id%2Cunion_id%2Cavatar_url%2Cdisplay_name')
})
