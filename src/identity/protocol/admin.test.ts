import {
  applyActionCode,
  confirmPasswordReset,
  createUserWithEmailAndPassword,
  signInWithEmailAndPassword,
} from 'firebase/auth'
import { pino } from 'pino'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { PASSWORD, startIdentity } from '#test/support/identity.ts'

// What whoever runs the server may do with users, and nobody else.
const KEY = 'the-key-of-the-operator-0123456789'
const lines: string[] = []
const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
const service = await startIdentity({ rules: { adminKey: KEY, signup: 'closed' }, log })
const open = await startIdentity()
afterAll(async () => {
  await service.close()
  await open.close()
})

const code = (name: string) => expect.objectContaining({ code: `auth/${name}` }) as Error

type Body = { readonly [field: string]: unknown }
async function ask(path: string, body: Body, bearer: string | null = KEY, at = service, from = '127.0.0.1') {
  const answer = await at.app.inject({
    method: 'POST',
    url: `/identity${path}`,
    remoteAddress: from,
    headers: bearer === null ? {} : { authorization: `Bearer ${bearer}` },
    payload: body,
  })
  return { status: answer.statusCode, body: answer.json<Body>() }
}
const ok = async (path: string, body: Body) => {
  const answer = await ask(path, body)
  expect(answer).toMatchObject({ status: 200 })
  return answer.body
}
const refused = async (path: string, body: Body) => {
  const answer = await ask(path, body)
  expect(answer.status).toBe(400)
  return (answer.body as { error: { message: string } }).error.message // as every refusal is
}

let count = 0
/** A user with a password, signed in. */
async function somebody() {
  count += 1
  const email = `somebody-${count}@example.test`
  const { localId } = await ok('/v1/accounts:signUp', { email, password: PASSWORD })
  const auth = service.browser()
  const { user } = await signInWithEmailAndPassword(auth, email, PASSWORD)
  expect(user.uid).toBe(localId)
  return { auth, user, email, uid: user.uid }
}

describe('the key', () => {
  test('opens nothing where none is configured', async () => {
    const made = await createUserWithEmailAndPassword(open.browser(), 'ada@example.test', PASSWORD)
    for (const bearer of [KEY, 'null', 'undefined', 'owner']) {
      expect(await ask('/v1/accounts:delete', { localId: made.user.uid }, bearer, open)).toMatchObject({
        status: 401,
        body: { error: { code: 401, status: 'UNAUTHENTICATED' } },
      })
    }
  })

  test('is no other one, and no ID token', async () => {
    const { user, uid } = await somebody()
    for (const bearer of [`${KEY}x`, KEY.slice(1), KEY.toUpperCase(), await user.getIdToken()]) {
      expect(await ask('/v1/accounts:update', { localId: uid, disableUser: true }, bearer)).toMatchObject({
        status: 401,
      })
    }
    await user.reload()
  })

  test('is asked for: the public API key does not do', async () => {
    const { user, uid } = await somebody()
    const idToken = await user.getIdToken()
    const refusal = { status: 400, body: { error: { message: 'INSUFFICIENT_PERMISSION' } } }
    for (const [path, body] of [
      ['/v1/accounts:update?key=reelay', { localId: uid, disableUser: true }],
      ['/v1/accounts:update?key=reelay', { idToken, customAttributes: '{"admin":true}' }],
      ['/v1/accounts:delete?key=reelay', { localId: uid }],
      ['/v1/projects/reelay/accounts:lookup?key=reelay', { localId: [uid] }],
      ['/v1/projects/reelay/accounts?key=reelay', { email: 'x@example.test' }],
    ] as const) {
      expect(await ask(path, body, null)).toMatchObject(refusal)
    }
    expect(await ask('/v1/accounts:update', { localId: uid }, null)).toMatchObject({ status: 403 })
    expect(await ask('/v1/accounts:lookup?key=reelay', { localId: [uid] }, null)).toMatchObject({
      body: { error: { message: 'MISSING_ID_TOKEN' } },
    })
    expect(
      await ask('/v1/accounts:signUp?key=reelay', { localId: 'mine', email: 'x@example.test' }, null),
    ).toMatchObject({ body: { error: { message: 'UNEXPECTED_PARAMETER : User ID' } } })
  })

  test('is guessed at a few times, then no more; the right one goes on', async () => {
    const guess = () => ask('/v1/accounts:lookup', { localId: 'x' }, 'wrong', service, '192.0.2.9')
    await Promise.all(Array.from({ length: 10 }, guess))
    expect(await guess()).toMatchObject({
      body: { error: { message: expect.stringMatching(/^TOO_MANY_ATTEMPTS_TRY_LATER/) as string } },
    })
    expect(await ask('/v1/accounts:lookup', { localId: 'x' }, KEY, service, '192.0.2.9')).toMatchObject({
      status: 200,
    })
  })

  test('does not turn the calls of users into others', async () => {
    const { user } = await somebody()
    const idToken = await user.getIdToken()
    expect(await ok('/v1/accounts:lookup', { idToken })).toMatchObject({ users: [{ localId: user.uid }] })
    expect(await ok('/v1/accounts:update', { idToken, displayName: 'Ada' })).toMatchObject({
      displayName: 'Ada',
    })
  })
})

describe('who runs the server', () => {
  test('makes users, though sign-up is closed', async () => {
    const made = await ok('/v1/accounts:signUp', {
      localId: 'a-chosen-id',
      email: 'Chosen@example.test',
      password: PASSWORD,
      displayName: 'Chosen',
      emailVerified: true,
    })
    expect(made).toEqual({
      kind: 'identitytoolkit#SignupNewUserResponse',
      localId: 'a-chosen-id',
      email: 'chosen@example.test',
      displayName: 'Chosen',
    })
    const { user } = await signInWithEmailAndPassword(service.browser(), 'chosen@example.test', PASSWORD)
    expect(user).toMatchObject({ uid: 'a-chosen-id', displayName: 'Chosen', emailVerified: true })

    expect(await refused('/v1/accounts:signUp', { localId: 'a-chosen-id' })).toBe('DUPLICATE_LOCAL_ID')
    expect(await refused('/v1/accounts:signUp', { email: 'chosen@example.test' })).toBe('EMAIL_EXISTS')
    expect(await refused('/v1/accounts:signUp', { email: 'no address' })).toBe('INVALID_EMAIL')
    expect(await refused('/v1/accounts:signUp', { password: PASSWORD })).toBe('MISSING_EMAIL')
    expect(await refused('/v1/accounts:signUp', { email: 'w@example.test', password: '1' })).toMatch(
      /^WEAK_PASSWORD/,
    )
  })

  test('finds users by id and address, several at once, and those of another provider', async () => {
    const [one, two] = [await somebody(), await somebody()]
    await service.db
      .insertInto('identity_federated')
      .values({ provider_id: 'google.com', raw_id: '42', uid: two.uid, linked_at: new Date(service.now()) })
      .execute()
    const idsOf = async (body: Body) => {
      const { users } = (await ok('/v1/accounts:lookup', body)) as { users: { localId: string }[] }
      return users.map(({ localId }) => localId).toSorted()
    }
    expect(await idsOf({ localId: [one.uid], email: [two.email.toUpperCase()] })).toEqual(
      [one.uid, two.uid].toSorted(),
    )
    expect(await idsOf({ localId: one.uid })).toEqual([one.uid])
    expect(await idsOf({ federatedUserId: [{ providerId: 'google.com', rawId: '42' }] })).toEqual([two.uid])
    expect(await ok('/v1/accounts:lookup', { localId: ['nobody'] })).toEqual({
      kind: 'identitytoolkit#GetAccountInfoResponse',
    })
    expect(await refused('/v1/accounts:lookup', {})).toBe('MISSING_IDENTIFIER')
  })

  test('disables a user, who is out everywhere, and back only by signing in once enabled', async () => {
    const { auth, user, email, uid } = await somebody()
    const idToken = await user.getIdToken()
    const other = service.browser()
    const { user: elsewhere } = await signInWithEmailAndPassword(other, email, PASSWORD)
    await ok('/v1/accounts:update', { localId: uid, disableUser: true })

    await expect(user.reload()).rejects.toEqual(code('user-disabled'))
    expect(auth.currentUser).toBeNull()
    await expect(elsewhere.getIdToken(true)).rejects.toEqual(code('user-disabled'))
    expect(other.currentUser).toBeNull()
    await expect(signInWithEmailAndPassword(auth, email, PASSWORD)).rejects.toEqual(code('user-disabled'))

    service.advance(2000)
    await ok('/v1/accounts:update', { localId: uid, disableUser: false })
    expect(await ask('/v1/accounts:lookup?key=reelay', { idToken }, null)).toMatchObject({
      body: { error: { message: 'TOKEN_EXPIRED' } },
    })
    expect(
      await ask(
        '/v1/token?key=reelay',
        { grant_type: 'refresh_token', refresh_token: user.refreshToken },
        null,
      ),
    ).toMatchObject({ body: { error: { message: 'TOKEN_EXPIRED' } } })
    await signInWithEmailAndPassword(auth, email, PASSWORD)
  })

  test('sets password and address, which ends what was begun before', async () => {
    const { user, email, uid } = await somebody()
    const answer = await ok('/v1/accounts:update', {
      localId: uid,
      email: `new-${email}`,
      password: 'another horse',
      displayName: 'Ada',
      photoUrl: 'https://example.test/a.png',
      emailVerified: true,
    })
    expect(answer).toMatchObject({
      localId: uid,
      email: `new-${email}`,
      emailVerified: true,
      displayName: 'Ada',
    })
    expect(answer).not.toHaveProperty('idToken')
    await expect(user.getIdToken(true)).rejects.toEqual(code('user-token-expired'))
    const { user: back } = await signInWithEmailAndPassword(
      service.browser(),
      `new-${email}`,
      'another horse',
    )
    expect(back).toMatchObject({ uid, displayName: 'Ada', photoURL: 'https://example.test/a.png' })

    await ok('/v1/accounts:update', { localId: uid, deleteAttribute: ['DISPLAY_NAME', 'PHOTO_URL'] })
    await back.reload()
    expect(back).toMatchObject({ displayName: null, photoURL: null })
    const taken = await somebody()
    expect(await refused('/v1/accounts:update', { localId: uid, email: taken.email })).toBe('EMAIL_EXISTS')
    expect(await refused('/v1/accounts:update', { localId: 'nobody', displayName: 'x' })).toBe(
      'USER_NOT_FOUND',
    )
    expect(await refused('/v1/accounts:update', { displayName: 'x' })).toBe('MISSING_LOCAL_ID')
  })

  test('takes ways in away', async () => {
    const { uid, email, user } = await somebody()
    await ok('/v1/accounts:update', { localId: uid, deleteProvider: ['password'] })
    await expect(user.getIdToken(true)).rejects.toEqual(code('user-token-expired'))
    await expect(signInWithEmailAndPassword(service.browser(), email, PASSWORD)).rejects.toEqual(
      code('invalid-credential'),
    )
  })

  test('ends the sessions of a user by a time, which never goes back and locks nobody out', async () => {
    const { user, uid, email } = await somebody()
    const seconds = Math.floor(service.now() / 1000)
    await ok('/v1/accounts:update', { localId: uid, validSince: String(seconds - 60) })
    await user.getIdToken(true)
    await ok('/v1/accounts:update', { localId: uid, validSince: seconds + 86_400 })
    await expect(user.getIdToken(true)).rejects.toEqual(code('user-token-expired'))
    const { user: thief } = await signInWithEmailAndPassword(service.browser(), email, PASSWORD)
    // As the Admin SDK ends them, in the second of the sign-in.
    await ok('/v1/accounts:update', { localId: uid, validSince: seconds })
    await expect(thief.getIdToken(true)).rejects.toEqual(code('user-token-expired'))
    const { user: back } = await signInWithEmailAndPassword(service.browser(), email, PASSWORD)
    await back.reload()
    await ok('/v1/accounts:update', { localId: uid, validSince: '0' })
    await back.reload()
    for (const validSince of ['soon', Number.MAX_SAFE_INTEGER]) {
      expect(await refused('/v1/accounts:update', { localId: uid, validSince })).toMatch(/^INVALID_ARGUMENT/)
    }
  })

  test('puts claims into tokens', async () => {
    const { user, uid } = await somebody()
    const set = (customAttributes: string) => ({ localId: uid, customAttributes })
    await ok('/v1/accounts:update', set('{"role":"editor","big":1e300}'))
    expect((await user.getIdTokenResult(true)).claims).toMatchObject({ role: 'editor', big: 1e300 })
    await ok('/v1/accounts:update', set('{}'))
    expect((await user.getIdTokenResult(true)).claims).not.toHaveProperty('role')

    for (const text of [
      '',
      'x',
      '[]',
      'null',
      '"a"',
      String.raw`{"a":"\u0000"}`,
      String.raw`{"a":"\ud800"}`,
    ]) {
      expect(await refused('/v1/accounts:update', set(text))).toBe('INVALID_CLAIMS')
    }
    for (const name of ['sub', 'iss', 'firebase', 'auth_time', 'email_verified']) {
      expect(await refused('/v1/accounts:update', set(JSON.stringify({ a: 1, [name]: 1 })))).toBe(
        `FORBIDDEN_CLAIM : ${name}`,
      )
    }
    const longest = JSON.stringify({ a: 'x'.repeat(992) })
    await ok('/v1/accounts:update', set(longest))
    await ok('/v1/accounts:update', set(`[${'1e300,'.repeat(150)}1]`.replace(/^\[(.*)\]$/, '{"a":[$1]}')))
    expect(await refused('/v1/accounts:update', set(`${longest} `))).toBe('CLAIMS_TOO_LARGE')
  })

  test('makes links that would be mailed, to be handed over', async () => {
    const { auth, email, uid, user } = await somebody()
    const made = await ok('/v1/accounts:sendOobCode', {
      requestType: 'PASSWORD_RESET',
      email: email.toUpperCase(),
      returnOobLink: true,
    })
    const { oobCode, oobLink } = z.object({ oobCode: z.string(), oobLink: z.url() }).parse(made)
    expect(made).toMatchObject({ email })
    expect(Object.fromEntries(new URL(oobLink).searchParams)).toMatchObject({
      mode: 'resetPassword',
      oobCode,
    })
    await confirmPasswordReset(auth, oobCode, 'a third horse')
    await signInWithEmailAndPassword(auth, email, 'a third horse')
    await expect(user.getIdToken(true)).rejects.toEqual(code('user-token-expired'))

    const change = { requestType: 'VERIFY_AND_CHANGE_EMAIL', email, returnOobLink: true }
    expect(await refused('/v1/accounts:sendOobCode', change)).toBe('MISSING_NEW_EMAIL')
    const moved = await ok('/v1/accounts:sendOobCode', { ...change, newEmail: `moved-${email}` })
    await applyActionCode(auth, z.object({ oobCode: z.string() }).parse(moved).oobCode)
    expect(await ok('/v1/accounts:lookup', { localId: uid })).toMatchObject({
      users: [{ email: `moved-${email}`, emailVerified: true }],
    })

    const unknown = { email: 'nobody@example.test', returnOobLink: true }
    for (const requestType of ['PASSWORD_RESET', 'VERIFY_EMAIL', 'EMAIL_SIGNIN']) {
      expect(await refused('/v1/accounts:sendOobCode', { ...unknown, requestType })).toBe('EMAIL_NOT_FOUND')
    }
    const elsewhere = { requestType: 'PASSWORD_RESET', email, continueUrl: 'https://elsewhere.example/' }
    expect(await refused('/v1/accounts:sendOobCode', { ...elsewhere, returnOobLink: true })).toMatch(
      /^UNAUTHORIZED_DOMAIN/,
    )
    expect(
      await ask('/v1/accounts:sendOobCode?key=reelay', { ...elsewhere, returnOobLink: true }, null),
    ).toMatchObject({ body: { error: { message: 'INSUFFICIENT_PERMISSION' } } })
  })

  test('deletes a user', async () => {
    const { auth, user, uid } = await somebody()
    expect(await ok('/v1/accounts:delete', { localId: uid })).toEqual({
      kind: 'identitytoolkit#DeleteAccountResponse',
    })
    await expect(user.reload()).rejects.toEqual(code('user-token-expired'))
    expect(auth.currentUser).toBeNull()
    expect(await refused('/v1/accounts:delete', { localId: uid })).toBe('USER_NOT_FOUND')
    expect(await refused('/v1/accounts:delete', {})).toBe('MISSING_LOCAL_ID')
  })

  test('may use the paths of the Admin SDK', async () => {
    const paths = '/v1/projects/reelay/accounts'
    const { localId } = await ok(paths, { email: 'sdk@example.test', disabled: true })
    expect(await ok(`${paths}:lookup`, { localId: [localId] })).toMatchObject({ users: [{ disabled: true }] })
    await ok(`${paths}:update`, { localId, disableUser: false, validSince: 1 })
    await ok(`${paths}:delete`, { localId })
    expect(await refused('/v1/projects/another/accounts', { email: 'sdk@example.test' })).toBe(
      'PROJECT_NOT_FOUND',
    )
  })
})

test('every change is noted: which call, of whom, what, and nothing secret', async () => {
  lines.length = 0
  const { localId } = await ok('/v1/accounts:signUp', {
    email: 'noted@example.test',
    password: 'secret horse',
  })
  await ok('/v1/accounts:update', { localId, password: 'hidden horse', disableUser: true })
  await ok('/v1/accounts:delete', { localId })
  await refused('/v1/accounts:delete', { localId })
  const noted = lines.map((line) => JSON.parse(line) as Body)
  expect(noted).toMatchObject([
    { did: 'create', uid: localId },
    { did: 'update', uid: localId, fields: ['password', 'disableUser'] },
    { did: 'delete', uid: localId },
  ])
  expect(lines.join('')).not.toMatch(/horse|the-key/)
})
