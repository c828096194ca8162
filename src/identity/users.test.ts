import {
  confirmPasswordReset,
  createUserWithEmailAndPassword,
  signInWithEmailAndPassword,
} from '@firebase/auth'
import { afterAll, expect, test } from 'vitest'
import { setIdentityDisabled } from './identity.ts'
import { codeIn, PASSWORD, startIdentity } from '#test/support/identity.ts'

const service = await startIdentity()
afterAll(() => service.close())

const { users } = service.identity
if (!users) throw new Error('The embedded service offers no user administration.')

const setDisabled = (uid: string, disabled: boolean) =>
  service.db.transaction().execute((trx) => setIdentityDisabled(trx, uid, disabled, service.now()))

const code = (name: string) => expect.objectContaining({ code: `auth/${name}` }) as Error

let count = 0
async function somebody() {
  count += 1
  const email = `somebody-${count}@example.test`
  const auth = service.browser()
  const { user } = await createUserWithEmailAndPassword(auth, email, PASSWORD)
  return { auth, user, email, uid: user.uid }
}

test('a user is found by address, in any case', async () => {
  const { uid, email } = await somebody()
  expect(await users.find({ email: ` ${email.toUpperCase()}` })).toMatchObject({ uid, email })
  expect(await users.find({ email: 'nobody@example.test' })).toBeUndefined()
})

test('a disabled user is signed out and can sign in again once enabled', async () => {
  const { auth, user, email, uid } = await somebody()
  const idToken = await user.getIdToken()
  const { refreshToken } = user
  const other = service.browser()
  const { user: elsewhere } = await signInWithEmailAndPassword(other, email, PASSWORD)
  await setDisabled(uid, true)

  await expect(user.reload()).rejects.toEqual(code('user-disabled'))
  await expect(elsewhere.getIdToken(true)).rejects.toEqual(code('user-disabled'))
  expect([auth.currentUser, other.currentUser]).toEqual([null, null])
  await expect(signInWithEmailAndPassword(auth, email, PASSWORD)).rejects.toEqual(code('user-disabled'))
  expect(await users.resetLink({ uid, email })).toEqual({ refused: 'email_not_found' })

  service.advance(2000)
  await setDisabled(uid, false)
  const call = async (path: string, payload: object) =>
    (
      await service.app.inject({ method: 'POST', url: `/identity${path}?key=reelay`, payload })
    ).json<unknown>()
  const expired = { error: { message: 'TOKEN_EXPIRED' } }
  expect(await call('/v1/accounts:lookup', { idToken })).toMatchObject(expired)
  const renewal = { grant_type: 'refresh_token', refresh_token: refreshToken }
  expect(await call('/v1/token', renewal)).toMatchObject(expired)
  await signInWithEmailAndPassword(auth, email, PASSWORD)
})

test('a reset link sets a password once and ends all sessions; it is mailed only if asked', async () => {
  const { auth, user, email } = await somebody()
  const known = await users.find({ email: email.toUpperCase() })
  if (!known) throw new Error('There is no such user.')
  const made = await users.resetLink(known)
  if ('refused' in made) throw new Error(made.refused)
  expect(new URL(made.link).searchParams.get('mode')).toBe('resetPassword')
  const oobCode = codeIn({ text: made.link })
  await confirmPasswordReset(auth, oobCode, 'a third horse')
  await expect(confirmPasswordReset(auth, oobCode, 'a fourth horse')).rejects.toEqual(
    code('invalid-action-code'),
  )
  await signInWithEmailAndPassword(auth, email, 'a third horse')
  await expect(user.getIdToken(true)).rejects.toEqual(code('user-token-expired'))
  expect((await service.mails()).filter(({ to }) => to === email)).toEqual([])
  await users.mailResetLink(known)
  await confirmPasswordReset(auth, codeIn(await service.nextMail(email, 'resetPassword')), 'a fifth horse')
  // Somebody else may have the address by now.
  expect(await users.resetLink({ ...known, uid: 'another' })).toEqual({ refused: 'email_not_found' })
})
