import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { notFound } from '#base/problem.ts'
import { lockPlatformAccounts } from './late-posts.ts'
import { refuseRepeats } from './repeats.ts'
import { applyUserEvents } from './store.ts'

type Replacement = {
  readonly userId: number
  readonly deliveryIds: readonly number[]
  /** The accounts of the new post, whose rows the transaction has locked. */
  readonly accountIds: readonly number[]
  readonly isConfirmed: boolean
}

/**
 * Part of the transaction that makes a post instead of failed deliveries: locks those that it replaces, which are those to its own
 * platform accounts.
 * @throws Problem not_found; already_posted where one was sent again meanwhile, or its account has its video since
 */
export async function lockReplaced(
  trx: Db,
  { userId, deliveryIds, accountIds, isConfirmed }: Replacement,
): Promise<number[]> {
  if (deliveryIds.length === 0) return []
  await lockPlatformAccounts(trx, accountIds)
  const rows = await trx
    .selectFrom('deliveries')
    .innerJoin('accounts', 'accounts.account_id', 'deliveries.account_id')
    .select(['deliveries.delivery_id', 'deliveries.state'])
    .select((one) =>
      one
        .exists(
          one
            .selectFrom('accounts as targets')
            .select('targets.account_id')
            .whereRef('targets.platform', '=', 'accounts.platform')
            .whereRef('targets.external_id', '=', 'accounts.external_id')
            .where('targets.account_id', 'in', [...accountIds]),
        )
        .as('is_target'),
    )
    .where('deliveries.delivery_id', 'in', [...deliveryIds])
    .where('deliveries.user_id', '=', userId)
    .orderBy('deliveries.delivery_id')
    .forUpdate('deliveries')
    .execute()
  if (rows.length < new Set(deliveryIds).size) throw notFound('delivery')
  const replaced = rows.filter(({ is_target }) => is_target)
  if (!isConfirmed) {
    const ids = replaced.map(({ delivery_id }) => delivery_id)
    await refuseRepeats(trx, ids, 'and themselves')
  }
  return replaced.filter(({ state }) => state === 'failed').map(({ delivery_id }) => delivery_id)
}

/** Settles the failures that `lockReplaced` has locked. */
export async function settleReplaced(
  trx: Db,
  encrypter: Encrypter,
  replacement: {
    readonly userId: number
    readonly deliveryIds: readonly number[]
    readonly postId: number
    readonly now: number
  },
): Promise<void> {
  const event = { type: 'replaced', postId: replacement.postId } as const
  const events = replacement.deliveryIds.map((deliveryId) => ({
    deliveryId,
    userId: replacement.userId,
    event,
  }))
  await applyUserEvents(trx, encrypter, events, replacement.now)
}
