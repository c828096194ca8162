import { createHash } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import type { Tokens } from '../kit/platform.ts'
import { type Scripted, type ScriptedServer, scriptedServer } from '../kit/scripted-server.ts'
import { createYouTube } from './index.ts'
import { answer, configAt, NOW, refusal } from './testing.ts'

const DAY_MS = 86_400_000
const REDIRECT = 'https://a.example/cb'
const READ = 'https://www.googleapis.com/auth/youtube.readonly'
const UPLOAD = 'https://www.googleapis.com/auth/youtube.upload'
const COMMENT = 'https://www.googleapis.com/auth/youtube.force-ssl'

let server: ScriptedServer
afterEach(() => server.close())

const start = async (answers: Record<string, readonly Scripted[]>, now = NOW) => {
  server = await scriptedServer(answers)
  return createYouTube(configAt(server), () => now)
}
const idToken = (payload: object) => `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.sig`
const granted = (more: object = {}) =>
  answer({
    access_token: 'ya29.1',
    expires_in: 3599,
    refresh_token: '1//r',
    scope: `openid ${UPLOAD} ${READ}`,
    token_type: 'Bearer',
    ...more,
  })
const tokens: Tokens = {
  accessToken: 'ya29.0',
  accessExpiresAt: NOW,
  refreshToken: '1//r',
  refreshExpiresAt: NOW + 100 * DAY_MS,
  issuedAt: NOW - 80 * DAY_MS,
}
const link = { code: '4/c', redirectUri: REDIRECT, codeVerifier: 'v'.repeat(43) }
const form = (at: number) => Object.fromEntries(new URLSearchParams(server.requests[at]?.body))

test('the consent page is asked for lasting access, the chooser and the hash of the verifier', async () => {
  const youtube = await start({})
  const url = new URL(
    youtube.authorizeUrl({ ...link, state: 'st', extraScopes: [COMMENT], redirectUri: REDIRECT }),
  )
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: '1-a.apps.googleusercontent.com',
    redirect_uri: REDIRECT,
    response_type: 'code',
    scope: `openid ${UPLOAD} ${READ} ${COMMENT}`,
    state: 'st',
    access_type: 'offline',
    prompt: 'select_account consent',
    include_granted_scopes: 'true',
    code_challenge: createHash('sha256').update(link.codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
})

test('a code is exchanged with its verifier, and the Google account is kept', async () => {
  const youtube = await start({ '/token': [granted({ id_token: idToken({ sub: '1157' }) })] })
  expect(await youtube.exchangeCode(link)).toEqual({
    ok: true,
    value: {
      tokens: {
        accessToken: 'ya29.1',
        accessExpiresAt: NOW + 3_599_000,
        refreshToken: '1//r',
        refreshExpiresAt: NOW + 180 * DAY_MS,
        issuedAt: NOW,
      },
      scopes: ['openid', UPLOAD, READ],
      externalId: null,
      ownerId: '1157',
    },
  })
  expect(form(0)).toEqual({
    client_id: '1-a.apps.googleusercontent.com',
    client_secret: 'client-secret',
    grant_type: 'authorization_code',
    code: '4/c',
    redirect_uri: REDIRECT,
    code_verifier: link.codeVerifier,
  })
})

test.each([
  ['no refresh token', granted({ refresh_token: undefined }), 'not_renewable'],
  ['a used code', answer({ error: 'invalid_grant', error_description: 'Bad Request' }, 400), 'invalid_grant'],
  ['a wrong secret', answer({ error: 'invalid_client' }, 401), 'invalid_client'],
  ['a foreign address', answer({ error: 'redirect_uri_mismatch' }, 400), 'redirect_uri_mismatch'],
])('%s links nothing', async (_what, reply, code) => {
  const youtube = await start({ '/token': [reply] })
  expect(await youtube.exchangeCode(link)).toMatchObject({
    ok: false,
    failure: { kind: 'rejected', reason: { code } },
  })
})

test('a renewal keeps the refresh token, and six months begin anew', async () => {
  const youtube = await start({ '/token': [granted({ refresh_token: undefined })] })
  const long = { ...tokens, refreshExpiresAt: tokens.issuedAt + 180 * DAY_MS }
  expect(await youtube.refresh(long)).toMatchObject({
    ok: true,
    value: { refreshToken: '1//r', refreshExpiresAt: NOW + 180 * DAY_MS, issuedAt: NOW },
  })
  expect(form(0)).toMatchObject({ grant_type: 'refresh_token', refresh_token: '1//r' })
})

test('an end that Google fixed stays through renewals', async () => {
  const youtube = await start({ '/token': [granted({ refresh_token: undefined })] })
  const limited = { ...tokens, issuedAt: NOW - DAY_MS, refreshExpiresAt: NOW + 6 * DAY_MS }
  expect(await youtube.refresh(limited)).toMatchObject({ value: { refreshExpiresAt: NOW + 6 * DAY_MS } })
})

test.each([
  ['after seven days', { issuedAt: NOW - 7 * DAY_MS, refreshExpiresAt: NOW }, /consent screen.*in Testing/],
  ['after six months', { issuedAt: NOW - 181 * DAY_MS }, /not used for six months/],
  ['in between', {}, /its owner removed it, or Google did/],
])('a grant that ended %s is told with its likely cause', async (_when, more, words) => {
  const youtube = await start({
    '/token': [
      answer({ error: 'invalid_grant', error_description: 'Token has been expired or revoked.' }, 400),
    ],
  })
  const answered = await youtube.refresh({ ...tokens, ...more })
  expect(answered).toMatchObject({ ok: false, failure: { kind: 'account', expired: false } })
  expect(answered.ok ? '' : answered.failure.reason.message).toMatch(words)
})

test.each([
  ['an error of the server', { status: 503, body: '<html>' }, 'unreachable'],
  ['being told to slow down', { status: 429, body: '' }, 'throttled'],
])('%s does not end the access', async (_what, reply, kind) => {
  const youtube = await start({ '/token': [reply] })
  expect(await youtube.refresh(tokens)).toMatchObject({ ok: false, failure: { kind } })
})

test('idle access is renewed monthly, and half-way to a fixed end', async () => {
  const youtube = await start({})
  expect(youtube.idleRefreshAt({ ...tokens, issuedAt: NOW, refreshExpiresAt: NOW + 180 * DAY_MS })).toBe(
    NOW + 30 * DAY_MS,
  )
  expect(youtube.idleRefreshAt({ ...tokens, issuedAt: NOW, refreshExpiresAt: NOW + 7 * DAY_MS })).toBe(
    NOW + 3.5 * DAY_MS,
  )
})

test.each([
  ['taken', answer({}), true],
  ['gone already', answer({ error: 'invalid_token' }, 400), true],
  ['refused', answer({ error: 'invalid_request' }, 400), false],
])('a revocation that is %s', async (_what, reply, isOk) => {
  const youtube = await start({ '/revoke': [reply] })
  expect((await youtube.revoke(tokens)).ok).toBe(isOk)
  expect(form(0)).toEqual({ token: '1//r' })
})

const CHANNELS = '/youtube/v3/channels'
const channel = {
  id: 'UC1',
  snippet: {
    title: "Ann's bakery",
    customUrl: '@ann',
    thumbnails: { default: { url: 'https://yt3/d' }, medium: { url: 'https://yt3/m' } },
  },
  contentDetails: { relatedPlaylists: { uploads: 'UU1' } },
  status: { longUploadsStatus: 'eligible' },
}
const access = { accessToken: 'ya29.1', externalId: null, scopes: [READ, UPLOAD] }

test('the channel of the grant is the account', async () => {
  const youtube = await start({ [CHANNELS]: [answer({ items: [channel] })] })
  expect(await youtube.profile(access)).toEqual({
    ok: true,
    value: {
      externalId: 'UC1',
      appScopedId: null,
      username: 'ann',
      displayName: "Ann's bakery",
      avatarUrl: 'https://yt3/m',
    },
  })
  expect(server.requests[0]?.headers.authorization).toBe('Bearer ya29.1')
  expect(server.requests[0]?.url).not.toContain('ya29')
})

test.each([
  [refusal(401, 'youtubeSignupRequired')],
  [refusal(403, 'authenticatedUserNotChannel')],
  [answer({ kind: 'youtube#channelListResponse' })],
])('no channel is told as such, whatever its form', async (reply) => {
  const youtube = await start({ [CHANNELS]: [reply] })
  const answered = await youtube.profile(access)
  expect(answered.ok ? '' : answered.failure.reason.remedy).toMatch(/^Create a channel at YouTube first/)
  expect(answered.ok ? '' : answered.failure.kind).toMatch(/rejected|account/)
})

test.each([
  ['allowed', true, 43_200],
  ['eligible', false, 900],
  [undefined, false, 900],
])('a channel whose long uploads are %s', async (longUploadsStatus, isLong, most) => {
  const youtube = await start({
    [CHANNELS]: [answer({ items: [{ ...channel, status: { longUploadsStatus } }] })],
  })
  expect(await youtube.options(access)).toEqual({
    ok: true,
    value: {
      platform: 'youtube',
      title: "Ann's bakery",
      username: 'ann',
      avatar_url: 'https://yt3/m',
      long_uploads: isLong,
      max_duration_s: most,
    },
  })
})
