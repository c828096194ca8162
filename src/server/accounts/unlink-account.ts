import { PlatformId } from '#contract/platforms/index.ts'
import type { Tokens } from '#platforms/kit/platform.ts'
import { IN_FLIGHT } from '#domain/delivery/state.ts'
import type { Db } from '#base/db/open.ts'
import { Problem } from '#base/problem.ts'
import { applyUserEvent } from '../deliveries/store.ts'
import type { AccessDeps } from './access.ts'
import {
  type AccountRow,
  clearAccess,
  findAccount,
  isLinked,
  lockLinked,
  lockUndecided,
  readWaiting,
  type Which,
} from './store.ts'
import { decryptTokens } from './tokens.ts'

/**
 * Unlinks one account: its tokens are erased here and, best effort, at the platform.
 * @param cancelPosts how many waiting posts the user has agreed to cancel
 * @throws Problem not_found; in_flight while something of it is on its way; posts_waiting where another number of posts waits
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
 * Part of a transaction: unlinks the chosen accounts of the user, cancels what waits for them, and gives back the grants to
 * `revoke` once it has committed.
 */
export async function unlink(
  trx: Db,
  deps: AccessDeps,
  it: { readonly userId: number; readonly which: Which; readonly cancelPosts: number },
): Promise<Grant[]> {
  const { userId } = it
  // Waits for posts that are being made for these accounts, and makes a concurrent refresh find them gone.
  const accounts = await lockLinked(trx, userId, it.which)
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
  const { posts } = await readWaiting(trx, userId, it.which)
  if (posts !== it.cancelPosts) throw postsWaiting(posts)
  for (const { delivery_id } of waiting) {
    await applyUserEvent(trx, deps.encrypter, {
      deliveryId: delivery_id,
      userId,
      event: { type: 'cancel' },
      now: deps.now(),
    })
  }
  await clearAccess(trx, ids, deps.now())
  return grantsOf(trx, deps, accounts)
}

/** Part of the transaction in which these accounts were unlinked or deleted: what to `revoke` of their access after it. */
export async function grantsOf(
  trx: Db,
  deps: Pick<AccessDeps, 'encrypter'>,
  accounts: readonly Pick<AccountRow, 'platform' | 'external_id' | 'tokens'>[],
): Promise<Grant[]> {
  const grants: Grant[] = []
  for (const { platform, external_id, tokens } of accounts) {
    // Revoking one grant may revoke all of this server's links to the account, those of other users too.
    if (tokens === null || (await isLinked(trx, platform, external_id))) continue
    grants.push({ platform: PlatformId.parse(platform), tokens: decryptTokens(deps.encrypter, tokens) })
  }
  return grants
}

/**
 * Revokes grants in the background. One that fails, or is lost in a crash, stays granted at the platform until it expires;
 * our tokens are erased by then, so nobody can use it.
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
