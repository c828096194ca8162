import { afterEach, expect, test } from 'vitest'
import type { Grant, Tokens } from '../kit/platform.ts'
import { scriptedServer } from '../kit/scripted-server.ts'
import type { Scripted, ScriptedServer } from '../kit/scripted-server.ts'
import { createInstagram } from './index.ts'

const NOW = 1_800_000_000_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const CODE = '/oauth/access_token'
const EXCHANGE = '/access_token'
const REFRESH = '/refresh_access_token'
const REDIRECT = 'https://reelay.example/dashboard/oauth/instagram/callback'

let server: ScriptedServer
afterEach(() => server.close())

const json = (body: unknown, status = 200): Scripted => ({ status, body: JSON.stringify(body) })
const refused = (code: number, status = 400): Scripted => json({ error: { message: 'no', code } }, status)
const page: Scripted = { status: 502, body: '<html>' }
const SHORT = json({
  access_token: 'SHORT',
  user_id: 1,
  permissions: ['instagram_business_basic', 'instagram_business_content_publish'],
})
const LONG = json({ access_token: 'LONG', token_type: 'bearer', expires_in: 5_183_944 })

const instagram = (now = NOW) =>
  createInstagram(
    {
      mode: 'live',
      appId: '77',
      appSecret: 'secret',
      metaAppSecret: null,
      authorizeUrl: 'https://www.instagram.com/oauth/authorize',
      apiUrl: server.url,
      graphUrl: server.url,
    },
    () => now,
  )
const link = (code = 'AQ1') => instagram().exchangeCode({ code, redirectUri: REDIRECT, codeVerifier: 'cv' })
async function granted(): Promise<Grant> {
  const grant = await link()
  if (!grant.ok) throw new Error(grant.failure.reason.code)
  return grant.value
}
const queries = (path: string) =>
  server.requests
    .filter(({ url }) => url.split('?')[0] === path)
    .map(({ method, url }) => ({ method, ...Object.fromEntries(new URL(url, server.url).searchParams) }))

test('the consent page requests both permissions and a login, with our state', async () => {
  server = await scriptedServer({})
  const url = new URL(
    instagram().authorizeUrl({ state: 'st', redirectUri: REDIRECT, extraScopes: [], codeVerifier: 'cv' }),
  )
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: '77',
    redirect_uri: REDIRECT,
    response_type: 'code',
    scope: 'instagram_business_basic,instagram_business_content_publish',
    state: 'st',
    force_reauth: 'true',
  })
})

test('a code becomes a token of 60 days, with secrets only where required', async () => {
  server = await scriptedServer({ [CODE]: [SHORT], [EXCHANGE]: [LONG] })
  expect(await link('AQ1#_')).toEqual({
    ok: true,
    value: {
      tokens: {
        accessToken: 'LONG',
        accessExpiresAt: NOW + 5_183_944_000,
        refreshToken: null,
        refreshExpiresAt: NOW + 5_183_944_000,
        issuedAt: NOW,
      },
      scopes: ['instagram_business_basic', 'instagram_business_content_publish'],
      externalId: null,
    },
  })
  expect(Object.fromEntries(new URLSearchParams(server.requests[0]?.body))).toEqual({
    client_id: '77',
    client_secret: 'secret',
    grant_type: 'authorization_code',
    redirect_uri: REDIRECT,
    code: 'AQ1',
  })
  expect(server.requests[0]?.url).toBe(CODE)
  expect(queries(EXCHANGE)).toEqual([
    { method: 'GET', grant_type: 'ig_exchange_token', client_secret: 'secret', access_token: 'SHORT' },
  ])
})

test('a code is never sent twice, whatever its answer', async () => {
  server = await scriptedServer({ [CODE]: [page] })
  expect(await link()).toMatchObject({ ok: false, failure: { kind: 'unreachable' } })
  expect(server.requests).toHaveLength(1)
})

test('the second exchange is retried when its answer is lost', async () => {
  server = await scriptedServer({ [CODE]: [SHORT], [EXCHANGE]: [page, LONG] })
  expect((await granted()).tokens.accessToken).toBe('LONG')
})

test.each([
  ['goes on failing', [page, page, page]],
  ['is throttled', [refused(4)]],
])(
  'while it %s the account is linked for an hour, and every refresh goes on with it',
  async (_name, answers) => {
    server = await scriptedServer({ [CODE]: [SHORT], [EXCHANGE]: [...answers, page, LONG] })
    const { tokens } = await granted()
    expect(tokens).toEqual({
      accessToken: 'SHORT',
      accessExpiresAt: NOW + HOUR_MS,
      refreshToken: null,
      refreshExpiresAt: NOW + HOUR_MS,
      issuedAt: NOW,
    } satisfies Tokens)
    expect([instagram().refreshDueAt(tokens), instagram().idleRefreshAt(tokens)]).toEqual([NOW, NOW])
    expect(await instagram().refresh(tokens)).toMatchObject({ ok: false, failure: { kind: 'unreachable' } })
    expect(await instagram(NOW + HOUR_MS / 2).refresh(tokens)).toMatchObject({
      ok: true,
      value: { accessToken: 'LONG', accessExpiresAt: NOW + HOUR_MS / 2 + 5_183_944_000 },
    })
  },
)

test('after an hour only the user can link again', async () => {
  server = await scriptedServer({ [CODE]: [SHORT], [EXCHANGE]: [page, page, page, refused(190)] })
  const { tokens } = await granted()
  expect(await instagram(NOW + HOUR_MS).refresh(tokens)).toMatchObject({
    failure: { kind: 'account', expired: false },
  })
})

test('a wrong secret links nothing', async () => {
  server = await scriptedServer({ [CODE]: [SHORT], [EXCHANGE]: [refused(101)] })
  expect(await link()).toMatchObject({ ok: false, failure: { kind: 'rejected', reason: { code: '101' } } })
})

const sixtyDays: Tokens = {
  accessToken: 'OLD',
  accessExpiresAt: NOW + 60 * DAY_MS,
  refreshToken: null,
  refreshExpiresAt: NOW + 60 * DAY_MS,
  issuedAt: NOW,
}

test('a refresh is a GET and replaces token and expiry', async () => {
  server = await scriptedServer({ [REFRESH]: [json({ access_token: 'NEW', expires_in: 1000 })] })
  expect(await instagram(NOW + 2 * DAY_MS).refresh(sixtyDays)).toMatchObject({
    ok: true,
    value: { accessToken: 'NEW', accessExpiresAt: NOW + 2 * DAY_MS + 1_000_000, issuedAt: NOW + 2 * DAY_MS },
  })
  expect(queries(REFRESH)).toEqual([{ method: 'GET', grant_type: 'ig_refresh_token', access_token: 'OLD' }])
})

test.each([
  ...[1, 2, 4, 17, 32, 613, 80002, 100].map((code) => [refused(code), 'passes'] as const),
  [page, 'passes'],
  [{ status: 200, body: '' }, 'passes'],
  ...[190, 10, 200].map((code) => [refused(code), 'unlinks'] as const),
  [refused(190, 401), 'unlinks'],
] as const)('a refresh that is answered with %o %s', async (answer, what) => {
  server = await scriptedServer({ [REFRESH]: [answer] })
  const outcome = await instagram().refresh(sixtyDays)
  const kind = outcome.ok ? 'ok' : outcome.failure.kind
  expect(kind === 'account' ? 'unlinks' : 'passes').toBe(what)
  if (!outcome.ok && outcome.failure.kind === 'account') expect(outcome.failure.expired).toBe(false)
})

test('no refresh is due in the first 24 hours', async () => {
  server = await scriptedServer({})
  const nearlyOver = { ...sixtyDays, accessExpiresAt: NOW + 2 * DAY_MS }
  expect(instagram().refreshDueAt(nearlyOver)).toBe(NOW + DAY_MS)
  expect(instagram().idleRefreshAt(nearlyOver)).toBe(NOW + DAY_MS)
  expect(instagram().refreshDueAt(sixtyDays)).toBe(NOW + 53 * DAY_MS)
  expect(instagram().idleRefreshAt(sixtyDays)).toBe(NOW + 30 * DAY_MS)
})

test.each([
  ['PERSONAL', 'personal_account'],
  ['Personal', 'personal_account'],
  ['BUSINESS', null],
  ['Business', null],
  ['Media_Creator', null],
  [undefined, null],
])('an account of type %s can be linked unless it is personal', async (type, code) => {
  const me = { id: '26160', user_id: '17841400000000001', username: 'ann', account_type: type }
  server = await scriptedServer({ '/v25.0/me': [json(me)] })
  const profile = await instagram().profile({ accessToken: 'LONG', externalId: null, scopes: [] })
  expect(profile.ok ? null : profile.failure.reason.code).toBe(code)
  expect(server.requests[0]?.headers.authorization).toBe('Bearer LONG')
})
