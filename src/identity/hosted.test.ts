import type { FastifyInstance } from 'fastify'
import { deleteApp, initializeApp } from '@firebase/app'
import {
  applyActionCode,
  confirmPasswordReset,
  createUserWithEmailAndPassword,
  initializeAuth,
  inMemoryPersistence,
  sendPasswordResetEmail,
  signInWithEmailAndPassword,
  verifyBeforeUpdateEmail,
  type Auth,
} from '@firebase/auth'
import { decodeJwt, generateKeyPair, SignJWT, type CryptoKey } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { SignUpMode } from '#contract/settings.ts'
import { INVITED_ONLY } from '#contract/invited-only.ts'
import { User } from '#contract/users.ts'
import { secretHash } from '#base/secret.ts'
import {
  PASSWORD,
  signUp as signUpEmbedded,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'
import { startHostedIdentity, type HostedService } from '#test/support/hosted-identity.ts'
import { buildApp } from '#server/app.ts'
import { createFirebaseIdentity } from './hosted.ts'

// Two servers on one database: one with the built-in service, one with the hosted service. The client is the
// browser SDK.
let testServer: TestServer
let google: HostedService
let other: HostedService
let hosted: Server
let closed: Server
beforeAll(async () => {
  ;[testServer, google, other] = await Promise.all([
    startTestServer(),
    startHostedIdentity({ projectId: 'demo' }),
    startHostedIdentity({ projectId: 'other' }),
  ])
  hosted = await serve('open')
  closed = await serve('closed')
})
afterAll(async () => {
  await Promise.all([hosted, closed].map(({ app }) => app.close()))
  await Promise.all([testServer.stop(), google.close(), other.close()])
})
let atFirst: HostedService['settings']
beforeAll(() => {
  atFirst = { ...google.settings }
})
afterEach(() => {
  google.up()
  Object.assign(google.settings, atFirst)
  vi.useRealTimers()
})

type Server = { readonly url: string; readonly app: FastifyInstance }

const PUBLIC_URL = 'https://reelay.example.com'

function identityWith(how: { apiKey?: string } = {}) {
  const { apiKey, projectId, authDomain, url, keysUrl } = google
  return createFirebaseIdentity({
    apiKey: how.apiKey ?? apiKey,
    projectId,
    authDomain,
    publicUrl: PUBLIC_URL,
    now: () => Date.now(),
    identityToolkitUrl: url,
    jwksUrl: keysUrl,
  })
}

async function serve(signup: SignUpMode): Promise<Server> {
  const identity = identityWith()
  const app = await buildApp({ ...testServer.deps, config: { ...testServer.config, signup }, identity })
  return { url: await app.listen({ port: 0, host: '127.0.0.1' }), app }
}

let browsers: Auth[] = []
afterEach(async () => {
  await Promise.all(browsers.map((auth) => deleteApp(auth.app)))
  browsers = []
})

function browser(service: HostedService = google): Auth {
  const app = initializeApp({ apiKey: service.apiKey }, crypto.randomUUID())
  const auth = initializeAuth(app, { persistence: inMemoryPersistence })
  const { host } = new URL(service.url)
  Object.assign(auth.config, { apiScheme: 'http', apiHost: host, tokenApiHost: host })
  browsers.push(auth)
  return auth
}

const newEmail = () => `ada-${crypto.randomUUID()}@example.com`

const ask = (path: string, token: string, server: { url: string } = hosted) =>
  fetch(`${server.url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
const statusOf = async (token: string, server?: { url: string }) => (await ask('/user', token, server)).status
const jsonOf = async (answer: Response) => (await answer.json()) as unknown
const profile = async (token: string) => User.parse(await jsonOf(await ask('/user', token)))

const register = (email: string, { url }: { url: string } = hosted, invitation?: string) =>
  fetch(`${url}/api/v1/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      email,
      nickname: 'Ada',
      timezone: 'Europe/Lisbon',
      password: PASSWORD,
      invitation,
    }),
  })

async function someone() {
  const email = newEmail()
  expect((await register(email)).status).toBe(201)
  const auth = browser()
  const { user } = await signInWithEmailAndPassword(auth, email, PASSWORD)
  return { auth, user, email, token: await user.getIdToken() }
}

test('settings name the hosted provider, and the built-in service is off', async () => {
  const settings: unknown = await (await fetch(`${hosted.url}/api/v1/settings`)).json()
  expect(settings).toMatchObject({
    identity: {
      mode: 'firebase',
      apiKey: google.apiKey,
      projectId: 'demo',
      authDomain: 'demo.firebaseapp.com',
    },
  })
  expect((await fetch(`${hosted.url}/identity/v2/passwordPolicy?key=reelay`)).status).toBe(404)
})

test('a user signed up by the server signs in at the provider and keeps the same id', async () => {
  const { user, email, token } = await someone()
  expect(google.calls.filter(({ call }) => call === 'accounts:signUp').at(-1)).toMatchObject({
    status: 200,
    body: { email, password: PASSWORD, displayName: 'Ada', returnSecureToken: true },
  })
  const first = await profile(token)
  expect(first).toMatchObject({ uid: user.uid, email, nickname: 'Ada', timezone: 'Europe/Lisbon' })
  expect(await profile(await user.getIdToken(true))).toEqual(first)
  expect(google.calls.at(-1)).toMatchObject({ call: 'token', status: 200 })
})

test('a user created at the provider may log in only while sign-up is open', async () => {
  const { user } = await createUserWithEmailAndPassword(browser(), newEmail(), PASSWORD)
  const token = await user.getIdToken()
  expect(await statusOf(token, closed)).toBe(401)
  expect(await statusOf(token)).toBe(200)
  expect(await statusOf(token, closed)).toBe(200)
})

test('without an invitation nobody gets in by an identity that they made at the provider', async () => {
  await someone()
  const invited = await serve('invited')
  const { user } = await createUserWithEmailAndPassword(browser(), newEmail(), PASSWORD)
  expect(await statusOf(await user.getIdToken(), invited)).toBe(401)
  const calls = google.calls.length
  expect((await register(newEmail(), invited)).status).toBe(403)
  expect(google.calls).toHaveLength(calls)
  await testServer.deps.db
    .insertInto('invitations')
    .values({
      secret_hash: secretHash('hosted'),
      created_at: new Date(),
      expires_at: new Date(Date.now() + 3_600_000),
    })
    .execute()
  expect((await register(newEmail(), invited, 'hosted')).status).toBe(201)
  expect((await register(newEmail(), invited, 'hosted')).status).toBe(403)
  await invited.app.close()
})

const admit = (token: string, server: { url: string }, invitation?: string) =>
  fetch(`${server.url}/api/v1/users/admitted`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, timezone: 'Asia/Tokyo', invitation }),
  })

test('an invitation admits an existing identity, and no user uses it up', async () => {
  await someone()
  const invited = await serve('invited')
  const { email, token: known } = await someone()
  const { user } = await createUserWithEmailAndPassword(browser(), newEmail(), PASSWORD)
  const token = await user.getIdToken()
  await testServer.deps.db
    .insertInto('invitations')
    .values({
      secret_hash: secretHash('for an identity'),
      created_at: new Date(),
      expires_at: new Date(Date.now() + 3_600_000),
    })
    .execute()
  const taken = await fields(await register(email, invited, 'for an identity'))
  expect(taken).toEqual([409, 'email_taken', { email: [expect.stringContaining('your invitation counts')] }])

  expect((await admit(known, invited, 'for an identity')).status).toBe(200)
  expect(await jsonOf(await admit(token, invited))).toMatchObject({
    code: 'signup_closed',
    message: INVITED_ONLY,
  })
  expect((await admit(token, closed, 'for an identity')).status).toBe(403)
  expect((await admit(token, invited, 'guessed')).status).toBe(403)
  expect((await admit('nonsense', invited, 'for an identity')).status).toBe(401)
  expect(await statusOf(token, invited)).toBe(401)
  expect(await jsonOf(await admit(token, invited, 'for an identity'))).toMatchObject({
    uid: user.uid,
    timezone: 'Asia/Tokyo',
    operator: false,
  })
  expect(await statusOf(token, invited)).toBe(200)

  const next = await createUserWithEmailAndPassword(browser(), newEmail(), PASSWORD)
  expect((await admit(await next.user.getIdToken(), invited, 'for an identity')).status).toBe(403)
  await invited.app.close()
})

test('closed sign-up does not call the provider', async () => {
  const before = google.calls.length
  const answer = await register(newEmail(), closed)
  expect([answer.status, await jsonOf(answer)]).toMatchObject([
    403,
    { code: 'signup_closed', message: 'Sign-up is closed on this server.' },
  ])
  expect(google.calls).toHaveLength(before)
})

const fields = async (answer: Response) => {
  const { code, errors } = (await answer.json()) as { code: string; errors?: object } // a problem of the contract
  return [answer.status, code, errors]
}

describe('a sign-up refused by the provider', () => {
  test('reports taken and invalid addresses', async () => {
    const { email } = await someone()
    expect(await fields(await register(email.toUpperCase()))).toEqual([
      409,
      'email_taken',
      { email: ["There's already an account with this email."] },
    ])
    google.refuseNext('accounts:signUp', 'INVALID_EMAIL')
    expect(await fields(await register(newEmail()))).toEqual([
      422,
      'invalid',
      { email: ['Enter a valid email address.'] },
    ])
  })

  test('reports what the password lacks by the provider policy', async () => {
    // As quoted in tests of public repositories.
    const unmet = {
      'Password must contain at least 12 characters': 'Use at least 12 characters.',
      'Password may contain at most 20 characters': 'Use at most 20 characters.',
      'Password must contain a lower case character': 'Add a lowercase letter.',
      'Password must contain an upper case character': 'Add an uppercase letter.',
      'Password must contain a numeric character': 'Add a digit.',
    }
    const list = Object.keys(unmet).join(', ')
    const refusal = `PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [${list}]`
    google.refuseNext('accounts:signUp', refusal)
    expect(await fields(await register(newEmail()))).toEqual([
      422,
      'invalid',
      { password: Object.values(unmet) },
    ])
  })

  test.each([
    ['WEAK_PASSWORD : Password should be at least 6 characters', 422, 'invalid'],
    ['PASSWORD_DOES_NOT_MEET_REQUIREMENTS', 422, 'invalid'],
    ['TOO_MANY_ATTEMPTS_TRY_LATER : later', 429, 'too_many_requests'],
    ['QUOTA_EXCEEDED : Exceeded quota for new accounts', 429, 'too_many_requests'],
    ['ADMIN_ONLY_OPERATION', 403, 'signup_closed'],
    ['OPERATION_NOT_ALLOWED', 403, 'signup_closed'],
    ['MISSING_RECAPTCHA_TOKEN', 503, 'unavailable'],
    ['CONFIGURATION_NOT_FOUND', 503, 'unavailable'],
    ['Some words that nobody knows', 503, 'unavailable'],
  ])('%s is answered %i %s', async (message, status, code) => {
    google.refuseNext('accounts:signUp', message)
    expect((await fields(await register(newEmail()))).slice(0, 2)).toEqual([status, code])
  })

  test('an API key restricted to our pages works, and an unknown key is refused', async () => {
    google.settings.referrers = [`${PUBLIC_URL}/`]
    expect((await register(newEmail())).status).toBe(201)
    google.settings.referrers = ['https://elsewhere.example.com/']
    expect((await fields(await register(newEmail()))).slice(0, 2)).toEqual([503, 'unavailable'])
    const wrong = identityWith({ apiKey: 'wrong' })
    const user = {
      email: newEmail(),
      password: PASSWORD,
      displayName: 'Ada',
      invitation: null,
      ip: '127.0.0.1',
    }
    await expect(wrong.signUp(user)).rejects.toMatchObject({
      code: 'unavailable',
      cause: { message: expect.stringContaining('API key not valid.') as string },
    })
    // `src/web/session/identity-errors.ts` uses this name.
    const page = browser({ ...google, apiKey: 'wrong' })
    await expect(signInWithEmailAndPassword(page, user.email, PASSWORD)).rejects.toMatchObject({
      code: 'auth/api-key-not-valid.-please-pass-a-valid-api-key.',
    })
  })
})

test('only tokens of the configured project signed by Google are accepted', async () => {
  const { email, token } = await someone()
  const user = google.userOf(email)
  const seconds = Math.floor(Date.now() / 1000)
  expect(await statusOf(await google.sign(user))).toBe(200)

  const [header = '', payload = ''] = token.split('.')
  const unsigned = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url')
  const { kid, n = '' } = google.publicJwk()
  const signed = (alg: string, key: Uint8Array | CryptoKey) =>
    new SignJWT(decodeJwt(token)).setProtectedHeader({ alg, kid }).sign(key)
  const bad = {
    'nothing like a token': 'nonsense',
    unsigned: `${unsigned}.${payload}.`,
    'without its signature': `${header}.${payload}.`,
    'signed with the public key as a secret': await signed('HS256', Buffer.from(n, 'base64url')),
    'signed with a key of somebody else': await signed('RS256', (await generateKeyPair('RS256')).privateKey),
    'of another project': await other.sign(other.createUser({ ...user })),
    'of another issuer': await google.sign(user, { iss: 'https://securetoken.google.com/other' }),
    'for another audience': await google.sign(user, { aud: 'other' }),
    expired: await google.sign(user, { iat: seconds - 7200, exp: seconds - 3600 }),
    'of a sign-in that is yet to come': await google.sign(user, { auth_time: seconds + 600 }),
    'of nobody': await google.sign(user, { sub: '' }),
  }
  for (const [what, forged] of Object.entries(bad))
    expect([what, await statusOf(forged)]).toEqual([what, 401])
})

describe('two servers in different modes on one database', () => {
  test('each accepts only tokens of its own issuer', async () => {
    const [embedded, { token }] = await Promise.all([signUpEmbedded(testServer), someone()])
    expect(await statusOf(embedded.token, testServer)).toBe(200)
    expect(await statusOf(embedded.token, hosted)).toBe(401)
    expect(await statusOf(token, hosted)).toBe(200)
    expect(await statusOf(token, testServer)).toBe(401)
  })

  test('the same address with another id is another user', async () => {
    const embedded = await signUpEmbedded(testServer)
    const before = await embedded.call('getUser')
    await embedded.call('createBrand', { body: { title: 'Mine' } })
    expect((await register(embedded.email)).status).toBe(201)
    const { user } = await signInWithEmailAndPassword(browser(), embedded.email, PASSWORD)
    const token = await user.getIdToken()
    expect(await profile(token)).toMatchObject({ email: before.email })
    expect(await profile(token)).not.toMatchObject({ user_id: before.user_id })
    expect(await jsonOf(await ask('/brands', token))).toEqual([])
    expect(await statusOf(embedded.token, testServer)).toBe(200)
  })

  test('a user imported with the same id keeps all data', async () => {
    const embedded = await signUpEmbedded(testServer)
    const before = await embedded.call('getUser')
    await testServer.deps.db
      .updateTable('identity_users')
      .set({ disabled: true })
      .where('uid', '=', before.uid)
      .execute()
    google.createUser({ localId: before.uid, email: before.email, password: PASSWORD })
    const { user } = await signInWithEmailAndPassword(browser(), before.email, PASSWORD)
    expect(await profile(await user.getIdToken())).toEqual(before)
  })
})

test('an address changed at the provider is shown', async () => {
  const { auth, user, token } = await someone()
  const [before, moved] = [await profile(token), newEmail()]
  await verifyBeforeUpdateEmail(user, moved)
  const [mail] = google.mails.filter(({ to }) => to === moved)
  await applyActionCode(auth, mail?.oobCode ?? '')
  const { user: after } = await signInWithEmailAndPassword(auth, moved, PASSWORD)
  expect(await profile(await after.getIdToken())).toEqual({ ...before, email: moved })
})

test('after a password reset at the provider an ID token stays valid until it expires', async () => {
  const { auth, user, email, token } = await someone()
  await sendPasswordResetEmail(auth, email)
  const mail = google.mails.find(({ to }) => to === email)
  expect(mail?.link).toMatch(
    /^https:\/\/demo\.firebaseapp\.com\/__\/auth\/action\?mode=resetPassword&oobCode=/,
  )
  await confirmPasswordReset(auth, mail?.oobCode ?? '', 'another horse battery')
  await expect(user.getIdToken(true)).rejects.toMatchObject({ code: 'auth/user-token-expired' })
  expect(await statusOf(token)).toBe(200)
  await expect(signInWithEmailAndPassword(auth, email, PASSWORD)).rejects.toMatchObject({
    code: 'auth/invalid-credential',
  })
  await signInWithEmailAndPassword(auth, email, 'another horse battery')
})

const pass = (minutes: number) => vi.setSystemTime(Date.now() + minutes * 60_000)

describe('an unreachable provider', () => {
  // Fakes only the clock for keys and tokens.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }))

  test('does not stop the server; calls that need it are answered 503 meanwhile', async () => {
    const { token } = await someone()
    google.down()
    const server = await serve('open')
    const status = async (path: string) => (await fetch(`${server.url}${path}`)).status
    expect(await Promise.all(['/healthz', '/readyz', '/api/v1/settings'].map(status))).toEqual([
      200, 200, 200,
    ])
    // 401 would sign every user out.
    const refused = await ask('/user', token, server)
    expect([refused.status, await jsonOf(refused)]).toEqual([
      503,
      expect.objectContaining({
        code: 'unavailable',
        message: "Can't reach the login service. Try again in a moment.",
      }),
    ])
    expect((await register(newEmail(), server)).status).toBe(503)
    google.up()
    expect(await statusOf(token, server)).toBe(200)
    await server.app.close()
  })

  test('ends no session: known keys stay in use when a refresh fails', async () => {
    const { user, token } = await someone()
    expect(await statusOf(token)).toBe(200)
    pass(120)
    const later = await user.getIdToken(true)
    google.down()
    expect(await statusOf(later)).toBe(200)
    expect(await statusOf(token)).toBe(401)
  })

  test('a new key is fetched on first use, and answered 503 while it cannot be fetched', async () => {
    const { user, token } = await someone()
    expect(await statusOf(token)).toBe(200)
    pass(1)
    await google.rotateKeys({ keepOld: true })
    const [renewed, old] = [await user.getIdToken(true), token]
    google.down()
    expect(await statusOf(renewed)).toBe(503)
    google.up()
    expect([await statusOf(renewed), await statusOf(old)]).toEqual([200, 200])
    pass(1)
    await google.rotateKeys({ keepOld: false })
    expect(await statusOf(await user.getIdToken(true))).toBe(200)
    expect(await statusOf(renewed)).toBe(401)
  })

  test('ends no session when something else answers in its place', async () => {
    google.refuseNext('accounts:signUp', 'Bad Gateway', 502)
    expect((await register(newEmail())).status).toBe(503)
  })
})
