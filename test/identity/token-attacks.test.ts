import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { decodeJwt, exportSPKI, generateKeyPair, exportJWK, importJWK, SignJWT, UnsecuredJWT } from 'jose'
import type { CryptoKey, JWTHeaderParameters, JWTPayload } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { API, type EndpointName } from '#contract/api/api.ts'
import type { Endpoint } from '#contract/http/endpoint.ts'
import { tiktokSourceInfo } from '#contract/platforms/tiktok.ts'
import { ProblemBody } from '#contract/http/problem.ts'
import { mailboxDir } from '#server/deps.ts'
import { rotateKeys } from '#identity/credentials/key-rotation.ts'
import { openKeys } from '#identity/credentials/keys.ts'
import {
  PASSWORD,
  pathOf,
  signIn,
  signUp,
  startTestServer,
  until,
  type TestServer,
  type Person,
} from '../support/test-server.ts'
import { codeIn, Mail } from '../support/identity.ts'
import { sampleVideo } from '../support/sample.ts'

/** Invalid ID tokens for every guarded call. Each differs from a valid token in one respect only. */
const ATTACKS = {
  'without signature': ['INVALID_ID_TOKEN', ({ good }) => new UnsecuredJWT(good).encode()],
  'with its signature removed': ['INVALID_ID_TOKEN', ({ token }) => token.replace(/[^.]*$/, '')],
  'with its algorithm changed to none': [
    'INVALID_ID_TOKEN',
    ({ token }) => `${encoded({ alg: 'none', typ: 'JWT' })}.${token.split('.')[1]}.${token.split('.')[2]}`,
  ],
  'with changed claims': [
    'INVALID_ID_TOKEN',
    ({ token, good }) => {
      const [head, , signature] = token.split('.')
      return `${head}.${encoded({ ...good, exp: (good.exp ?? 0) + 60 })}.${signature}`
    },
  ],
  'of another key with our kid': ['INVALID_ID_TOKEN', (it) => forged(it, { kid: it.kid })],
  'of another key that it embeds': [
    'INVALID_ID_TOKEN',
    async (it) => forged(it, { kid: it.kid, jwk: await exportJWK(it.other.publicKey) }),
  ],
  'of another key that it embeds, without kid': [
    'INVALID_ID_TOKEN',
    async (it) => forged(it, { jwk: await exportJWK(it.other.publicKey) }),
  ],
  'of another key with a URL to fetch it': [
    'INVALID_ID_TOKEN',
    (it) => forged(it, { kid: it.kid, jku: 'http://127.0.0.1:9/keys.json' }),
  ],
  'of another key with a certificate URL': [
    'INVALID_ID_TOKEN',
    (it) => forged(it, { kid: it.kid, x5u: 'http://127.0.0.1:9/certificate.pem' }),
  ],
  'of an unknown key': ['INVALID_ID_TOKEN', (it) => forged(it, { kid: 'unknown' })],
  'with SQL as kid': ['INVALID_ID_TOKEN', (it) => forged(it, { kid: "' or true --" })],
  'of our key without kid': ['INVALID_ID_TOKEN', (it) => signed(it, it.good, {})],
  'of our key with an unknown critical extension': [
    'INVALID_ID_TOKEN',
    (it) => signed(it, it.good, { kid: it.kid, crit: ['mystery'], mystery: true }),
  ],
  'of a withdrawn key': ['INVALID_ID_TOKEN', ({ withdrawn }) => withdrawn],
  'signed by HMAC with our public key as PEM': [
    'INVALID_ID_TOKEN',
    async (it) => symmetric(it, await exportSPKI(it.publicKey)),
  ],
  'signed by HMAC with our public key as JWK': [
    'INVALID_ID_TOKEN',
    (it) => symmetric(it, JSON.stringify(it.publicJwk)),
  ],
  'of another issuer': ['INVALID_ID_TOKEN', claiming({ iss: 'https://securetoken.google.com/reelay' })],
  'for another audience': ['INVALID_ID_TOKEN', claiming({ aud: 'another' })],
  'that has expired': ['INVALID_ID_TOKEN', claiming({ exp: -60 })],
  'that is not valid yet': ['INVALID_ID_TOKEN', claiming({ nbf: 3600 })],
  'of a sign-in in the future': ['INVALID_ID_TOKEN', claiming({ auth_time: 3600 })],
  'without expiry': ['INVALID_ID_TOKEN', claiming({ exp: undefined })],
  'without subject': ['INVALID_ID_TOKEN', claiming({ sub: undefined })],
  'with an empty subject': ['INVALID_ID_TOKEN', claiming({ sub: '' })],
  'replaced by a refresh token': ['INVALID_ID_TOKEN', ({ refreshToken }) => refreshToken],
  'replaced by an API key': ['INVALID_ID_TOKEN', () => 'reelay'],
  'of a deleted user': ['TOKEN_EXPIRED', ({ deleted }) => deleted],
  'of a disabled user': ['USER_DISABLED', ({ disabled }) => disabled],
  'from before a password change': ['TOKEN_EXPIRED', ({ changed }) => changed],
  'from before a password reset': ['TOKEN_EXPIRED', ({ reset }) => reset],
} as const satisfies Record<string, readonly [Refusal, (scene: Scene) => string | Promise<string>]>
type Refusal = 'INVALID_ID_TOKEN' | 'TOKEN_EXPIRED' | 'USER_DISABLED'

/** Secrets that an attacker may or may not have. */
type Scene = {
  readonly token: string
  readonly refreshToken: string
  readonly good: JWTPayload
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
  readonly publicJwk: object
  readonly other: CryptoKeyPair
  readonly withdrawn: string
  readonly deleted: string
  readonly disabled: string
  readonly changed: string
  readonly reset: string
}

/** Calls of the identity service that take an ID token. Add new ones here. */
const IDENTITY_CALLS: Record<string, object> = {
  'accounts:lookup': {},
  'accounts:update': { displayName: 'Mallory' },
  'accounts:update with a password': { password: 'a password of another' },
  'accounts:update with an address': { email: 'mallory@example.com' },
  'accounts:signUp': { email: 'mallory@example.com', password: PASSWORD },
  'accounts:delete': {},
  'accounts:sendOobCode that proves an address': { requestType: 'VERIFY_EMAIL' },
  'accounts:sendOobCode that moves an address': {
    requestType: 'VERIFY_AND_CHANGE_EMAIL',
    newEmail: 'mallory@example.com',
  },
}

let testServer: TestServer
let ada: Person
let held: Scene

beforeAll(async () => {
  testServer = await startTestServer()
  held = await setScene()
})
afterAll(() => testServer.stop())

describe('an ID token', () => {
  for (const [name, [refusal, make]] of Object.entries(ATTACKS)) {
    test(`${name} is refused by every call of the API and the identity service`, async () => {
      const token = await make(held)
      const answers = await Promise.all(
        GUARDED.map(async ([call, endpoint]) => [call, await ask(endpoint, token)]),
      )
      expect(Object.fromEntries(answers)).toEqual(
        Object.fromEntries(GUARDED.map(([call]) => [call, '401 unauthorized'])),
      )
      const refused = await Promise.all(
        Object.keys(IDENTITY_CALLS).map(async (call) => [call, await askIdentity(call, token)]),
      )
      expect(Object.fromEntries(refused)).toEqual(
        Object.fromEntries(Object.keys(IDENTITY_CALLS).map((call) => [call, refusal])),
      )
    })
  }

  test('that was refused has no effect', async () => {
    expect(await ada.call('getUser')).toMatchObject({ nickname: 'Ada' })
    expect(await ada.call('listVideos')).toEqual({ videos: [], next_cursor: null })
    expect(await Array.fromAsync(testServer.deps.storage.list())).toEqual([])
    expect((await signIn(testServer, ada.email)).token).not.toBe('')
  })

  test('that is valid is accepted by each of these requests', async () => {
    const answers = await Promise.all(
      GUARDED.map(async ([call, endpoint]) => {
        const { token } = LEAVING.has(call) ? await signUp(testServer, 'Eve') : ada
        return [call, await ask(endpoint, token)]
      }),
    )
    expect(answers.filter(([, answer]) => answer?.startsWith('401'))).toEqual([])
    for (const call of Object.keys(IDENTITY_CALLS)) {
      const eve = await signUp(testServer, 'Eve')
      expect(['200', 'OPERATION_NOT_ALLOWED', 'EMAIL_EXISTS'], call).toContain(
        await askIdentity(call, eve.token),
      )
    }
  })

  test('is read from the authorization header only', async () => {
    const elsewhere: [string, RequestInit][] = [
      [`?access_token=${ada.token}`, {}],
      [`?token=${ada.token}`, {}],
      ['', { headers: { cookie: `token=${ada.token}; __session=${ada.token}` } }],
      ['', { headers: { 'x-authorization': `Bearer ${ada.token}` } }],
      ['', { headers: { authorization: `Basic ${btoa(`user:${ada.token}`)}` } }],
      ['', { headers: { authorization: ada.token } }],
      ['', { headers: { authorization: `Bearer ${ada.token} ${ada.token}` } }],
    ]
    for (const [query, init] of elsewhere) {
      const answer = await fetch(`${testServer.url}/api/v1/user${query}`, init)
      expect(answer.status, query || JSON.stringify(init)).toBe(401)
    }
  })
})

const GUARDED = (Object.entries(API) as [EndpointName, Endpoint][]).filter(
  ([, endpoint]) => endpoint.auth !== 'none',
)

/** Calls that invalidate the token. */
const LEAVING: ReadonlySet<EndpointName> = new Set(['deleteUser', 'signOutEverywhere'])

/** Calls an endpoint with a valid body, except for ids. @returns status and code */
async function ask(endpoint: Endpoint, token: string): Promise<string> {
  const params = Object.fromEntries(
    [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = '']) => [
      name,
      name === 'platform' ? 'tiktok' : '1',
    ]),
  )
  const body = endpoint.file ? formFor(endpoint.file.field) : endpoint.method === 'GET' ? null : '{}'
  const answer = await fetch(`${testServer.url}/api/v1${pathOf(endpoint, { params })}`, {
    method: endpoint.method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    },
    body,
  })
  if (answer.ok) {
    await answer.body?.cancel()
    return String(answer.status)
  }
  return `${answer.status} ${ProblemBody.parse(await answer.json()).code}`
}

function formFor(field: string): FormData {
  const sample = sampleVideo()
  const form = new FormData()
  form.append('post_info', JSON.stringify({ title: 'Mine', caption: 'Mine' }))
  form.append('source_info', JSON.stringify(tiktokSourceInfo(sample.bytes)))
  form.append('accountId', '1')
  form.append(field, sample.file)
  return form
}

/** First word of the refusal, or the status. */
async function askIdentity(call: string, idToken: string): Promise<string> {
  const answer = await postIdentity(call.split(' ')[0] ?? '', { idToken, ...IDENTITY_CALLS[call] })
  if (answer.ok) return String(answer.status)
  const { error } = (await answer.json()) as { error: { message: string } } // the protocol's shape of a refusal
  return error.message.split(' : ')[0] ?? ''
}

const postIdentity = (call: string, body: object) =>
  fetch(`${testServer.url}/identity/v1/${call}?key=reelay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ returnSecureToken: true, ...body }),
  })

async function setScene(): Promise<Scene> {
  const keyDeps = testServer.deps
  const [early, gone, barred, changing, forgetful] = await Promise.all(
    ['Early', 'Gone', 'Barred', 'Changing', 'Forgetful'].map((name) => signUp(testServer, name)),
  )
  if (!early || !gone || !barred || !changing || !forgetful) throw new Error('Somebody could not sign up.')
  await rotateKeys(keyDeps, { kind: 'replace' })
  await until('the withdrawn key to be refused', async () => (await early.request('/user')).status === 401)

  const again = await Promise.all(
    [gone, barred, changing, forgetful].map(({ email }) => signIn(testServer, email)),
  )
  const [deleted = '', disabled = '', changed = '', reset = ''] = again.map(({ token }) => token)
  await mustWork(postIdentity('accounts:delete', { idToken: deleted }))
  const { db } = testServer.deps
  await db.updateTable('identity_users').set({ disabled: true }).where('email', '=', barred.email).execute()
  await mustWork(postIdentity('accounts:update', { idToken: changed, password: 'another password' }))
  await mustWork(
    postIdentity('accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email: forgetful.email }),
  )
  const oobCode = await codeFor(forgetful.email)
  await mustWork(postIdentity('accounts:resetPassword', { oobCode, newPassword: 'another password' }))

  ada = await signUp(testServer, 'Ada')
  const signedIn = await postIdentity('accounts:signInWithPassword', { email: ada.email, password: PASSWORD })
  const { refreshToken } = (await signedIn.json()) as { refreshToken: string } // the protocol's answer
  const keys = await openKeys(keyDeps)
  const { kid, privateKey } = await keys.signing()
  const publicJwk = (await keys.published()).keys.find((key) => key.kid === kid)
  if (!publicJwk) throw new Error('The key that signs is not published.')
  const publicKey = await importJWK(publicJwk, 'RS256', { extractable: true })
  if (publicKey instanceof Uint8Array) throw new Error('Not an RSA key.')
  return {
    token: ada.token,
    refreshToken,
    good: decodeJwt(ada.token),
    kid,
    privateKey,
    publicKey,
    publicJwk,
    other: await generateKeyPair('RS256'),
    withdrawn: early.token,
    deleted,
    disabled,
    changed,
    reset,
  }
}

async function mustWork(call: Promise<Response>): Promise<void> {
  const answer = await call
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}: ${await answer.text()}`)
}

const codeFor = (email: string): Promise<string> =>
  until(`the code for ${email}`, async () => {
    const dir = mailboxDir(testServer.config)
    const names = await readdir(dir).catch(() => [])
    const mails = await Promise.all(
      names.filter((name) => name.endsWith('.json')).map((name) => readFile(path.join(dir, name), 'utf8')),
    )
    return (
      mails
        .map((mail) => Mail.parse(JSON.parse(mail)))
        .filter((mail) => mail.to === email && mail.text.includes('mode=resetPassword'))
        .map(codeIn)[0] ?? null
    )
  })

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

const signed = (
  scene: Scene,
  claims: JWTPayload,
  header: Partial<JWTHeaderParameters>,
  key = scene.privateKey,
) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', ...header }).sign(key, { crit: { mystery: true } })

function forged(scene: Scene, header: Partial<JWTHeaderParameters>): Promise<string> {
  return signed(scene, scene.good, header, scene.other.privateKey)
}

function symmetric({ good, kid }: Scene, secret: string): Promise<string> {
  return new SignJWT(good).setProtectedHeader({ alg: 'HS256', kid }).sign(new TextEncoder().encode(secret))
}

/** Signs the valid claims with these changes; times are in seconds relative to now. */
function claiming(claims: Readonly<Record<string, string | number | undefined>>) {
  return (scene: Scene): Promise<string> => {
    const now = Math.floor(Date.now() / 1000)
    const said: JWTPayload = { ...scene.good }
    for (const [name, value] of Object.entries(claims))
      said[name] = typeof value === 'number' ? now + value : value
    return signed(scene, said, { kid: scene.kid })
  }
}
