import {
  applyActionCode,
  createUserWithEmailAndPassword,
  sendPasswordResetEmail,
  signInWithEmailAndPassword,
  updatePassword,
  confirmPasswordReset,
} from '@firebase/auth'
import { afterAll, expect, test } from 'vitest'
import type { SignUpMode } from '#contract/settings.ts'
import { SignUp } from '#contract/users.ts'
import { Problem } from '#base/problem.ts'
import type { Identity } from '#identity/identity.ts'
import { codeIn, PASSWORD, startIdentity } from '#test/support/identity.ts'
import { userRoutes } from './routes.ts'
import { findMailAddress } from './mail-address.ts'
import { authenticate } from './store.ts'

const service = await startIdentity()
afterAll(() => service.close())

const routes = userRoutes({ ...service, config: { signup: 'open', operatorEmail: null } })
const request = {
  params: undefined,
  query: undefined,
  file: undefined,
  idempotencyKey: null,
  markReplayed: () => undefined,
  key: null,
  ip: '127.0.0.1',
  via: 'direct' as const,
  host: 'localhost',
  gone: new AbortController().signal,
}
const signedIn = { ...request, token: 'looked at already' }
const open = { ...service, config: { signup: 'open', operatorEmail: null } } as const
const closed = { ...service, config: { signup: 'closed', operatorEmail: null } } as const
const signUp = (email: string, rest: Partial<SignUp> = {}) =>
  routes.createUser({
    ...request,
    token: undefined,
    user: undefined,
    body: SignUp.parse({ email, nickname: 'Ann', timezone: 'Europe/Lisbon', password: PASSWORD, ...rest }),
  })

test('a new user can sign in and is identified by the token', async () => {
  const user = await signUp('Ann@Example.test')
  expect(user).toEqual({
    user_id: expect.any(Number) as number,
    uid: expect.any(String) as string,
    email: 'ann@example.test',
    nickname: 'Ann',
    timezone: 'Europe/Lisbon',
    operator: expect.any(Boolean) as boolean,
    created_at: expect.stringMatching(/Z$/) as string,
  })
  const { user: bearer } = await signInWithEmailAndPassword(service.browser(), 'ann@example.test', PASSWORD)
  expect(bearer.displayName).toBe('Ann')
  expect(await authenticate(open, await bearer.getIdToken())).toEqual(user)
  expect(await routes.getUser({ ...signedIn, body: undefined, user })).toEqual(user)
})

test('a new user gets a mail to confirm the address', async () => {
  const body = SignUp.parse({
    email: 'eva@example.test',
    nickname: 'Eva',
    timezone: 'Europe/Berlin',
    password: PASSWORD,
  })
  await routes.createUser({
    ...request,
    user: undefined,
    token: undefined,
    body,
  })
  const mail = await service.nextMail('eva@example.test', 'verifyEmail')
  expect(mail.subject).toBe('Confirm your email address for Reelay')
  const auth = service.browser()
  await applyActionCode(auth, codeIn(mail))
  const { user } = await signInWithEmailAndPassword(auth, 'eva@example.test', PASSWORD)
  expect(user.emailVerified).toBe(true)
})

test('nickname and time zone change for the calling user only', async () => {
  const [user, other] = [await signUp('one@example.test'), await signUp('two@example.test')]
  const renamed = await routes.setNickname({ ...signedIn, user, body: { nickname: 'Bo' } })
  expect(renamed).toEqual({ ...user, nickname: 'Bo' })
  const moved = await routes.setTimezone({ ...signedIn, user, body: { timezone: 'Asia/Kathmandu' } })
  expect(moved).toEqual({ ...renamed, timezone: 'Asia/Kathmandu' })
  const { user: bearer } = await signInWithEmailAndPassword(service.browser(), other.email, PASSWORD)
  expect(await authenticate(open, await bearer.getIdToken())).toEqual(other)
})

test('an address can sign up once', async () => {
  await signUp('taken@example.test')
  await expect(signUp('TAKEN@example.test')).rejects.toMatchObject({
    code: 'email_taken',
    errors: { email: ["There's already an account with this email."] },
  })
})

test('each outcome of the provider is a problem of the contract', async () => {
  const outcomes = [
    [{ kind: 'closed' }, { code: 'signup_closed', message: 'Sign-up is closed on this server.' }],
    [{ kind: 'invalid_email' }, { code: 'invalid', errors: { email: ['Enter a valid email address.'] } }],
    [{ kind: 'too_many_attempts' }, { code: 'too_many_requests', retryAfterS: 300 }],
    [
      { kind: 'weak_password', unmet: [{ kind: 'min_length', chars: 8 }, { kind: 'numeric' }] },
      { code: 'invalid', errors: { password: ['Use at least 8 characters.', 'Add a digit.'] } },
    ],
    [{ kind: 'weak_password', unmet: [] }, { code: 'invalid' }],
  ] as const
  for (const [outcome, problem] of outcomes) {
    const identity = { ...service.identity, signUp: () => Promise.resolve(outcome) }
    const call = userRoutes({ ...open, identity }).createUser({
      ...request,
      token: undefined,
      user: undefined,
      body: SignUp.parse({ email: 'x@example.test', nickname: 'X', timezone: 'UTC', password: PASSWORD }),
    })
    await expect(call).rejects.toBeInstanceOf(Problem)
    await expect(call).rejects.toMatchObject(problem)
  }
})

test('a sign-up that was cut off half-way is finished at the first call, once', async () => {
  await service.identity.signUp({
    email: 'cut.off@example.test',
    password: PASSWORD,
    displayName: 'Cut Off',
    invitation: null,
    ip: '127.0.0.1',
  })
  const { user } = await signInWithEmailAndPassword(service.browser(), 'cut.off@example.test', PASSWORD)
  const token = await user.getIdToken()
  const calls = await Promise.all([authenticate(open, token), authenticate(open, token)])
  expect(calls[0]).toMatchObject({
    uid: user.uid,
    email: 'cut.off@example.test',
    nickname: 'Cut Off',
    timezone: 'UTC',
  })
  expect(calls[1]).toEqual(calls[0])
  expect(await authenticate(closed, token)).toEqual(calls[0])
})

test('an identity created by the operator is accepted while sign-up is closed', async () => {
  const auth = service.browser()
  const { user } = await createUserWithEmailAndPassword(auth, 'by.operator@example.test', PASSWORD)
  expect(await authenticate(closed, await user.getIdToken())).toMatchObject({
    uid: user.uid,
    nickname: 'by.operator',
  })
})

test('without a name the nickname is the address up to the @', async () => {
  const { user } = await createUserWithEmailAndPassword(
    service.browser(),
    'local.part@example.test',
    PASSWORD,
  )
  expect(await authenticate(open, await user.getIdToken())).toMatchObject({ nickname: 'local.part' })
})

test('a token from before a password change is refused, the new one accepted', async () => {
  await signUp('changes@example.test')
  const { user } = await signInWithEmailAndPassword(service.browser(), 'changes@example.test', PASSWORD)
  const before = await user.getIdToken()
  expect(await authenticate(open, before)).not.toBeNull()
  await updatePassword(user, 'another horse')
  expect(await authenticate(open, before)).toBeNull()
  expect(await authenticate(open, await user.getIdToken())).toMatchObject({ email: 'changes@example.test' })
})

test('a token from before a password reset is refused, a later one accepted', async () => {
  const auth = service.browser()
  await signUp('reset@example.test')
  const { user } = await signInWithEmailAndPassword(auth, 'reset@example.test', PASSWORD)
  const before = await user.getIdToken()
  await sendPasswordResetEmail(auth, 'reset@example.test')
  const code = codeIn(await service.nextMail('reset@example.test', 'resetPassword'))
  expect(await authenticate(open, before)).not.toBeNull()
  await confirmPasswordReset(auth, code, 'a new password')
  expect(await authenticate(open, before)).toBeNull()
  const { user: after } = await signInWithEmailAndPassword(auth, 'reset@example.test', 'a new password')
  expect(await authenticate(open, await after.getIdToken())).toMatchObject({ email: 'reset@example.test' })
})

test('the token of a disabled or deleted identity is refused', async () => {
  const { user } = await createUserWithEmailAndPassword(service.browser(), 'gone@example.test', PASSWORD)
  const token = await user.getIdToken()
  const mine = service.db.updateTable('identity_users').where('uid', '=', user.uid)
  await mine.set({ disabled: true }).execute()
  expect(await authenticate(open, token)).toBeNull()
  await mine.set({ disabled: false }).execute()
  expect(await authenticate(open, token)).not.toBeNull()
  await service.db.deleteFrom('identity_users').where('uid', '=', user.uid).execute()
  expect(await authenticate(open, token)).toBeNull()
})

test('a changed address of the identity is shown at once', async () => {
  const user = await signUp('before@example.test')
  const { user: bearer } = await signInWithEmailAndPassword(service.browser(), user.email, PASSWORD)
  const token = await bearer.getIdToken()
  const change = service.db.updateTable('identity_users').where('uid', '=', user.uid)
  await change.set({ email: 'after@example.test' }).execute()
  // The token still contains the old address.
  const now = { ...user, email: 'after@example.test' }
  expect(await authenticate(open, token)).toEqual(now)
  const kept = await service.db.selectFrom('users').select('email').where('uid', '=', user.uid).execute()
  expect(kept).toEqual([{ email: 'after@example.test' }])
  expect(await routes.setNickname({ ...signedIn, user: now, body: { nickname: 'Ann' } })).toEqual(now)
})

/** A hosted provider that accepts any token with these claims. */
const hosted = (claims: {
  uid: string
  email: string
  emailVerified?: boolean
  authTime?: number
}): Pick<Identity, 'verify' | 'publicSettings'> => ({
  verify: () => Promise.resolve({ emailVerified: true, name: null, authTime: 1, ...claims }),
  publicSettings: { mode: 'firebase', apiKey: 'k', projectId: 'p', authDomain: 'd' },
})
const as = (identity: ReturnType<typeof hosted>, signup: SignUpMode = 'open') =>
  authenticate({ ...service, identity, config: { signup, operatorEmail: null } }, 'token')

test('with a hosted provider its tokens are accepted without embedded rows', async () => {
  const identity = hosted({ uid: 'hosted-uid', email: 'hosted@example.test' })
  // Anyone can make an identity there, so a closed sign-up must refuse it.
  expect(await as(identity, 'closed')).toBeNull()
  expect(await as(identity, 'invited')).toBeNull()
  const made = await as(identity)
  expect(made).toMatchObject({ uid: 'hosted-uid', nickname: 'hosted' })
  expect(await as(identity, 'closed')).toEqual(made)
  const moved = await as(hosted({ uid: 'hosted-uid', email: 'moved@example.test' }))
  expect(moved).toEqual({ ...made, email: 'moved@example.test' })
})

test('at a hosted provider a user whom an operator disabled is refused, until they log in after it', async () => {
  const identity = hosted({ uid: 'stopped', email: 'stopped@example.test' })
  const user = await as(identity)
  const row = service.db.updateTable('users').where('uid', '=', 'stopped')
  await row.set({ disabled_at: new Date(), logins_since: new Date(2000) }).execute()
  await expect(as(identity)).rejects.toMatchObject({ code: 'user_disabled' })
  await row.set({ disabled_at: null }).execute()
  expect(await as(identity)).toBeNull()
  expect(await as(hosted({ uid: 'stopped', email: 'stopped@example.test', authTime: 2 }))).toEqual(user)
})

test('at a hosted provider its last word counts on whether an address is confirmed', async () => {
  for (const emailVerified of [false, true, false]) {
    const identity = hosted({ uid: 'unsure', email: 'unsure@example.test', emailVerified })
    const user = await as(identity)
    const address = await findMailAddress({ db: service.db, identity }, user?.user_id ?? 0)
    expect(address).toEqual({ email: 'unsure@example.test', isConfirmed: emailVerified })
  }
})

test('at a hosted provider users are identified by id, not by email address', async () => {
  const user = await signUp('moves@example.test')
  const stranger = await as(hosted({ uid: 'stranger', email: user.email }))
  expect(stranger?.user_id).not.toBe(user.user_id)
  await service.db
    .updateTable('identity_users')
    .set({ disabled: true, valid_since: new Date(service.now() + 60_000) })
    .where('uid', '=', user.uid)
    .execute()
  expect(await as(hosted({ uid: user.uid, email: user.email }))).toEqual(user)
})

test('an unreadable token is refused', async () => {
  expect(await authenticate(open, 'nonsense')).toBeNull()
})
