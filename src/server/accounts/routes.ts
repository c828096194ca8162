import type { Handlers } from '../http/mount.ts'
import type { AccountId } from '#contract/ids.ts'
import { readReach } from '../api-keys/reach.ts'
import { type PauseDeps, releaseHeld } from '../pauses/set-pause.ts'
import { listPostsToday } from '../rate-limit/posts-today.ts'
import { finishLink } from './finish-link.ts'
import type { LinkDeps } from './linkable.ts'
import { readOptions } from './read-options.ts'
import { startLink } from './start-link.ts'
import { getAccountWaiting, listAccounts, updateBrandOfAccount } from './store.ts'
import { unlinkAccount } from './unlink-account.ts'
import type { Account } from '#contract/accounts.ts'

export const accountRoutes = (
  deps: LinkDeps & PauseDeps,
): Handlers<
  | 'listAccounts'
  | 'getAccountOptions'
  | 'listPostsToday'
  | 'unlinkAccount'
  | 'getAccountWaiting'
  | 'moveAccount'
  | 'startLink'
  | 'finishLink'
> => ({
  listAccounts: async ({ user, key, query }) => {
    const isReached = await readReach(deps.db, { user, key })
    const accounts = await listAccounts(deps.db, user.user_id, query.brandId)
    return accounts.filter(({ account_id }) => isReached(account_id))
  },
  getAccountOptions: ({ user, params }) => readOptions(deps, user.user_id, params.accountId),
  listPostsToday: async ({ user }) => {
    const days = await listPostsToday(deps.db, deps.platforms, { userId: user.user_id, now: deps.now() })
    return days.map(({ accountId, today }) => ({ account_id: accountId as AccountId, today })) // ids come out of the database unbranded
  },
  unlinkAccount: ({ user, params, query }) =>
    unlinkAccount(deps, user.user_id, params.accountId, query.cancel_posts),
  getAccountWaiting: ({ user, params }) => getAccountWaiting(deps.db, user.user_id, params.accountId),
  moveAccount: ({ user, params, body }) =>
    moveAccount(deps, user.user_id, { accountId: params.accountId, brandId: body.brand_id }),
  startLink: ({ user, params, body }) => startLink(deps, user.user_id, params.platform, body),
  finishLink: ({ user, params, body }) => finishLink(deps, user.user_id, params.platform, body),
})

/**
 * Moves an account to another brand. Posts blocked by its old brand's pause are released, unless the new brand is paused
 * too. @throws Problem not_found for the account or the brand
 */
async function moveAccount(
  deps: PauseDeps,
  userId: number,
  move: { readonly accountId: number; readonly brandId: number },
): Promise<Account> {
  const account = await deps.db.transaction().execute((trx) => updateBrandOfAccount(trx, userId, move))
  await releaseHeld(deps, { of: 'account', id: move.accountId, userId })
  return account
}
