import type { User } from '#contract/users.ts'
import { notifyNews } from '../db/bus.ts'
import type { Identity } from '#identity/identity.ts'
import type { Handlers } from '../http/mount.ts'
import { Problem } from '#base/problem.ts'
import { eraseUser, type EraseDeps } from './erase-user.ts'

export type DeleteOwnUserDeps = EraseDeps & {
  readonly identity: Pick<Identity, 'verify' | 'signOutEverywhere' | 'selfDeletion'>
}

export const ownUserRoutes = (deps: DeleteOwnUserDeps): Handlers<'deleteUser' | 'signOutEverywhere'> => ({
  deleteUser: ({ user, token }) => deleteOwnUser(deps, user, token),
  signOutEverywhere: ({ user }) => signOutEverywhere(deps, user),
})

/** The identity service's own limit for a recent log-in. */
const RECENT_MS = 300_000

/** Requires a recent log-in: an open browser is not enough. */
async function deleteOwnUser(deps: DeleteOwnUserDeps, user: User, token: string): Promise<void> {
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
  await eraseUser(deps, user.uid)
}

async function signOutEverywhere({ db, identity }: DeleteOwnUserDeps, user: User): Promise<void> {
  if (!identity.signOutEverywhere) {
    throw new Problem(
      'not_offered',
      "This server can't log you out on other devices. Changing your password does.",
    )
  }
  await identity.signOutEverywhere(user.uid)
  await notifyNews(db, { userId: user.user_id, deliveryId: null, eventId: null })
}
