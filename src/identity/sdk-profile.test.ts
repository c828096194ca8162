import {
  applyActionCode,
  createUserWithEmailAndPassword,
  deleteUser,
  EmailAuthProvider,
  fetchSignInMethodsForEmail,
  linkWithCredential,
  reauthenticateWithCredential,
  signInWithEmailAndPassword,
  unlink,
  updateEmail,
  updatePassword,
  updateProfile,
  validatePassword,
} from '@firebase/auth'
import { afterAll, describe, expect, test } from 'vitest'
import { codeIn, PASSWORD, startIdentity } from '#test/support/identity.ts'
import type { IdentityFixture } from '#test/support/identity.ts'
import { DEFAULT_POLICY } from './credentials/policy.ts'

const service = await startIdentity()
const open = await startIdentity({ rules: { enumerationProtection: false } })
afterAll(() => Promise.all([service.close(), open.close()]))

const NEW = 'another horse'
const SIX_MINUTES = 360_000
const code = (name: string) => expect.objectContaining({ code: `auth/${name}` }) as Error

async function signUp(email: string, at: IdentityFixture = service) {
  const auth = at.browser()
  const { user } = await createUserWithEmailAndPassword(auth, email, PASSWORD)
  return { auth, user }
}

async function signIn(email: string, password: string, at: IdentityFixture = service) {
  const auth = at.browser()
  const { user } = await signInWithEmailAndPassword(auth, email, password)
  return { auth, user }
}

async function signUpWithoutPassword(email: string) {
  const { user } = await signUp(email)
  await service.db
    .updateTable('identity_users')
    .set({ password_hash: null, password_updated_at: null })
    .where('uid', '=', user.uid)
    .execute()
  // The SDK caches the user otherwise.
  return Object.assign(user, { providerData: [] })
}

describe('the profile', () => {
  test('name and picture are stored, included in the next token, and removable', async () => {
    const { user } = await signUp('named@example.test')
    await updateProfile(user, { displayName: 'Ada', photoURL: 'https://example.test/ada.png' })
    const { user: again } = await signIn('named@example.test', PASSWORD)
    expect(again).toMatchObject({ displayName: 'Ada', photoURL: 'https://example.test/ada.png' })
    const { claims } = await again.getIdTokenResult()
    expect(claims).toMatchObject({ name: 'Ada', picture: 'https://example.test/ada.png' })
    await updateProfile(again, { displayName: null, photoURL: '' })
    await user.reload()
    expect([user.displayName, user.photoURL]).toEqual([null, null])
  })

  test('a name over 256 and a picture URL over 2048 characters are refused', async () => {
    const { user } = await signUp('long@example.test')
    await updateProfile(user, { displayName: 'n'.repeat(256), photoURL: 'p'.repeat(2048) })
    for (const change of [{ displayName: 'n'.repeat(257) }, { photoURL: 'p'.repeat(2049) }]) {
      await expect(updateProfile(user, change)).rejects.toEqual(code('invalid-argument'))
    }
  })
})

describe('the password', () => {
  test('a new one ends all other sessions and keeps this one', async () => {
    const { user } = await signUp('change@example.test')
    const { auth: elsewhere, user: other } = await signIn('change@example.test', PASSWORD)
    await updatePassword(user, NEW)
    await user.getIdToken(true)
    await user.reload()
    await expect(other.getIdToken(true)).rejects.toEqual(code('user-token-expired'))
    expect(elsewhere.currentUser).toBeNull()
    await expect(signIn('change@example.test', PASSWORD)).rejects.toEqual(code('invalid-credential'))
    await signIn('change@example.test', NEW)
  })

  test('a new one must meet the policy', async () => {
    const { user } = await signUp('weak@example.test')
    await expect(updatePassword(user, '12345')).rejects.toEqual(code('weak-password'))
    await signIn('weak@example.test', PASSWORD)
  })

  test('a new one requires a recent sign-in, which reauthentication provides', async () => {
    const { user } = await signUp('stale@example.test')
    service.advance(SIX_MINUTES)
    await expect(updatePassword(user, NEW)).rejects.toEqual(code('requires-recent-login'))
    await user.getIdToken(true)
    await expect(updatePassword(user, NEW)).rejects.toEqual(code('requires-recent-login'))
    await expect(
      reauthenticateWithCredential(user, EmailAuthProvider.credential('stale@example.test', 'wrong')),
    ).rejects.toEqual(code('invalid-credential'))
    await reauthenticateWithCredential(user, EmailAuthProvider.credential('stale@example.test', PASSWORD))
    await updatePassword(user, NEW)
    await signIn('stale@example.test', NEW)
  })

  test('reauthentication as another user is refused', async () => {
    const { user } = await signUp('self@example.test')
    await signUp('somebody-else@example.test')
    const credential = EmailAuthProvider.credential('somebody-else@example.test', PASSWORD)
    await expect(reauthenticateWithCredential(user, credential)).rejects.toEqual(code('user-mismatch'))
  })
})

describe('the address', () => {
  test('is changed by mail only, however recent the sign-in', async () => {
    const { user } = await signUp('stays@example.test')
    await expect(updateEmail(user, 'goes@example.test')).rejects.toMatchObject({
      code: 'auth/operation-not-allowed',
      message: expect.stringContaining('verify the new email') as string,
    })
    await signIn('stays@example.test', PASSWORD)
  })

  test('without enumeration protection changes at once after a recent sign-in', async () => {
    const { user } = await signUp('old@example.test', open)
    const { user: other } = await signIn('old@example.test', PASSWORD, open)
    await signUp('has@example.test', open)
    await expect(updateEmail(user, 'has@example.test')).rejects.toEqual(code('email-already-in-use'))
    await updateEmail(user, 'New@example.test')
    expect(user).toMatchObject({ email: 'new@example.test', emailVerified: false })
    await user.getIdToken(true)
    await expect(other.getIdToken(true)).rejects.toEqual(code('user-token-expired'))
    const mail = await open.nextMail('old@example.test')
    expect(new URL(/https?:\/\/\S+/.exec(mail.text)?.[0] ?? '').searchParams.get('mode')).toBe('recoverEmail')
    open.advance(SIX_MINUTES)
    await expect(updateEmail(user, 'newer@example.test')).rejects.toEqual(code('requires-recent-login'))
    await applyActionCode(open.browser(), codeIn(mail))
    await signIn('old@example.test', PASSWORD, open)
  })
})

describe('sign-in methods', () => {
  test('a user without password can link one, and cannot unlink it', async () => {
    const user = await signUpWithoutPassword('linked@example.test')
    await linkWithCredential(user, EmailAuthProvider.credential('linked@example.test', NEW))
    expect(user.providerData).toMatchObject([{ providerId: 'password', uid: 'linked@example.test' }])
    await signIn('linked@example.test', NEW)
    await expect(unlink(user, 'password')).rejects.toThrow()
    await signIn('linked@example.test', NEW)
  })

  test('linking a password requires a recent sign-in and the own address', async () => {
    const user = await signUpWithoutPassword('link-stale@example.test')
    await expect(
      linkWithCredential(user, EmailAuthProvider.credential('moved@example.test', NEW)),
    ).rejects.toEqual(code('operation-not-allowed'))
    service.advance(SIX_MINUTES)
    await expect(
      linkWithCredential(user, EmailAuthProvider.credential('link-stale@example.test', NEW)),
    ).rejects.toEqual(code('requires-recent-login'))
  })

  test('with enumeration protection no call reveals accounts or sign-in methods', async () => {
    await signUp('asked@example.test')
    for (const email of ['asked@example.test', 'nobody@example.test']) {
      expect(await fetchSignInMethodsForEmail(service.browser(), email)).toEqual([])
    }
    await expect(fetchSignInMethodsForEmail(service.browser(), 'nonsense')).rejects.toEqual(
      code('invalid-email'),
    )
  })

  test('without enumeration protection sign-in methods are reported', async () => {
    await signUp('ways@example.test', open)
    expect(await fetchSignInMethodsForEmail(open.browser(), 'Ways@example.test')).toEqual(['password'])
    expect(await fetchSignInMethodsForEmail(open.browser(), 'nobody@example.test')).toEqual([])
  })
})

describe('the policy', () => {
  test('not enforced: accepts a password and reports what it lacks at sign-in', async () => {
    const lenient = await startIdentity({
      rules: { policy: { ...DEFAULT_POLICY, minLength: 20, numeric: true, enforced: false } },
    })
    await signUp('lenient@example.test', lenient)
    const auth = lenient.browser()
    const status = await validatePassword(auth, PASSWORD)
    expect(status).toMatchObject({ isValid: false, containsNumericCharacter: false })
    expect(status.passwordPolicy).toMatchObject({ enforcementState: 'OFF', forceUpgradeOnSignin: false })
    const answer = await lenient.app.inject({
      method: 'POST',
      url: '/identity/v1/accounts:signInWithPassword?key=reelay',
      payload: { email: 'lenient@example.test', password: PASSWORD },
    })
    expect(answer.json()).toMatchObject({
      userNotifications: [
        {
          notificationCode: 'MINIMUM_PASSWORD_LENGTH',
          notificationMessage: 'Password must contain at least 20 characters',
        },
        {
          notificationCode: 'MISSING_NUMERIC_CHARACTER',
          notificationMessage: 'Password must contain a numeric character',
        },
      ],
    })
    await lenient.close()
  })

  test('enforced at sign-in: refuses older passwords that do not meet it', async () => {
    const strict = await startIdentity({
      rules: { policy: { ...DEFAULT_POLICY, uppercase: true, upgradeOnSignIn: true } },
    })
    await expect(signUp('strict@example.test', strict)).rejects.toEqual(
      code('password-does-not-meet-requirements'),
    )
    await createUserWithEmailAndPassword(strict.browser(), 'strict@example.test', 'Upper case')
    const { password_hash } = await service.db
      .selectFrom('identity_users')
      .select('password_hash')
      .where('uid', '=', (await signUp('before@example.test')).user.uid)
      .executeTakeFirstOrThrow()
    await strict.db.updateTable('identity_users').set({ password_hash }).execute()
    await expect(signIn('strict@example.test', 'wrong', strict)).rejects.toEqual(code('invalid-credential'))
    await expect(signIn('strict@example.test', PASSWORD, strict)).rejects.toEqual(
      code('password-does-not-meet-requirements'),
    )
    await strict.close()
  })
})

describe('deletion', () => {
  test('requires a recent sign-in and leaves no data of the user', async () => {
    const { auth, user } = await signUp('leaves@example.test')
    const { user: other } = await signIn('leaves@example.test', PASSWORD)
    service.advance(SIX_MINUTES)
    await expect(deleteUser(user)).rejects.toEqual(code('requires-recent-login'))
    await reauthenticateWithCredential(user, EmailAuthProvider.credential('leaves@example.test', PASSWORD))
    await deleteUser(user)
    expect(auth.currentUser).toBeNull()
    await expect(other.reload()).rejects.toEqual(code('user-token-expired'))
    await expect(signIn('leaves@example.test', PASSWORD)).rejects.toEqual(code('invalid-credential'))
    const { user: next } = await signUp('leaves@example.test')
    expect(next.uid).not.toBe(user.uid)
  })

  test('by users can be switched off by the operator', async () => {
    const own = await startIdentity({ rules: { selfDeletion: false } })
    const { user } = await signUp('kept@example.test', own)
    await expect(deleteUser(user)).rejects.toEqual(code('admin-restricted-operation'))
    await signIn('kept@example.test', PASSWORD, own)
    await own.close()
  })
})
