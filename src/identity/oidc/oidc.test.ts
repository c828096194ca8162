import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createUserWithEmailAndPassword, signInWithCustomToken } from '@firebase/auth'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { pino } from 'pino'
import { afterAll, beforeEach, expect, test } from 'vitest'
import type { Admit, ProviderLogin } from '../core/core.ts'
import { codeIn, PASSWORD, startIdentity } from '#test/support/identity.ts'
import { createOidcClient, type Provider } from './client.ts'

const CLIENT = 'reelay-client'
const { privateKey, publicKey } = await generateKeyPair('RS256')
const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
const stranger = await generateKeyPair('RS256')

type Claims = Record<string, unknown>

/** A provider that answers what a test wants. Codes are `sub NUMBER`, each good for one exchange. */
async function startProvider() {
  const settings = {
    /** Changes the ID token's claims. */
    claims: (claims: Claims): Claims => claims,
    key: privateKey,
    discovery: (body: string): string | null => body,
    tokenError: null as string | null,
  }
  const used = new Set<string>()
  let nonce = ''
  const server = createServer((request, response) => void answer(request.url ?? '', request, response))
  const answer = async (
    url: string,
    request: AsyncIterable<Buffer>,
    response: { setHeader(name: string, value: string): void; statusCode: number; end(text?: string): void },
  ) => {
    response.setHeader('content-type', 'application/json')
    if (url === '/.well-known/openid-configuration') {
      const text = settings.discovery(
        JSON.stringify({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
        }),
      )
      if (text !== null) response.end(text)
      return
    }
    if (url === '/keys') return response.end(JSON.stringify({ keys: [jwk] }))
    const form = new URLSearchParams(Buffer.concat(await Array.fromAsync(request)).toString())
    const code = form.get('code') ?? ''
    const error = settings.tokenError ?? (used.has(code) ? 'invalid_grant' : null)
    used.add(code)
    if (error !== null) {
      response.statusCode = 400
      return response.end(JSON.stringify({ error }))
    }
    const claims = settings.claims({
      sub: code.split(' ')[0],
      iss: issuer,
      aud: CLIENT,
      iat: Math.floor(Date.now() / 1000),
      exp: Math.floor(Date.now() / 1000) + 300,
      nonce,
      email: `${code.split(' ')[0]}@example.test`,
      email_verified: true,
      name: 'Ana Lima',
    })
    const idToken = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .sign(settings.key)
    response.end(JSON.stringify({ access_token: 'access', token_type: 'Bearer', id_token: idToken }))
  }
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    settings,
    remember: (url: URL) => (nonce = url.searchParams.get('nonce') ?? ''),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const [good, other] = [await startProvider(), await startProvider()]
const provider = (id: string, issuer: string): Provider => ({
  id,
  name: id.toUpperCase(),
  issuer,
  clientId: CLIENT,
  clientSecret: 'secret',
  scopes: 'openid email profile',
  operatorClaim: { name: 'realm.roles', value: 'admins' },
  quotaClaim: 'storage',
  auto: false,
})
const CLOSED = 'http://127.0.0.1:1'
const logins: (ProviderLogin & { email: string })[] = []
let admission: Awaited<ReturnType<Admit>>
let applicants: unknown[] = []
const lines: string[] = []
const service = await startIdentity({
  providers: [provider('good', good.issuer), provider('other', other.issuer), provider('down', CLOSED)],
  admit: async (_db, applicant) => {
    applicants.push(applicant)
    return admission
  },
  recordProviderLogin: async ({ email }, login) => void logins.push({ email, ...login }),
  log: pino({}, { write: (line: string) => void lines.push(line) }),
})
afterAll(async () => {
  await service.close()
  good.close()
  other.close()
})

const plain = { ...good.settings }
beforeEach(() => {
  Object.assign(good.settings, plain)
  Object.assign(other.settings, plain)
  admission = { kind: 'admitted', use: async () => {} }
  applicants = []
})

let codes = 0
/** Each person is a new one. */
const somebody = () => `ana${(codes += 1)}`

/** A browser: it keeps the cookie. */
function openBrowser() {
  let cookie = ''
  const call = async (path: string, payload: object) => {
    const answer = await service.app.inject({
      method: 'POST',
      url: `/identity${path}?key=reelay`,
      payload,
      headers: { cookie },
    })
    keep(answer.headers['set-cookie'])
    return answer.json<Record<string, unknown> & { error?: { message: string } }>()
  }
  const keep = (header: unknown) => {
    if (typeof header === 'string') cookie = header.split(';')[0] ?? ''
  }
  const browser = {
    call,
    get cookie() {
      return cookie
    },
    set cookie(value) {
      cookie = value
    },
    async begin(id = 'good', more = {}) {
      const { url } = await call('/oidc/begin', { provider: id, ...more })
      const address = new URL(String(url))
      ;(id === 'good' ? good : other).remember(address)
      return address
    },
    async comeBack(query: Record<string, string>, id = 'good') {
      const answer = await service.app.inject({
        url: `/identity/oidc/${id}/callback?${new URLSearchParams(query).toString()}`,
        headers: { cookie },
      })
      keep(answer.headers['set-cookie'])
      return answer
    },
    finish: () => call('/oidc/finish', {}),
    async logIn(sub: string, id = 'good', more = {}) {
      const state = (await browser.begin(id, more)).searchParams.get('state') ?? ''
      await browser.comeBack({ code: `${sub} ${(codes += 1)}`, state }, id)
      return browser.finish()
    },
  }
  return browser
}

const refused = (reason: string, name: string | null = 'GOOD') => ({
  result: 'refused',
  provider: name,
  reason,
})

async function signInWith(token: unknown) {
  return (await signInWithCustomToken(service.browser(), String(token))).user
}

test('a person of a provider becomes a user, and later logs in as the same one', async () => {
  const sub = somebody()
  const asked = { returnTo: '/dashboard/queue', invitation: 'secret', timezone: 'Europe/Lisbon' }
  const first = await openBrowser().logIn(sub, 'good', asked)
  expect(first).toEqual({
    result: 'proven',
    token: expect.any(String) as string,
    returnTo: '/dashboard/queue',
  })
  const user = await signInWith(first['token'])
  expect(user).toMatchObject({ email: `${sub}@example.test`, emailVerified: true, displayName: 'Ana Lima' })
  expect(user.providerData.map(({ providerId }) => providerId)).toEqual(['oidc.good'])
  expect(applicants).toEqual([{ email: `${sub}@example.test`, invitation: 'secret' }])
  expect(logins.at(-1)).toMatchObject({ provider: 'GOOD', timezone: 'Europe/Lisbon', operator: false })

  admission = { kind: 'closed' }
  good.settings.claims = (claims) => ({ ...claims, email: 'moved@example.test', email_verified: false })
  const again = await signInWith((await openBrowser().logIn(sub))['token'])
  expect([again.uid, again.email]).toEqual([user.uid, user.email])
})

test('the address at the provider has a code challenge, and its checks differ each time', async () => {
  const urls = [await openBrowser().begin(), await openBrowser().begin()]
  const [one, two] = urls.map(({ searchParams }) => Object.fromEntries(searchParams))
  expect(one).toMatchObject({
    client_id: CLIENT,
    response_type: 'code',
    scope: 'openid email profile',
    code_challenge_method: 'S256',
    redirect_uri: `${service.publicUrl}/identity/oidc/good/callback`,
  })
  for (const name of ['state', 'nonce', 'code_challenge']) expect(one?.[name]).not.toBe(two?.[name])
})

test('a log-in token works once and for a minute', async () => {
  const sub = somebody()
  const browser = openBrowser()
  const { token } = await browser.logIn(sub)
  await signInWith(token)
  await expect(signInWith(token)).rejects.toMatchObject({ code: 'auth/invalid-custom-token' })
  const late = await browser.logIn(sub)
  service.advance(60_000)
  await expect(signInWith(late['token'])).rejects.toMatchObject({ code: 'auth/invalid-custom-token' })
  expect(await browser.finish(), 'the cookie is gone').toEqual(refused('attempt_over', null))
})

test('a return from the provider counts only in the browser that began, and only once', async () => {
  const [mine, theirs] = [openBrowser(), openBrowser()]
  const state = (await theirs.begin()).searchParams.get('state') ?? ''
  const query = { code: `${somebody()} 1`, state }
  await mine.comeBack(query)
  expect(await mine.finish(), 'no log-in was begun here').toEqual(refused('attempt_over'))

  const begun = theirs.cookie
  await theirs.comeBack(query)
  expect(await theirs.finish()).toMatchObject({ result: 'proven' })
  theirs.cookie = begun
  await theirs.comeBack(query)
  expect(await theirs.finish(), 'its code was used').toEqual(refused('provider_answer_invalid'))

  await mine.begin()
  await mine.comeBack({ ...query, code: `${somebody()} 1` })
  expect(await mine.finish(), 'another one was begun here').toEqual(refused('provider_answer_invalid'))
})

test('a return leads to our own page only, with the outcome in a cookie that scripts cannot read', async () => {
  const browser = openBrowser()
  const state = (await browser.begin()).searchParams.get('state') ?? ''
  const answer = await browser.comeBack({ code: `${somebody()} 1`, state, continue: 'https://evil.test' })
  expect([answer.statusCode, answer.headers.location]).toEqual([303, '/#oidc'])
  expect(answer.headers['set-cookie']).toMatch(
    /^reelay-login=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/,
  )
  expect(await browser.call('/oidc/begin', { provider: 'good', returnTo: '//evil.test' })).toMatchObject({
    error: { code: 400 },
  })
})

test('ten minutes after it began, a log-in is over', async () => {
  const browser = openBrowser()
  const state = (await browser.begin()).searchParams.get('state') ?? ''
  service.advance(600_000)
  lines.length = 0
  await browser.comeBack({ code: `${somebody()} 1`, state })
  expect(await browser.finish()).toEqual(refused('attempt_over'))
  expect(
    lines.map((line): unknown => JSON.parse(line)),
    'for fail2ban',
  ).toMatchObject([{ msg: 'log-in refused', ip: '127.0.0.1', refused: 'attempt_over' }])
})

test('a log-in at one provider cannot be finished at another', async () => {
  const browser = openBrowser()
  const state = (await browser.begin('good')).searchParams.get('state') ?? ''
  await browser.comeBack({ code: `${somebody()} 1`, state }, 'other')
  expect(await browser.finish()).toEqual(refused('attempt_over', 'OTHER'))
})

test.each<[string, Partial<typeof plain>]>([
  ['for another log-in', { claims: (claims) => ({ ...claims, nonce: 'other' }) }],
  ['of another issuer', { claims: (claims) => ({ ...claims, iss: 'https://evil.test' }) }],
  ['for another client', { claims: (claims) => ({ ...claims, aud: 'other' }) }],
  ['that has expired', { claims: (claims) => ({ ...claims, exp: 1_000_000 }) }],
  ['with a foreign signature', { key: stranger.privateKey }],
])('an ID token %s is refused', async (_what, settings) => {
  Object.assign(good.settings, settings)
  expect(await openBrowser().logIn(somebody())).toEqual(refused('provider_answer_invalid'))
})

test('a refusal of the provider is told from a wrong set-up', async () => {
  const browser = openBrowser()
  const state = (await browser.begin()).searchParams.get('state') ?? ''
  await browser.comeBack({ error: 'access_denied', state })
  expect(await browser.finish()).toEqual(refused('provider_refused'))
  good.settings.tokenError = 'invalid_client'
  expect(await browser.logIn(somebody())).toEqual(refused('provider_answer_invalid'))
})

test('a provider that cannot be reached fails its own log-ins, and is asked again', async () => {
  const unreachable = { error: { message: 'PROVIDER_UNREACHABLE' } }
  expect(await openBrowser().call('/oidc/begin', { provider: 'down' })).toMatchObject(unreachable)
  expect(await openBrowser().call('/oidc/begin', { provider: 'none' })).toMatchObject({
    error: { message: expect.stringContaining('NOT_ALLOWED') as string },
  })
  // Not asked before by this second process.
  const fresh = await service.another()
  const ask = async () =>
    (
      await fresh.app.inject({
        method: 'POST',
        url: '/identity/oidc/begin?key=reelay',
        payload: { provider: 'other' },
      })
    ).json<object>()
  try {
    for (const discovery of [
      (body: string) => body + ' '.repeat(1_000_001),
      () => 'no JSON',
      (body: string) => body.replaceAll('127.0.0.1', 'evil.test'),
    ]) {
      other.settings.discovery = discovery
      expect(await ask()).toMatchObject(unreachable)
    }
    other.settings.discovery = plain.discovery
    expect(await ask()).toMatchObject({ url: expect.stringContaining(other.issuer) as string })
  } finally {
    await fresh.close()
  }
})

test('a provider that does not answer in time cannot be reached', async () => {
  good.settings.discovery = () => null
  const slow = provider('slow', good.issuer)
  const client = createOidcClient({
    providers: [slow],
    callbackUrl: (id) => `${service.publicUrl}/${id}`,
    log: { warn: () => {} },
    now: Date.now,
    answerWithinS: 0.1,
  })
  expect(await client.begin(slow)).toBe('provider_unreachable')
})

test('only an address that the provider has verified makes a user', async () => {
  good.settings.claims = (claims) => ({ ...claims, email_verified: undefined })
  expect(await openBrowser().logIn(somebody())).toEqual(refused('email_unverified'))
  good.settings.claims = (claims) => ({ ...claims, email: undefined })
  expect(await openBrowser().logIn(somebody())).toEqual(refused('email_missing'))
})

test('who may sign up is decided as for everybody', async () => {
  admission = { kind: 'closed' }
  expect(await openBrowser().logIn(somebody())).toEqual(refused('signup_closed'))
  admission = { kind: 'not_invited' }
  expect(await openBrowser().logIn(somebody())).toEqual(refused('not_invited'))
})

/** A user with a password and that person's address. */
async function signUp(sub: string) {
  const auth = service.browser()
  const { user } = await createUserWithEmailAndPassword(auth, `${sub}@example.test`, PASSWORD)
  return { auth, user, login: { email: `${sub}@example.test`, password: PASSWORD } }
}
const SIGN_IN = '/v1/accounts:signInWithPassword'

test('somebody who has an account confirms with its password, once', async () => {
  const sub = somebody()
  const { user, login } = await signUp(sub)
  const mine = openBrowser()
  const asked = { result: 'to_confirm', provider: 'GOOD', email: login.email, returnTo: null }
  expect(await mine.logIn(sub)).toEqual(asked)
  await openBrowser().call(SIGN_IN, login)
  expect(await openBrowser().logIn(sub), 'a log-in elsewhere confirms nothing').toEqual(asked)
  const elsewhere = await signUp(somebody())
  await mine.call(SIGN_IN, elsewhere.login)
  await mine.call(SIGN_IN, login)
  expect(mine.cookie).toBe('reelay-login=')
  const linked = await signInWith((await openBrowser().logIn(sub))['token'])
  expect([linked.uid, linked.emailVerified]).toEqual([user.uid, true])
  expect(linked.providerData.map(({ providerId }) => providerId)).toEqual(['password', 'oidc.good'])
})

test('equal subjects of two providers are two people', async () => {
  const sub = somebody()
  const one = await signInWith((await openBrowser().logIn(sub))['token'])
  other.settings.claims = (claims) => ({ ...claims, email: `other-${sub}@example.test` })
  const two = await signInWith((await openBrowser().logIn(sub, 'other'))['token'])
  expect(two.uid).not.toBe(one.uid)
})

test.each([
  ['a reset', 'PASSWORD_RESET', 'resetPassword', '/v1/accounts:resetPassword'],
  ['a log-in by mail', 'EMAIL_SIGNIN', 'signIn', '/v1/accounts:signInWithEmailLink'],
])('%s of an unverified address ends the provider of whoever signed up with it', async (...way) => {
  const [, requestType, mode, path] = way
  const sub = somebody()
  const taken = await signInWith((await openBrowser().logIn(sub))['token'])
  const email = taken.email ?? ''
  // With enumeration protection off, an address can be changed without a mail.
  await service.db
    .updateTable('identity_users')
    .set({ email_verified: false })
    .where('uid', '=', taken.uid)
    .execute()
  const owner = openBrowser()
  const link = { canHandleCodeInApp: true, continueUrl: service.publicUrl }
  await owner.call('/v1/accounts:sendOobCode', { requestType, email, ...link })
  const oobCode = codeIn(await service.nextMail(email, mode))
  const newPassword = mode === 'resetPassword' ? PASSWORD : undefined
  expect(await owner.call(path, { email, oobCode, newPassword })).toMatchObject({ email })
  expect(await openBrowser().logIn(sub)).toMatchObject({ result: 'to_confirm', email })
})

test('a disabled user is refused, and a deleted one starts anew', async () => {
  const sub = somebody()
  const { token } = await openBrowser().logIn(sub)
  const user = await signInWith(token)
  const set = (disabled: boolean) =>
    service.db.updateTable('identity_users').set({ disabled }).where('uid', '=', user.uid).execute()
  const late = await openBrowser().logIn(sub)
  await set(true)
  expect(await openBrowser().logIn(sub)).toEqual(refused('user_disabled'))
  await expect(signInWith(late['token'])).rejects.toMatchObject({ code: 'auth/user-disabled' })
  await service.db.deleteFrom('identity_users').where('uid', '=', user.uid).execute()
  const anew = await signInWith((await openBrowser().logIn(sub))['token'])
  expect(anew.uid).not.toBe(user.uid)
})

test.each([
  [
    { realm: { roles: ['users', 'admins'] }, storage: '50GB' },
    { operator: true, quota: '50GB' },
  ],
  [
    { 'realm.roles': 'admins', storage: 50 },
    { operator: true, quota: null },
  ],
  [{ realm: { roles: ['administrators'] } }, { operator: false, quota: null }],
  [{}, { operator: false, quota: null }],
])('claims %j are told at each log-in', async (claims, told) => {
  const sub = somebody()
  const { login } = await signUp(sub)
  good.settings.claims = (usual) => ({ ...usual, ...claims })
  const browser = openBrowser()
  await browser.logIn(sub)
  await browser.call(SIGN_IN, login)
  await openBrowser().logIn(sub)
  expect(logins.slice(-2)).toMatchObject([told, told])
})
