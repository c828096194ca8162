import fastify from 'fastify'
import { afterAll, expect, test, vi } from 'vitest'
import { codeIn, PASSWORD, startIdentity } from '#test/support/identity.ts'
import { parsePolicy, SPECIAL_CHARACTERS } from '../credentials/policy.ts'
import { findByEmail } from '../store/users.ts'
import { networkKey } from '#base/ip-address.ts'
import { accountKey } from '../limits/throttle.ts'

// Comparing 100 passwords is slow on busy machines.
vi.setConfig({ testTimeout: 120_000 })

const service = await startIdentity()
afterAll(() => service.close())

type Sent = {
  path: string
  body?: unknown
  key?: string | null
  ip?: string
  headers?: Record<string, string>
}

async function post({ path, body = {}, key = 'reelay', ip = '127.0.0.1', headers = {} }: Sent) {
  const response = await service.app.inject({
    method: 'POST',
    url: `/identity${path}${key === null ? '' : `?key=${key}`}`,
    remoteAddress: ip,
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.statusCode, body: response.json<unknown>(), headers: response.headers }
}

const get = (path: string) => service.app.inject({ method: 'GET', url: `/identity${path}` })
const refusal = (message: string) => ({
  status: 400,
  body: { error: { code: 400, message, errors: [{ message, domain: 'global', reason: 'invalid' }] } },
})
const password = (email: string, given: string = PASSWORD, ip?: string) =>
  post({
    path: '/v1/accounts:signInWithPassword',
    body: { email, password: given, returnSecureToken: true, clientType: 'CLIENT_TYPE_WEB' },
    ...(ip !== undefined && { ip }),
  })
const token = (form: Record<string, string>, ip?: string) =>
  post({
    path: '/v1/token',
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    ...(ip !== undefined && { ip }),
  })

async function signUp(email: string) {
  const { body } = await post({ path: '/v1/accounts:signUp', body: { email, password: PASSWORD } })
  return body as { localId: string; idToken: string; refreshToken: string; expiresIn: string }
}

test('answers have the fields and types of Identity Toolkit', async () => {
  const made = await post({
    path: '/v1/accounts:signUp',
    body: { email: 'fields@example.test', password: PASSWORD, displayName: 'Field', returnSecureToken: true },
  })
  const secret = expect.any(String) as string
  expect(made.status).toBe(200)
  expect(made.body).toEqual({
    kind: 'identitytoolkit#SignupNewUserResponse',
    localId: secret,
    email: 'fields@example.test',
    displayName: 'Field',
    idToken: secret,
    refreshToken: secret,
    expiresIn: '3600',
  })
  expect(made.headers['cache-control']).toBe('no-store')

  const { localId } = made.body as { localId: string }
  const signedIn = await password('fields@example.test')
  expect(signedIn.body).toEqual({
    kind: 'identitytoolkit#VerifyPasswordResponse',
    localId,
    email: 'fields@example.test',
    displayName: 'Field',
    idToken: secret,
    registered: true,
    refreshToken: secret,
    expiresIn: '3600',
  })

  const { idToken, refreshToken } = signedIn.body as { idToken: string; refreshToken: string }
  expect((await token({ grant_type: 'refresh_token', refresh_token: refreshToken })).body).toEqual({
    access_token: secret,
    id_token: secret,
    expires_in: '3600',
    token_type: 'Bearer',
    refresh_token: refreshToken,
    user_id: localId,
    project_id: 'reelay',
  })

  const looked = await post({ path: '/v1/accounts:lookup', body: { idToken } })
  expect(looked.body).toEqual({
    kind: 'identitytoolkit#GetAccountInfoResponse',
    users: [
      {
        localId,
        email: 'fields@example.test',
        emailVerified: false,
        displayName: 'Field',
        providerUserInfo: [
          {
            providerId: 'password',
            federatedId: 'fields@example.test',
            rawId: 'fields@example.test',
            email: 'fields@example.test',
            displayName: 'Field',
          },
        ],
        passwordHash: 'UkVEQUNURUQ=',
        passwordUpdatedAt: service.now(),
        validSince: String(Math.floor(service.now() / 1000)),
        disabled: false,
        lastLoginAt: String(service.now()),
        createdAt: String(service.now()),
        lastRefreshAt: new Date(service.now()).toISOString(),
      },
    ],
  })
})

test('calls need an API key in query or header; the public keys need none', async () => {
  const without = await post({ path: '/v1/accounts:signInWithPassword', key: null })
  expect(without.status).toBe(403)
  expect(without.body).toMatchObject({ error: { code: 403, status: 'PERMISSION_DENIED' } })
  const byHeader = await post({
    path: '/v1/accounts:lookup',
    key: null,
    headers: { 'x-goog-api-key': 'any' },
  })
  expect(byHeader).toMatchObject(refusal('MISSING_ID_TOKEN'))
  expect((await get('/v2/passwordPolicy')).statusCode).toBe(403)
  expect((await get('/.well-known/jwks.json')).statusCode).toBe(200)
})

test.each([
  ['/v1/accounts:signUp', {}, 'MISSING_EMAIL'],
  ['/v1/accounts:signUp', { password: PASSWORD }, 'MISSING_EMAIL'],
  ['/v1/accounts:signUp', { email: 'a@example.test' }, 'MISSING_PASSWORD'],
  [
    '/v1/accounts:signUp',
    { email: 'a@example.test', password: PASSWORD, localId: 'mine' },
    'UNEXPECTED_PARAMETER : User ID',
  ],
  [
    '/v1/accounts:signUp',
    { email: 'a@example.test', password: 'short' },
    'WEAK_PASSWORD : Password should be at least 6 characters',
  ],
  [
    '/v1/accounts:signUp',
    { email: 'a@example.test', password: 'x'.repeat(4097) },
    'PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [Password may contain at most 4096 characters]',
  ],
  ['/v1/accounts:signUp', { email: `${'a'.repeat(250)}@example.test`, password: PASSWORD }, 'INVALID_EMAIL'],
  ['/v1/accounts:signInWithPassword', { password: PASSWORD }, 'MISSING_EMAIL'],
  ['/v1/accounts:signInWithPassword', { email: 'a@example.test' }, 'MISSING_PASSWORD'],
  ['/v1/accounts:signInWithPassword', { email: 'a', password: 'b' }, 'INVALID_EMAIL'],
  ['/v1/accounts:lookup', {}, 'MISSING_ID_TOKEN'],
  ['/v1/accounts:lookup', { idToken: 'nonsense' }, 'INVALID_ID_TOKEN'],
  ['/v1/accounts:update', {}, 'MISSING_ID_TOKEN'],
  ['/v1/accounts:update', { idToken: 'nonsense', displayName: 'x' }, 'INVALID_ID_TOKEN'],
  ...Object.entries({
    localId: 'mine',
    disableUser: true,
    emailVerified: true,
    validSince: '1',
    customAttributes: '{"admin":true}',
    deleteProvider: ['password'],
  }).map(([name, value]): [string, object, string] => [
    '/v1/accounts:update',
    { idToken: 'nonsense', [name]: value },
    'INSUFFICIENT_PERMISSION',
  ]),
  ['/v1/accounts:delete', {}, 'MISSING_ID_TOKEN'],
  ['/v1/accounts:delete', { localId: 'theirs' }, 'INSUFFICIENT_PERMISSION'],
  ['/v1/accounts:lookup', { targetProjectId: 'another' }, 'INSUFFICIENT_PERMISSION'],
  ['/v1/accounts:lookup', { tenantId: 'another' }, 'UNSUPPORTED_TENANT_OPERATION'],
  ['/v1/accounts:signUp', { idToken: 'nonsense', email: 'a@example.test' }, 'MISSING_PASSWORD'],
  [
    '/v1/accounts:signUp',
    { idToken: 'nonsense', email: 'a@example.test', password: PASSWORD },
    'INVALID_ID_TOKEN',
  ],
  ['/v1/accounts:createAuthUri', {}, 'MISSING_IDENTIFIER'],
  ['/v1/accounts:createAuthUri', { identifier: 'a@example.test' }, 'MISSING_CONTINUE_URI'],
  [
    '/v1/accounts:createAuthUri',
    { identifier: 'a@example.test', continueUri: 'javascript:alert(1)' },
    'INVALID_CONTINUE_URI : The continue URL must be an absolute http or https address.',
  ],
  [
    '/v1/accounts:createAuthUri',
    { identifier: 'a', continueUri: 'https://example.test/' },
    'INVALID_IDENTIFIER',
  ],
  ['/v1/accounts:sendOobCode', {}, 'MISSING_REQ_TYPE'],
  ['/v1/accounts:sendOobCode', { requestType: 'NONSENSE' }, 'INVALID_REQ_TYPE'],
  ['/v1/accounts:sendOobCode', { requestType: 'PASSWORD_RESET' }, 'MISSING_EMAIL'],
  [
    '/v1/accounts:sendOobCode',
    { requestType: 'PASSWORD_RESET', email: 'a@example.test', returnOobLink: true },
    'INSUFFICIENT_PERMISSION',
  ],
  ['/v1/accounts:sendOobCode', { requestType: 'EMAIL_SIGNIN' }, 'MISSING_EMAIL'],
  [
    '/v1/accounts:sendOobCode',
    { requestType: 'EMAIL_SIGNIN', email: 'a@example.test', canHandleCodeInApp: true },
    'MISSING_CONTINUE_URI',
  ],
  [
    '/v1/accounts:sendOobCode',
    { requestType: 'EMAIL_SIGNIN', email: 'a@example.test', continueUrl: 'http://127.0.0.1/' },
    'MISSING_CONTINUE_URI',
  ],
  [
    '/v1/accounts:sendOobCode',
    { requestType: 'PASSWORD_RESET', email: 'a@example.test', continueUrl: 'https://elsewhere.example/' },
    'UNAUTHORIZED_DOMAIN : The domain of the continue URL is not an authorized one.',
  ],
  ['/v1/accounts:sendOobCode', { requestType: 'VERIFY_EMAIL' }, 'MISSING_ID_TOKEN'],
  ['/v1/accounts:sendOobCode', { requestType: 'VERIFY_EMAIL', idToken: 'nonsense' }, 'INVALID_ID_TOKEN'],
  ['/v1/accounts:sendOobCode', { requestType: 'VERIFY_AND_CHANGE_EMAIL' }, 'MISSING_ID_TOKEN'],
  [
    '/v1/accounts:sendOobCode',
    { requestType: 'VERIFY_AND_CHANGE_EMAIL', idToken: 'nonsense' },
    'MISSING_NEW_EMAIL',
  ],
  ['/v1/accounts:sendOobCode', { requestType: 'RECOVER_EMAIL' }, 'INVALID_REQ_TYPE'],
  ['/v1/accounts:update', { oobCode: 'nonsense' }, 'INVALID_OOB_CODE'],
  ['/v1/accounts:signInWithEmailLink', { oobCode: 'nonsense' }, 'MISSING_EMAIL'],
  ['/v1/accounts:signInWithEmailLink', { email: 'a@example.test' }, 'MISSING_OOB_CODE'],
  ['/v1/accounts:signInWithEmailLink', { email: 'a', oobCode: 'nonsense' }, 'INVALID_EMAIL'],
  ['/v1/accounts:signInWithEmailLink', { email: 'a@example.test', oobCode: 'nonsense' }, 'INVALID_OOB_CODE'],
  ['/v1/accounts:resetPassword', {}, 'MISSING_OOB_CODE'],
  ['/v1/accounts:resetPassword', { oobCode: 'nonsense' }, 'INVALID_OOB_CODE'],
  ['/v1/accounts:resetPassword', { oobCode: 'nonsense', newPassword: PASSWORD }, 'INVALID_OOB_CODE'],
  ['/v1/token', {}, 'MISSING_GRANT_TYPE'],
  ['/v1/token', { grant_type: 'password' }, 'INVALID_GRANT_TYPE'],
  ['/v1/token', { grant_type: 'refresh_token' }, 'MISSING_REFRESH_TOKEN'],
  ['/v1/token', { grant_type: 'refresh_token', refresh_token: 'nonsense' }, 'INVALID_REFRESH_TOKEN'],
  ['/v1/token', { grant_type: 'refresh_token', refresh_token: 'A'.repeat(43) }, 'TOKEN_EXPIRED'],
  ['/v1/accounts:nonsense', {}, 'OPERATION_NOT_ALLOWED : This service does not offer this call.'],
])('%s %j is refused as %s', async (path, body, message) => {
  expect(await post({ path, body })).toMatchObject(refusal(message))
})

test('an unknown call is refused by the service, not served by the web app', async () => {
  const own = await startIdentity()
  const app = fastify()
  app.get('/*', () => 'the web app')
  await app.register(own.identity.plugin ?? (() => undefined), { prefix: '/identity' })
  const calls = [
    ['GET', '/v1/nonsense'],
    ['GET', '/v1/accounts:signUp'],
    ['GET', ''],
    ['GET', '/'],
    ['PUT', '/v1/token'],
    ['DELETE', '/v1/accounts:delete'],
    ['OPTIONS', '/v1/token'],
  ] as const
  for (const [method, path] of calls) {
    const answer = await app.inject({ method, url: `/identity${path}?key=reelay` })
    expect([method, path, answer.statusCode, answer.json()]).toEqual([
      method,
      path,
      400,
      refusal('OPERATION_NOT_ALLOWED : This service does not offer this call.').body,
    ])
  }
  expect((await app.inject({ method: 'HEAD', url: '/identity/v1/nonsense?key=reelay' })).statusCode).toBe(400)
  expect((await app.inject('/identity/v1/nonsense')).json()).toMatchObject({ error: { code: 403 } })
  expect((await app.inject('/elsewhere')).body).toBe('the web app')
  await app.close()
  await own.close()
})

const send = (body: object) => post({ path: '/v1/accounts:sendOobCode', body })

test('a request type may be an enum number, as the Android SDK sends it', async () => {
  const email = 'android@example.test'
  const { idToken } = await signUp(email)
  const continueUrl = `${service.publicUrl}/`
  const newEmail = 'android-new@example.test'
  const sent = [
    await send({ requestType: 1, email }),
    await send({ requestType: 4, idToken }),
    await send({ requestType: 6, email, continueUrl, canHandleCodeInApp: true }),
    await send({ requestType: 7, idToken, newEmail }),
  ]
  expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  for (const mode of ['resetPassword', 'verifyEmail', 'signIn']) await service.nextMail(email, mode)
  await service.nextMail(newEmail, 'verifyAndChangeEmail')
  expect(await send({ requestType: 0, email })).toMatchObject(refusal('MISSING_REQ_TYPE'))
  for (const requestType of [2, 8, 99, -1])
    expect(await send({ requestType, email })).toMatchObject(refusal('INVALID_REQ_TYPE'))
})

test.each([
  [
    'a form',
    'application/x-www-form-urlencoded',
    (fields: Record<string, string>) => `${new URLSearchParams(fields)}`,
  ],
  ['JSON', 'application/json', (fields: Record<string, string>) => JSON.stringify(fields)],
])('a token is refreshed by camel case or snake case fields in %s', async (_, type, write) => {
  const { refreshToken } = await signUp(`renewed-${type.length}@example.test`)
  const renew = (fields: Record<string, string>) =>
    post({ path: '/v1/token', body: write(fields), headers: { 'content-type': type } })
  for (const fields of [
    { grantType: 'refresh_token', refreshToken },
    { grant_type: 'refresh_token', refresh_token: refreshToken },
  ])
    expect((await renew(fields)).body).toMatchObject({ refresh_token: refreshToken, token_type: 'Bearer' })
  expect(await renew({ grantType: 'refresh_token' })).toMatchObject(refusal('MISSING_REFRESH_TOKEN'))
  expect(await renew({ grantType: 'password', refreshToken })).toMatchObject(refusal('INVALID_GRANT_TYPE'))
})

test.each([
  ['not JSON', '{'],
  ['wrong type', { email: 5, password: PASSWORD }],
  ['a list', []],
  ['nothing', 'null'],
  [
    'a name with a control character',
    { email: 'a@example.test', password: PASSWORD, displayName: 'a\u0000b' },
  ],
  ['over 16 kB', { email: 'a@example.test', password: 'x'.repeat(16_384) }],
])('a malformed body (%s) is refused in the error format of the SDK', async (_name, body) => {
  const answer = await post({ path: '/v1/accounts:signUp', body })
  expect(answer).toMatchObject(refusal('INVALID_ARGUMENT : The request is not one that this call takes.'))
})

test('text that the database cannot store is refused, not answered 503', async () => {
  const { idToken } = await signUp('zero@example.test')
  const zero = 'a\u0000b'
  for (const change of [{ displayName: zero }, { photoUrl: zero }, { email: zero }]) {
    expect((await post({ path: '/v1/accounts:update', body: { idToken, ...change } })).status).toBe(400)
  }
})

test('another content type is refused', async () => {
  const answer = await post({
    path: '/v1/accounts:signUp',
    body: 'text',
    headers: { 'content-type': 'text/plain' },
  })
  expect(answer.status).toBe(400)
})

test('a database failure is answered as plain text, so that the SDK keeps its user', async () => {
  const broken = await startIdentity()
  const { refreshToken } = await signUpAt(broken)
  await broken.db.schema.dropTable('identity_sessions').execute()
  const answer = await broken.app.inject({
    method: 'POST',
    url: '/identity/v1/token?key=reelay',
    payload: { grant_type: 'refresh_token', refresh_token: refreshToken },
  })
  expect(answer.statusCode).toBe(503)
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(() => answer.json<unknown>()).toThrow(SyntaxError)
  await broken.close()
})

test('unknown fields are ignored', async () => {
  const answer = await post({
    path: '/v1/accounts:signUp',
    body: { email: 'more@example.test', password: PASSWORD, clientType: 'CLIENT_TYPE_WEB', unheardOf: [1] },
    headers: {
      'x-client-version': 'Chrome/JsCore/12.19.0/FirebaseCore-web',
      'x-firebase-client': 'e30',
      'x-firebase-gmpid': '1:2:web:3',
      'x-firebase-locale': 'pt',
      'x-firebase-appcheck': 'token',
    },
  })
  expect(answer.status).toBe(200)
})

test('a custom password policy is reported completely', async () => {
  const policy = parsePolicy('min:10,max:128,lowercase,uppercase,numeric,special,upgrade')
  const own = await startIdentity({
    rules: { ...(policy && { policy }), authorizedDomains: ['example.com'] },
  })
  const read = async (path: string) => (await own.app.inject(`/identity${path}?key=reelay`)).json<unknown>()
  expect(await read('/v2/passwordPolicy')).toEqual({
    customStrengthOptions: {
      minPasswordLength: 10,
      maxPasswordLength: 128,
      containsLowercaseCharacter: true,
      containsUppercaseCharacter: true,
      containsNumericCharacter: true,
      containsNonAlphanumericCharacter: true,
    },
    allowedNonAlphanumericCharacters: SPECIAL_CHARACTERS,
    enforcementState: 'ENFORCE',
    forceUpgradeOnSignin: true,
    schemaVersion: 1,
  })
  expect(await read('/v1/projects')).toEqual({
    projectId: 'reelay',
    authorizedDomains: ['127.0.0.1', 'example.com'],
  })
  await own.close()
})

test('the read-only calls answer policy, captcha and project settings', async () => {
  expect((await get('/v2/passwordPolicy?key=reelay')).json()).toMatchObject({
    customStrengthOptions: { minPasswordLength: 6, maxPasswordLength: 4096 },
    enforcementState: 'OFF',
    schemaVersion: 1,
  })
  expect((await get('/v1/projects?key=reelay')).json()).toEqual({
    projectId: 'reelay',
    authorizedDomains: ['127.0.0.1'],
  })
  expect((await get('/v2/recaptchaConfig?key=reelay')).json()).toMatchObject({
    recaptchaEnforcementState: [{ provider: 'EMAIL_PASSWORD_PROVIDER', enforcementState: 'OFF' }],
  })
  const keys = await get('/.well-known/jwks.json')
  expect(keys.headers['cache-control']).toBe('public, max-age=300')
  expect(keys.json()).toEqual({
    keys: [
      {
        kty: 'RSA',
        use: 'sig',
        alg: 'RS256',
        e: 'AQAB',
        kid: expect.any(String) as string,
        n: expect.any(String) as string,
      },
    ],
  })
})

test('an address with too many wrong passwords is refused for every account', async () => {
  for (let guess = 0; guess < 100; guess += 1) {
    await password(`guess-${guess}@example.test`, 'wrong', '203.0.113.9')
  }
  const answer = await password('fields@example.test', PASSWORD, '203.0.113.9')
  expect(answer.body).toMatchObject({
    error: { code: 400, message: expect.stringMatching(/^TOO_MANY_ATTEMPTS_TRY_LATER : /) as string },
  })
  expect((await password('fields@example.test', PASSWORD, '203.0.113.10')).status).toBe(200)
})

test('an address with too many wrong codes is refused for every code', async () => {
  const body = { oobCode: 'a guess', email: 'fields@example.test' }
  const guess = (path: string, ip: string) => post({ path, body, ip })
  const [apply, link] = ['/v1/accounts:update', '/v1/accounts:signInWithEmailLink']
  const ways = ['/v1/accounts:resetPassword', apply, link]
  const tries = Array.from({ length: 51 }, (_, index) => guess(ways[index % 3] ?? '', '203.0.113.77'))
  await Promise.all(tries)
  for (const way of ways) {
    expect((await guess(way, '203.0.113.77')).body).toMatchObject({
      error: { message: expect.stringMatching(/^TOO_MANY_ATTEMPTS_TRY_LATER : /) as string },
    })
    expect(await guess(way, '203.0.113.78')).toMatchObject(refusal('INVALID_OOB_CODE'))
  }
})

const isCompared = async () =>
  JSON.stringify((await password('burst@example.test', 'wrong')).body).includes('INVALID_LOGIN_CREDENTIALS')

test('parallel guesses at one account are compared up to the limit only', async () => {
  await signUp('burst@example.test')
  const burst = await Promise.all(Array.from({ length: 60 }, isCompared))
  let compared = burst.filter(Boolean).length
  // Running attempts count as used, so a burst may stay below the limit.
  while (await isCompared()) compared += 1
  expect(compared).toBe(10)
  const user = await findByEmail(service.db, 'burst@example.test')
  const key = accountKey('burst@example.test', user?.password_hash ?? '', networkKey('127.0.0.1'))
  const counted = await service.db
    .selectFrom('identity_throttle')
    .select('points')
    .where('key', '=', `wrongPasswordByPair:${key}`)
    .executeTakeFirstOrThrow()
  expect(counted.points).toBe(10)
})

test('the 51st sign-up from one address within an hour is refused', async () => {
  const ip = '2001:db8:1:2::3'
  const one = (index: number, from = ip) =>
    post({
      path: '/v1/accounts:signUp',
      body: { email: `mass-${index}@example.test`, password: PASSWORD },
      ip: from,
    })
  const made = await Promise.all(Array.from({ length: 50 }, (_, index) => one(index)))
  expect(made.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200))
  expect((await one(50, '2001:db8:1:2:ffff::1')).status).toBe(400)
  expect((await one(51, '2001:db8:1:3::1')).status).toBe(200)
})

test('a session expires after 180 days without use', async () => {
  const own = await startIdentity()
  const { refreshToken } = await signUpAt(own)
  const refresh = () =>
    own.app.inject({
      method: 'POST',
      url: '/identity/v1/token?key=reelay',
      payload: { grant_type: 'refresh_token', refresh_token: refreshToken },
    })
  own.advance(179 * 86_400_000)
  expect((await refresh()).statusCode).toBe(200)
  own.advance(181 * 86_400_000)
  expect((await refresh()).json()).toMatchObject({ error: { message: 'TOKEN_EXPIRED' } })
  await own.close()
})

test('no value in the database can be used to sign in', async () => {
  const { idToken, refreshToken } = await signUp('secret@example.test')
  await post({
    path: '/v1/accounts:sendOobCode',
    body: { requestType: 'PASSWORD_RESET', email: 'secret@example.test' },
  })
  const code = codeIn(await service.nextMail('secret@example.test'))
  const tables = ['identity_users', 'identity_sessions', 'identity_codes', 'identity_mail_requests'] as const
  const rows = await Promise.all(tables.map((table) => service.db.selectFrom(table).selectAll().execute()))
  const text = JSON.stringify(rows, (_key, value: unknown) =>
    Buffer.isBuffer(value) ? value.toString('base64url') : value,
  )
  for (const secret of [PASSWORD, idToken, refreshToken, code]) expect(text).not.toContain(secret)
})

async function signUpAt(other: typeof service) {
  const answer = await other.app.inject({
    method: 'POST',
    url: '/identity/v1/accounts:signUp?key=reelay',
    payload: { email: 'user@example.test', password: PASSWORD },
  })
  return answer.json<{ refreshToken: string; idToken: string }>()
}
