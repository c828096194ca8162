import { PlatformId } from '#contract/platforms/index.ts'
import type { Tokens } from '#platforms/kit/platform.ts'
import { IN_FLIGHT } from '#domain/delivery/state.ts'
import type { Db } from '#base/db/open.ts'
import { Problem } from '#base/problem.ts'
import { applyUserEvents } from '../deliveries/store.ts'
import { deleteResultsOnUnlink } from '../deliveries/result-rows.ts'
import type { AccessDeps } from './access.ts'
import {
  type AccountRow,
  clearAccess,
  findAccount,
  lockLinked,
  lockUndecided,
  readWaiting,
  sharesGrant,
  type Which,
} from './store.ts'
import { decryptTokens } from './tokens.ts'

/**
 * Unlinks one account: its tokens are erased here and, best effort, at the platform. @param cancelPosts the number of
 * waiting posts that the user agreed to cancel @throws Problem not_found; in_flight while a post is in progress;
 * posts_waiting if the number differs
 */
export async function unlinkAccount(
  deps: AccessDeps,
  userId: number,
  accountId: number,
  cancelPosts: number,
): Promise<void> {
  const grants = await deps.db.transaction().execute(async (trx) => {
    await findAccount(trx, userId, accountId)
    return unlink(trx, deps, { userId, which: { accountId }, cancelPosts })
  })
  revoke(deps, grants)
}

export type Grant = { readonly platform: PlatformId; readonly tokens: Tokens }

/**
 * Runs in a transaction: unlinks the user's chosen accounts, cancels their waiting posts, and returns the grants to
 * `revoke` after the commit.
 */
export async function unlink(
  trx: Db,
  deps: AccessDeps,
  request: { readonly userId: number; readonly which: Which; readonly cancelPosts: number },
): Promise<Grant[]> {
  const { userId } = request
  // Waits for concurrent posts to these accounts, and makes a concurrent refresh fail.
  const accounts = await lockLinked(trx, userId, request.which)
  const ids = accounts.map(({ account_id }) => account_id)
  if (ids.length === 0) return []
  const waiting = await lockUndecided(trx, ids)
  const open = waiting.filter(({ state }) => IN_FLIGHT.some((kind) => kind === state))
  if (open.length > 0) {
    throw new Problem(
      'in_flight',
      open.every(({ state }) => state === 'unconfirmed')
        ? 'A post to this account may be live, and Reelay is still checking. Wait, or tell us in the queue what you see on the platform.'
        : "A post to this account is publishing. Wait until it's done, or cancel it in the queue if you still can.",
    )
  }
  const { posts } = await readWaiting(trx, userId, request.which)
  if (posts !== request.cancelPosts) throw postsWaiting(posts)
  const event = { type: 'cancel' } as const
  await applyUserEvents(
    trx,
    deps.encrypter,
    waiting.map(({ delivery_id: deliveryId }) => ({ deliveryId, userId, event })),
    deps.now(),
  )
  await clearAccess(trx, ids, deps.now())
  await deleteResultsOnUnlink(trx, accounts)
  return readGrants(trx, deps, accounts)
}

/** Runs in the transaction that unlinked or deleted these accounts. @returns the grants to `revoke` after it */
export async function readGrants(
  trx: Db,
  deps: Pick<AccessDeps, 'encrypter'>,
  accounts: readonly Pick<AccountRow, 'platform' | 'external_id' | 'grant_owner_id' | 'tokens'>[],
): Promise<Grant[]> {
  const grants: Grant[] = []
  for (const account of accounts) {
    const { platform, tokens } = account
    // Revoking one grant may revoke all of this server's links to the account or of its login, also other users'.
    if (tokens === null || (await sharesGrant(trx, account))) continue
    // A secret that was given up leaves tokens that nobody can use, and that must not keep their account.
    if (!deps.encrypter.hasKeyOf(tokens)) continue
    grants.push({ platform: PlatformId.parse(platform), tokens: decryptTokens(deps.encrypter, tokens) })
  }
  return grants
}

/**
 * Revokes grants in the background. A failed or lost revocation stays granted at the platform until it expires; our tokens
 * are erased by then, so nobody can use it.
 */
export function revoke(deps: Pick<AccessDeps, 'platforms'>, grants: readonly Grant[]): void {
  for (const { platform, tokens } of grants) void deps.platforms[platform]?.revoke(tokens)
}

const postsWaiting = (posts: number): Problem =>
  new Problem(
    'posts_waiting',
    posts === 0
      ? 'It no longer has scheduled posts. Check again and confirm.'
      : `${posts === 1 ? 'A scheduled post' : `${posts} scheduled posts`} won't be posted. Confirm to continue.`,
  )
