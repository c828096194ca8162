import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { deleteApp, initializeApp } from '@firebase/app'
import {
  createUserWithEmailAndPassword,
  deleteUser,
  EmailAuthProvider,
  fetchSignInMethodsForEmail,
  GoogleAuthProvider,
  inMemoryPersistence,
  initializeAuth,
  linkWithCredential,
  OAuthCredential,
  sendPasswordResetEmail,
  sendSignInLinkToEmail,
  signInAnonymously,
  signInWithCredential,
  signInWithEmailAndPassword,
  signInWithEmailLink,
  updatePassword,
  updateProfile,
  validatePassword,
} from '@firebase/auth'
import type { Auth } from '@firebase/auth'
import { afterAll, describe, expect, test } from 'vitest'
import { codeIn, linkIn, PASSWORD, startIdentity } from '#test/support/identity.ts'

// The provider calls of the specification, made by the browser SDK, and the answers of the built-in service.

const service = await startIdentity()
afterAll(() => service.close())

const code = (name: string) => expect.objectContaining({ code: `auth/${name}` }) as Error
const WEB = 'CLIENT_TYPE_WEB'

async function callsOf(doing: () => Promise<unknown>) {
  const before = service.calls.length
  await doing()
  return service.calls.slice(before)
}

describe('the built-in service', () => {
  test('a sign-in sends email, password, returnSecureToken and clientType, then a lookup', async () => {
    const email = 'sign-in@example.test'
    await createUserWithEmailAndPassword(service.browser(), email, PASSWORD)
    const calls = await callsOf(() => signInWithEmailAndPassword(service.browser(), email, PASSWORD))
    expect(calls).toEqual([
      {
        method: 'POST',
        path: '/v1/accounts:signInWithPassword',
        body: { email, password: PASSWORD, returnSecureToken: true, clientType: WEB },
      },
      {
        method: 'POST',
        path: '/v1/accounts:lookup',
        body: { idToken: expect.any(String) as string },
      },
    ])
  })

  test('a token is refreshed with the refresh token', async () => {
    const auth = service.browser()
    const { user } = await createUserWithEmailAndPassword(auth, 'renew@example.test', PASSWORD)
    const calls = await callsOf(() => user.getIdToken(true))
    expect(calls).toEqual([
      {
        method: 'POST',
        path: '/v1/token',
        body: { grant_type: 'refresh_token', refresh_token: user.refreshToken },
      },
    ])
  })

  test('a reset is requested as PASSWORD_RESET with email and clientType', async () => {
    const email = 'reset@example.test'
    expect(await callsOf(() => sendPasswordResetEmail(service.browser(), email))).toEqual([
      {
        method: 'POST',
        path: '/v1/accounts:sendOobCode',
        body: { requestType: 'PASSWORD_RESET', email, clientType: WEB },
      },
    ])
  })

  test('the password policy is read by GET and has a minimum length of 6', async () => {
    const auth = service.browser()
    const calls = await callsOf(async () => {
      expect(await validatePassword(auth, '12345')).toMatchObject({ meetsMinPasswordLength: false })
    })
    expect(calls).toMatchObject([{ method: 'GET', path: '/v2/passwordPolicy' }])
  })

  test('the stored identity has every field of the specification', async () => {
    const { user } = await createUserWithEmailAndPassword(service.browser(), 'kept@example.test', PASSWORD)
    expect(Object.keys(user.toJSON())).toEqual(
      expect.arrayContaining([
        'uid',
        'email',
        'emailVerified',
        'displayName',
        'isAnonymous',
        'photoURL',
        'phoneNumber',
        'tenantId',
        'providerData',
        'createdAt',
        'lastLoginAt',
      ]),
    )
  })

  test('a password is linked by sign-up with the ID token of the user', async () => {
    const auth = service.browser()
    const { user } = await createUserWithEmailAndPassword(auth, 'linked@example.test', PASSWORD)
    await service.db
      .updateTable('identity_users')
      .set({ password_hash: null, password_updated_at: null })
      .where('uid', '=', user.uid)
      .execute()
    Object.assign(user, { providerData: [] })
    const credential = EmailAuthProvider.credential('linked@example.test', 'another horse')
    const calls = await callsOf(() => linkWithCredential(user, credential))
    expect(calls.find(({ path }) => path.endsWith(':signUp'))).toEqual({
      method: 'POST',
      path: '/v1/accounts:signUp',
      body: {
        idToken: expect.any(String) as string,
        email: 'linked@example.test',
        password: 'another horse',
        returnSecureToken: true,
        clientType: WEB,
      },
    })
    await expect(linkWithCredential(user, credential)).rejects.toEqual(code('provider-already-linked'))
  })

  test('sign-in methods are requested with identifier and continueUri', async () => {
    const email = 'ways@example.test'
    const calls = await callsOf(() => fetchSignInMethodsForEmail(service.browser(), email))
    expect(calls).toEqual([
      {
        method: 'POST',
        path: '/v1/accounts:createAuthUri',
        body: { identifier: email, continueUri: expect.stringMatching(/^http:/) as string },
      },
    ])
  })

  test('name, picture and password are changed by account update with the ID token', async () => {
    const auth = service.browser()
    const { user } = await createUserWithEmailAndPassword(auth, 'changes@example.test', PASSWORD)
    const idToken = expect.any(String) as string
    const path = '/v1/accounts:update'
    const calls = await callsOf(async () => {
      await updateProfile(user, { displayName: 'Ada', photoURL: null })
      await updatePassword(user, 'another horse')
      await deleteUser(user)
    })
    expect(calls.filter((call) => !call.path.endsWith(':lookup'))).toEqual([
      {
        method: 'POST',
        path,
        body: { idToken, displayName: 'Ada', photoUrl: null, returnSecureToken: true },
      },
      { method: 'POST', path, body: { idToken, password: 'another horse', returnSecureToken: true } },
      { method: 'POST', path: '/v1/accounts:delete', body: { idToken } },
    ])
  })

  test('a sign-in with an email link sends email and oobCode', async () => {
    const auth = service.browser()
    const email = 'link@example.test'
    const asked = await callsOf(() =>
      sendSignInLinkToEmail(auth, email, { url: `${service.publicUrl}/`, handleCodeInApp: true }),
    )
    expect(asked).toEqual([
      {
        method: 'POST',
        path: '/v1/accounts:sendOobCode',
        body: {
          requestType: 'EMAIL_SIGNIN',
          email,
          clientType: WEB,
          continueUrl: `${service.publicUrl}/`,
          canHandleCodeInApp: true,
        },
      },
    ])
    const mail = await service.nextMail(email)
    const calls = await callsOf(() => signInWithEmailLink(auth, email, linkIn(mail)))
    expect(calls).toMatchObject([
      { path: '/v1/accounts:signInWithEmailLink', body: { email, oobCode: codeIn(mail) } },
      { path: '/v1/accounts:lookup' },
    ])
    expect(auth.currentUser?.email).toBe(email)
  })

  test("a sign-in with another provider's credential is refused as not offered", async () => {
    const auth = service.browser()
    const path = '/v1/accounts:signInWithIdp'
    const calls = await callsOf(async () => {
      const google = GoogleAuthProvider.credential('an-id-token')
      await expect(signInWithCredential(auth, google)).rejects.toEqual(code('operation-not-allowed'))
      const pending = OAuthCredential.fromJSON({
        providerId: 'oidc.other',
        signInMethod: 'oidc.other',
        idToken: 'an-id-token',
        pendingToken: 'a-pending-token',
      })
      await expect(signInWithCredential(auth, pending ?? google)).rejects.toEqual(
        code('operation-not-allowed'),
      )
      const { user } = await createUserWithEmailAndPassword(auth, 'both@example.test', PASSWORD)
      await expect(linkWithCredential(user, google)).rejects.toEqual(code('operation-not-allowed'))
    })
    const requestUri = expect.any(String) as string
    expect(calls.filter((call) => call.path === path)).toMatchObject([
      {
        body: {
          requestUri,
          returnSecureToken: true,
          postBody: '&id_token=an-id-token&providerId=google.com',
        },
      },
      { body: { requestUri, returnSecureToken: true, pendingToken: 'a-pending-token' } },
      { body: { requestUri, returnSecureToken: true, idToken: expect.any(String) as string } },
    ])
  })
})

async function scripted(answer: (path: string) => object) {
  const calls: { method: string; path: string; body: Record<string, unknown> }[] = []
  const server = createServer((request, response) => void reply(request, response))
  const reply = async (request: IncomingMessage, response: ServerResponse) => {
    const sent = await text(request)
    const body = (sent === '' ? {} : JSON.parse(sent)) as Record<string, unknown>
    const path = new URL(request.url ?? '', 'http://localhost').pathname
    calls.push({ method: request.method ?? '', path, body })
    const said = answer(path)
    response.writeHead('error' in said ? 400 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(said))
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const app = initializeApp({ apiKey: 'hosted' }, `hosted-${host}`)
  const auth: Auth = initializeAuth(app, { persistence: inMemoryPersistence })
  Object.assign(auth.config, { apiHost: host, tokenApiHost: host, apiScheme: 'http' })
  const close = async () => {
    await deleteApp(app)
    server.closeAllConnections()
    server.close()
  }
  return { auth, calls, close }
}

/** An unsigned token: the browser does not verify it. */
const TOKEN = ['{"alg":"none"}', '{"sub":"u","iat":1,"exp":9999999999}', '']
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.')
const SESSION = { localId: 'u', idToken: TOKEN, refreshToken: 'r', expiresIn: '3600' }
const USER = { users: [{ localId: 'u', createdAt: '1', lastLoginAt: '1' }] }

describe('a hosted provider', () => {
  test('links a password by sign-up with the ID token of the user', async () => {
    const { auth, calls, close } = await scripted((path) => (path.endsWith(':lookup') ? USER : SESSION))
    const { user } = await signInAnonymously(auth)
    await linkWithCredential(user, EmailAuthProvider.credential('ada@example.test', PASSWORD))
    await close()
    expect(calls.filter(({ body }) => 'password' in body)).toEqual([
      {
        method: 'POST',
        path: '/v1/accounts:signUp',
        body: {
          idToken: TOKEN,
          email: 'ada@example.test',
          password: PASSWORD,
          returnSecureToken: true,
          clientType: WEB,
        },
      },
    ])
  })

  test('that requires a second factor is refused as not offered', async () => {
    const { auth, close } = await scripted(() => ({ mfaPendingCredential: 'm', mfaInfo: [], localId: 'u' }))
    await expect(signInWithEmailAndPassword(auth, 'ada@example.test', PASSWORD)).rejects.toEqual(
      code('multi-factor-auth-required'),
    )
    await close()
  })
})
