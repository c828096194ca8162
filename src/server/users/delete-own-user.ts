import type { User } from '#contract/users.ts'
import { notifyNews } from '../db/bus.ts'
import type { Identity } from '#identity/identity.ts'
import type { Handlers } from '../http/mount.ts'
import { Problem } from '#base/problem.ts'
import { forgetUser, type ForgetDeps } from './erase-user.ts'

export type LeaveDeps = ForgetDeps & {
  readonly identity: Pick<Identity, 'verify' | 'signOutEverywhere' | 'selfDeletion'>
}

/** How a user ends every session, or all of it. */
export const leaveRoutes = (deps: LeaveDeps): Handlers<'deleteUser' | 'signOutEverywhere'> => ({
  deleteUser: ({ user, token }) => deleteUser(deps, user, token),
  signOutEverywhere: ({ user }) => signOutEverywhere(deps, user),
})

/** As long as the identity service takes a log-in for recent. */
const RECENT_MS = 300_000

/** Whoever finds an open browser must not be able to do this. */
async function deleteUser(deps: LeaveDeps, user: User, token: string): Promise<void> {
  const claims = await deps.identity.verify(token)
  if (!claims || claims.authTime * 1000 < deps.now() - RECENT_MS) {
    throw new Problem('login_again', 'Log in again first: you last logged in more than five minutes ago.')
  }
  if (!deps.identity.selfDeletion) {
    throw new Problem(
      'forbidden',
      "You can't delete your account on this server. Ask the person who runs it.",
    )
  }
  await forgetUser(deps, user.uid)
}

async function signOutEverywhere({ db, identity }: LeaveDeps, user: User): Promise<void> {
  if (!identity.signOutEverywhere) {
    throw new Problem(
      'not_offered',
      "This server can't log you out on other devices. Changing your password does.",
    )
  }
  await identity.signOutEverywhere(user.uid)
  await notifyNews(db, { userId: user.user_id, deliveryId: null, eventId: null })
}
