import { PASSWORD_MIN_CHARS } from '#contract/limits.ts'
import type { Admittance } from '#contract/admittance.ts'
import type { SignUp, User } from '#contract/users.ts'
import type { Identity } from '#identity/identity.ts'
import type { Requirement } from '#identity/credentials/policy.ts'
import type { Handlers } from '../http/mount.ts'
import { Problem } from '#base/problem.ts'
import {
  type AuthenticateDeps,
  assertAdmitted,
  authenticate,
  changeTimezone,
  insertUser,
  isHosted,
  updateUser,
} from './store.ts'
import { refusedSignUp } from './sign-up.ts'

export type UserDeps = Pick<AuthenticateDeps, 'db' | 'config' | 'now'> & {
  readonly identity: Pick<Identity, 'signUp' | 'verify' | 'publicSettings'>
}

export const userRoutes = (
  deps: UserDeps,
): Handlers<'createUser' | 'admitUser' | 'getUser' | 'setNickname' | 'setTimezone'> => ({
  createUser: ({ body, ip }) => createUser(deps, body, ip),
  admitUser: ({ body }) => admitUser(deps, body),
  getUser: ({ user }) => Promise.resolve(user),
  setNickname: ({ user, body }) => updateUser(deps.db, user, { nickname: body.nickname }),
  setTimezone: ({ user, body }) => changeTimezone(deps.db, user, body.timezone),
})

/**
 * Creates the identity first, then our row. They may be in different systems without a common transaction: after a crash in
 * between, `authenticate` makes the row at the user's first call.
 */
async function createUser(deps: UserDeps, signUp: SignUp, ip: string): Promise<User> {
  const { email, password, nickname, timezone, invitation = null } = signUp
  await assertAdmitted(deps, { email, invitation })
  const outcome = await deps.identity.signUp({ email, password, displayName: nickname, invitation, ip })
  switch (outcome.kind) {
    case 'signed_up':
      return insertUser(deps, { uid: outcome.uid, email: outcome.email, nickname, timezone }, invitation)
    case 'closed':
    case 'not_invited':
      throw refusedSignUp(outcome.kind, invitation)
    case 'email_taken':
      throw onField('email_taken', 'email', [emailTaken(isHosted(deps) && invitation !== null)])
    case 'invalid_email':
      throw onField('invalid', 'email', ['Enter a valid email address.'])
    case 'weak_password':
      throw onField('invalid', 'password', passwordMessages(outcome.unmet))
    case 'too_many_attempts':
      throw new Problem('too_many_requests', 'Too many sign-ups from your network. Try again later.', {
        retryAfterS: 300,
      })
  }
}

/** Its password is checked where it belongs, at the log-in, with the limits that there are against guessing. */
const emailTaken = (mayBeNew: boolean): string =>
  mayBeNew
    ? "There's already an account with this email. Log in with it below: your invitation counts there, too."
    : "There's already an account with this email."

/** @throws Problem unauthorized for an invalid token or a deleted user, signup_closed */
async function admitUser(deps: UserDeps, { token, ...joining }: Admittance): Promise<User> {
  const user = await authenticate(deps, token, joining)
  if (!user) throw new Problem('unauthorized', 'This login is not valid here.')
  return user
}

function onField(code: 'invalid' | 'email_taken', field: string, messages: string[]): Problem {
  return new Problem(code, messages.join(' '), { errors: { [field]: messages } })
}

/** Hosted providers do not name the unmet rule, so the message names the one that always applies. */
const passwordMessages = (unmet: readonly Requirement[]): string[] =>
  unmet.length === 0
    ? [`Choose a stronger password, of at least ${PASSWORD_MIN_CHARS} characters.`]
    : unmet.map(words)

function words(requirement: Requirement): string {
  switch (requirement.kind) {
    case 'min_length':
      return `Use at least ${requirement.chars} characters.`
    case 'max_length':
      return `Use at most ${requirement.chars} characters.`
    case 'lowercase':
      return 'Add a lowercase letter.'
    case 'uppercase':
      return 'Add an uppercase letter.'
    case 'numeric':
      return 'Add a digit.'
    case 'non_alphanumeric':
      return 'Add a symbol.'
  }
}
