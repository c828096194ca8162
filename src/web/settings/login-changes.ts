import { queryOptions } from '@tanstack/react-query'
import {
  deleteUser,
  EmailAuthProvider,
  reauthenticateWithCredential,
  reload,
  sendEmailVerification,
  sendPasswordResetEmail,
  updatePassword,
  verifyBeforeUpdateEmail,
  type User,
} from '@firebase/auth'
import { Email, Password } from '#contract/users.ts'
import { call } from '#web/api/api.ts'
import { refusal } from '#web/session/identity.ts'
import { identityMessage } from '#web/session/identity-errors.ts'
import { queryClient, settingsQuery } from '#web/api/queries.ts'
import { logOut, unmetPasswordRules, open } from '#web/session/session.ts'
import { cancelAllUploads } from '#web/videos/uploads.ts'

/** The user's login data, as the identity provider has it now. */
export type LoginData = {
  readonly email: string
  readonly confirmed: boolean
  readonly hasPassword: boolean
  /** The names of the server's OpenID Connect providers that also log this user in. */
  readonly providers: readonly string[]
}

/** Refetched whenever the page gets the focus: an email may be confirmed in another tab or on a phone. */
export const loginQuery = queryOptions({
  queryKey: ['login'],
  queryFn: readLogin,
  staleTime: 0,
})

/** The result of a change; `field`: an error beside that field. */
export type Changed =
  | { readonly kind: 'done' }
  | { readonly kind: 'field'; readonly field: 'email' | 'current' | 'password'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }

const DONE: Changed = { kind: 'done' }
const failed = (message: string): Changed => ({ kind: 'failed', message })

async function readLogin(): Promise<LoginData> {
  const user = await currentUser()
  const refused = await refusal(reload(user))
  if (refused !== null) throw new Error(identityMessage(refused))
  const { email, emailVerified, providerData } = user
  const hasPassword = providerData.some(({ providerId }) => providerId === EmailAuthProvider.PROVIDER_ID)
  const { identity } = await queryClient.ensureQueryData(settingsQuery)
  const offered = identity.mode === 'embedded' ? identity.providers : []
  const providers = offered
    .filter(({ id }) => providerData.some(({ providerId }) => providerId === `oidc.${id}`))
    .map(({ name }) => name)
  return { email: email ?? '', confirmed: emailVerified, hasPassword, providers }
}

/** Requests the email whose link confirms the address. */
export const requestConfirmationEmail = async (): Promise<Changed> =>
  emailResult(await refusal(sendEmailVerification(await currentUser())))

/** Requests the email whose link sets a first password. */
export async function requestPasswordEmail(email: string): Promise<Changed> {
  const { auth } = await open()
  return emailResult(await refusal(sendPasswordResetEmail(auth, email)))
}

/** Requests the email whose link changes the address; nothing changes before it is opened. */
export async function changeEmail(wanted: string, password: string | null): Promise<Changed> {
  const email = Email.safeParse(wanted)
  if (!email.success) return { kind: 'field', field: 'email', message: sentences(email.error) }
  const user = await currentUser()
  if (email.data === user.email)
    return { kind: 'field', field: 'email', message: 'You already log in with this email.' }
  const problem = await reauthenticate(user, password)
  if (problem !== null) return problem
  const refused = await refusal(verifyBeforeUpdateEmail(user, email.data))
  return refused === 'invalid-email' || refused === 'invalid-new-email'
    ? { kind: 'field', field: 'email', message: 'Enter a valid email address.' }
    : emailResult(refused)
}

/** Changes the password, which ends the user's other sessions. */
export async function changePassword(current: string, next: string): Promise<Changed> {
  const password = Password.safeParse(next)
  if (!password.success) return { kind: 'field', field: 'password', message: sentences(password.error) }
  const missing = await unmetPasswordRules(next)
  if (missing.length > 0) return { kind: 'field', field: 'password', message: missing.join(' ') }
  const user = await currentUser()
  const problem = await reauthenticate(user, current)
  if (problem !== null) return problem
  const refused = await refusal(updatePassword(user, next))
  switch (refused) {
    case null:
      return DONE
    case 'weak-password':
    case 'password-does-not-meet-requirements':
      return { kind: 'field', field: 'password', message: identityMessage('weak-password') }
    default:
      return failed(identityMessage(refused))
  }
}

/** Ends all sessions of this user, including this one. Rejects if the server cannot or will not. */
export async function logOutEverywhere(): Promise<void> {
  if (!(await cancelAllUploads()))
    throw new Error('Your upload may have arrived: see the queue. Log out again to continue.')
  await logOut('left everywhere', () => call('signOutEverywhere'))
}

/** Deletes this user and all their data. */
export async function deleteOwnUser(password: string | null): Promise<Changed> {
  const user = await currentUser()
  const problem = await reauthenticate(user, password)
  if (problem !== null) return problem
  const { identity } = await queryClient.ensureQueryData(settingsQuery)
  await cancelAllUploads()
  await logOut('deleted', async () => {
    await call('deleteUser')
    // The built-in service has already deleted the user; a hosted one must be called.
    if (identity.mode === 'firebase') await refusal(deleteUser(user))
  })
  return DONE
}

async function currentUser(): Promise<User> {
  const { auth } = await open()
  if (!auth.currentUser) throw new Error(identityMessage('invalid-user-token'))
  return auth.currentUser
}

/** Reauthenticates with the password; without one, the provider requires a recent login. @returns null: success */
async function reauthenticate(user: User, password: string | null): Promise<Changed | null> {
  if (password === null) return null
  const proof = EmailAuthProvider.credential(user.email ?? '', password)
  const refused = await refusal(reauthenticateWithCredential(user, proof))
  switch (refused) {
    case null:
      return null
    case 'invalid-credential':
    case 'wrong-password':
    case 'invalid-argument':
    case 'missing-password':
      return { kind: 'field', field: 'current', message: "That's not your password." }
    case 'user-disabled':
      return failed(identityMessage('login-blocked'))
    default:
      return failed(identityMessage(refused))
  }
}

function emailResult(refused: string | null): Changed {
  if (refused === null) return DONE
  return failed(
    refused === 'too-many-requests'
      ? 'Too many emails requested. Wait a few minutes and try again.'
      : identityMessage(refused),
  )
}

const sentences = (error: { readonly issues: readonly { readonly message: string }[] }): string =>
  error.issues.map(({ message }) => message).join(' ')
