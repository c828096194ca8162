import {
  confirmPasswordReset,
  createUserWithEmailAndPassword,
  sendPasswordResetEmail,
  signInWithEmailAndPassword,
  updatePassword,
  validatePassword,
  verifyPasswordResetCode,
} from '@firebase/auth'
import type { User } from '@firebase/auth'
import { afterAll, expect, test } from 'vitest'
import { codeIn, PASSWORD, startIdentity } from '#test/support/identity.ts'
import { DEFAULT_POLICY } from './credentials/policy.ts'

const service = await startIdentity()
afterAll(() => service.close())

const code = (name: string) => expect.objectContaining({ code: `auth/${name}` }) as Error

async function signUp(email: string) {
  const auth = service.browser()
  const { user } = await createUserWithEmailAndPassword(auth, email, PASSWORD)
  return { auth, user }
}

test('a new user is signed in with all stored fields', async () => {
  const auth = service.browser()
  const { user, operationType } = await createUserWithEmailAndPassword(auth, 'New@Example.test', PASSWORD)
  expect(operationType).toBe('signIn')
  expect(user.toJSON()).toMatchObject({
    uid: expect.stringMatching(/^[\w-]{28}$/) as string,
    email: 'new@example.test',
    emailVerified: false,
    isAnonymous: false,
    providerData: [{ providerId: 'password', uid: 'new@example.test' }],
    // Strings: the SDK discards stored users with numbers.
    createdAt: String(service.now()),
    lastLoginAt: String(service.now()),
  })
  expect(await service.identity.verify(await user.getIdToken())).toEqual({
    uid: user.uid,
    email: 'new@example.test',
    emailVerified: false,
    name: null,
    authTime: Math.floor(service.now() / 1000),
  })
  expect((await user.getIdTokenResult()).signInProvider).toBe('password')
})

test('signs in by password whatever the case of the address, and reloads', async () => {
  const { user: created } = await signUp('again@example.test')
  const auth = service.browser()
  const { user } = await signInWithEmailAndPassword(auth, 'AGAIN@example.test', PASSWORD)
  expect(user.uid).toBe(created.uid)
  await user.reload()
  expect(auth.currentUser?.email).toBe('again@example.test')
})

test('a wrong password and an unknown address get the same error', async () => {
  await signUp('known@example.test')
  const auth = service.browser()
  await expect(signInWithEmailAndPassword(auth, 'known@example.test', 'wrong')).rejects.toEqual(
    code('invalid-credential'),
  )
  await expect(signInWithEmailAndPassword(auth, 'unknown@example.test', PASSWORD)).rejects.toEqual(
    code('invalid-credential'),
  )
})

test('taken addresses and short passwords are refused', async () => {
  await signUp('taken@example.test')
  const auth = service.browser()
  await expect(createUserWithEmailAndPassword(auth, 'Taken@example.test', PASSWORD)).rejects.toEqual(
    code('email-already-in-use'),
  )
  await expect(createUserWithEmailAndPassword(auth, 'short@example.test', '12345')).rejects.toEqual(
    code('weak-password'),
  )
  await expect(createUserWithEmailAndPassword(auth, 'not an address', PASSWORD)).rejects.toEqual(
    code('invalid-email'),
  )
})

test('a forced refresh returns a new token of the same sign-in', async () => {
  const { user } = await signUp('refresh@example.test')
  const before = await user.getIdTokenResult()
  service.advance(60_000)
  const after = await user.getIdTokenResult(true)
  expect(after.token).not.toBe(before.token)
  expect(after.authTime).toBe(before.authTime)
  expect(Date.parse(after.expirationTime) - Date.parse(before.expirationTime)).toBe(60_000)
})

test('two tabs that share a refresh token both stay signed in', async () => {
  const { user } = await signUp('tabs@example.test')
  const other = await copyTo(service.browser(), user)
  service.advance(60_000)
  await Promise.all([user.getIdToken(true), other.getIdToken(true)])
  await user.getIdToken(true)
  await other.getIdToken(true)
  expect(other.refreshToken).toBe(user.refreshToken)
})

test('a mailed link resets the password once and ends all sessions', async () => {
  const { auth: old, user } = await signUp('forgot@example.test')
  const auth = service.browser()
  await sendPasswordResetEmail(auth, 'forgot@example.test')
  const mail = await service.nextMail('forgot@example.test')
  expect(mail.subject).toBe('Reset your Reelay password')
  expect(mail.text).toContain(`${service.publicUrl}/__/auth/action?mode=resetPassword&oobCode=`)
  expect(mail.text).toContain('&apiKey=reelay&lang=en')
  const oobCode = codeIn(mail)

  // Inspected twice, as by a mail scanner, and refused for a short password: still valid.
  expect(await verifyPasswordResetCode(auth, oobCode)).toBe('forgot@example.test')
  expect(await verifyPasswordResetCode(auth, oobCode)).toBe('forgot@example.test')
  await expect(confirmPasswordReset(auth, oobCode, '123')).rejects.toEqual(code('weak-password'))
  const stale = await user.getIdToken()
  await confirmPasswordReset(auth, oobCode, 'a new password')

  await expect(confirmPasswordReset(auth, oobCode, 'another password')).rejects.toEqual(
    code('invalid-action-code'),
  )
  await expect(signInWithEmailAndPassword(auth, 'forgot@example.test', PASSWORD)).rejects.toEqual(
    code('invalid-credential'),
  )
  const { user: back } = await signInWithEmailAndPassword(auth, 'forgot@example.test', 'a new password')
  expect(back.emailVerified).toBe(true)
  await back.reload()

  expect(await user.getIdToken()).toBe(stale)
  await expect(user.getIdToken(true)).rejects.toEqual(code('user-token-expired'))
  expect(old.currentUser).toBeNull()
})

test('two changes of the password within a second leave the session and void the token between', async () => {
  const { user } = await signUp('second-thoughts@example.test')
  await updatePassword(user, 'a second password')
  const between = await user.getIdToken()
  await updatePassword(user, 'a third password')
  expect(await user.getIdToken()).not.toBe(between)
  await user.getIdToken(true)
  await user.reload()
  const answer = await service.app.inject({
    method: 'POST',
    url: '/identity/v1/accounts:lookup?key=reelay',
    payload: { idToken: between },
  })
  expect(answer.json()).toMatchObject({ error: { message: 'TOKEN_EXPIRED' } })
})

test('a reset link is valid for an hour', async () => {
  await signUp('late@example.test')
  const auth = service.browser()
  await sendPasswordResetEmail(auth, 'late@example.test')
  const oobCode = codeIn(await service.nextMail('late@example.test'))
  service.advance(3_600_000)
  await expect(verifyPasswordResetCode(auth, oobCode)).rejects.toEqual(code('expired-action-code'))
  await expect(confirmPasswordReset(auth, oobCode, 'a new password')).rejects.toEqual(
    code('expired-action-code'),
  )
})

test('of two concurrent resets with two links one succeeds', async () => {
  await signUp('twice@example.test')
  const auth = service.browser()
  await sendPasswordResetEmail(auth, 'twice@example.test')
  await sendPasswordResetEmail(auth, 'twice@example.test')
  const first = codeIn(await service.nextMail('twice@example.test'))
  const second = codeIn(await service.nextMail('twice@example.test'))
  const settled = await Promise.allSettled([
    confirmPasswordReset(auth, first, 'the first password'),
    confirmPasswordReset(auth, second, 'the second password'),
  ])
  expect(settled.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})

test('a reset for an unknown address is answered alike and sends no mail', async () => {
  await signUp('somebody@example.test')
  const auth = service.browser()
  await sendPasswordResetEmail(auth, 'nobody@example.test')
  await sendPasswordResetEmail(auth, 'somebody@example.test')
  await service.nextMail('somebody@example.test')
  expect((await service.mails()).filter(({ to }) => to === 'nobody@example.test')).toEqual([])
})

test('ten wrong passwords lock an account, and a reset unlocks it', async () => {
  await signUp('locked@example.test')
  const auth = service.browser()
  for (let attempt = 0; attempt < 10; attempt += 1) {
    await expect(signInWithEmailAndPassword(auth, 'locked@example.test', 'wrong')).rejects.toEqual(
      code('invalid-credential'),
    )
  }
  await expect(signInWithEmailAndPassword(auth, 'locked@example.test', PASSWORD)).rejects.toEqual(
    code('too-many-requests'),
  )
  await sendPasswordResetEmail(auth, 'locked@example.test')
  const oobCode = codeIn(await service.nextMail('locked@example.test'))
  await confirmPasswordReset(auth, oobCode, 'a new password')
  await signInWithEmailAndPassword(auth, 'locked@example.test', 'a new password')
})

test('the sixth reset mail within an hour is refused', async () => {
  const auth = service.browser()
  for (let mail = 0; mail < 5; mail += 1) await sendPasswordResetEmail(auth, 'many@example.test')
  await expect(sendPasswordResetEmail(auth, 'many@example.test')).rejects.toEqual(code('too-many-requests'))
})

test('a disabled user learns so only with the right password, and is signed out', async () => {
  const { auth, user } = await signUp('disabled@example.test')
  await service.db.updateTable('identity_users').set({ disabled: true }).where('uid', '=', user.uid).execute()
  const other = service.browser()
  await expect(signInWithEmailAndPassword(other, 'disabled@example.test', 'wrong')).rejects.toEqual(
    code('invalid-credential'),
  )
  await expect(signInWithEmailAndPassword(other, 'disabled@example.test', PASSWORD)).rejects.toEqual(
    code('user-disabled'),
  )
  await sendPasswordResetEmail(other, 'disabled@example.test')
  await signUp('after-disabled@example.test')
  await sendPasswordResetEmail(other, 'after-disabled@example.test')
  await service.nextMail('after-disabled@example.test')
  expect((await service.mails()).filter(({ to }) => to === 'disabled@example.test')).toEqual([])
  await expect(user.reload()).rejects.toEqual(code('user-disabled'))
  expect(auth.currentUser).toBeNull()
})

test('a stricter policy is reported in terms that the SDK knows', async () => {
  const strict = await startIdentity({
    rules: { policy: { ...DEFAULT_POLICY, minLength: 8, uppercase: true, numeric: true } },
  })
  const auth = strict.browser()
  expect(await validatePassword(auth, 'lower')).toMatchObject({
    isValid: false,
    meetsMinPasswordLength: false,
    containsUppercaseLetter: false,
    containsNumericCharacter: false,
  })
  await expect(createUserWithEmailAndPassword(auth, 'strict@example.test', 'lower')).rejects.toEqual(
    code('password-does-not-meet-requirements'),
  )
  await createUserWithEmailAndPassword(auth, 'strict@example.test', 'Upper and 1 digit')
  await strict.close()
})

test('closed sign-up refuses new users', async () => {
  const closed = await startIdentity({ admit: async () => ({ kind: 'closed' }) })
  await expect(
    createUserWithEmailAndPassword(closed.browser(), 'late@example.test', PASSWORD),
  ).rejects.toEqual(code('admin-restricted-operation'))
  await closed.close()
})

async function copyTo(auth: ReturnType<typeof service.browser>, user: User): Promise<User> {
  const { user: own } = await createUserWithEmailAndPassword(auth, 'second-tab@example.test', PASSWORD)
  const copy = own as User & { stsTokenManager: { refreshToken: string } } // the SDK stores this field too
  copy.stsTokenManager.refreshToken = user.refreshToken
  return copy
}
