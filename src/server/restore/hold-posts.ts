import { sql } from 'kysely'
import { PlatformId } from '#contract/platforms/index.ts'
import { UNDECIDED } from '#domain/delivery/state.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { applyUserEvents } from '../deliveries/store.ts'
import { applyUserFollowUpEvent } from '../follow-ups/store.ts'
import { stopWaiting } from '../webhooks/messages.ts'

export type HoldDeps = {
  readonly db: Db
  readonly encrypter: Encrypter
  /** Late posts are published automatically up to this delay (ms). */
  readonly overdueGraceMs: number
  readonly now: () => number
}

/** Rows per transaction, which locks them all. */
const HELD_AT_ONCE = 200

export type HoldProgress = {
  /** Epoch ms. */
  readonly begunAt: number
  after: number
  /** Rows that cannot be held, for example unreadable ones. */
  readonly refused: Set<number>
}
export const startOfHold = (now: number): HoldProgress => ({ begunAt: now, after: 0, refused: new Set() })

/**
 * Runs in a transaction: holds the next batch, so that nothing of it is published automatically and no first comment is
 * added. Webhooks are not told what waited to be told before. Posts that may be at a platform are only checked. Other processes may hold concurrently. @returns false: nothing
 * is left
 */
export async function holdBatch(
  trx: Db,
  { encrypter, now: clock }: Pick<HoldDeps, 'encrypter' | 'now'>,
  progress: HoldProgress,
): Promise<boolean> {
  const now = clock()
  if (await stopWaiting(trx, { before: progress.begunAt }, 'restored')) return true
  // Repeats from the beginning at the end, because rows that were restored meanwhile may have lower ids.
  for (const after of new Set([progress.after, 0])) {
    const open = await selectOpen(trx, after, progress.refused)
    const events = open.map(({ delivery_id: deliveryId, user_id: userId }) => ({
      deliveryId,
      userId,
      event: { type: 'held' } as const,
    }))
    const { moved } = await applyUserEvents(trx, encrypter, events, now)
    for (const { deliveryId } of events) if (!moved.has(deliveryId)) progress.refused.add(deliveryId)
    progress.after = open.at(-1)?.delivery_id ?? 0
    if (open.length > 0) return true
  }
  const comments = await selectWaitingComments(trx)
  for (const { delivery_id: deliveryId, user_id: userId, platform } of comments)
    await applyUserFollowUpEvent(trx, {
      deliveryId,
      userId,
      platform: PlatformId.parse(platform),
      kind: 'first_comment',
      event: { type: 'held' },
      now,
    })
  return comments.length > 0
}

const selectOpen = (trx: Db, after: number, refused: ReadonlySet<number>) =>
  trx
    .selectFrom('deliveries')
    .select(['delivery_id', 'user_id'])
    .where('state', 'in', UNDECIDED)
    .where('restored', '=', false)
    .where('delivery_id', '>', after)
    .where(sql<boolean>`delivery_id <> all(${[...refused]}::bigint[])`)
    .orderBy('delivery_id')
    .limit(HELD_AT_ONCE)
    .forUpdate()
    .execute()

/** Locks their deliveries too, as every change of a follow-up does first. */
const selectWaitingComments = (trx: Db) =>
  trx
    .selectFrom('deliveries')
    .innerJoin('follow_ups', 'follow_ups.delivery_id', 'deliveries.delivery_id')
    .select(['deliveries.delivery_id', 'deliveries.user_id', 'deliveries.platform'])
    .where('follow_ups.kind', '=', 'first_comment')
    .where('follow_ups.state', '=', 'waiting')
    .orderBy('deliveries.delivery_id')
    .limit(HELD_AT_ONCE)
    .forUpdate('deliveries')
    .execute()

/** It may have been published after the backup, and only its user can look. */
export async function isHeldAfterRestore(db: Db, userId: number, deliveryId: number): Promise<boolean> {
  const row = await db
    .selectFrom('deliveries')
    .select('restored')
    .where('user_id', '=', userId)
    .where('delivery_id', '=', deliveryId)
    .executeTakeFirst()
  return row?.restored === true
}

/** Posts that wait for their users, also from an earlier restore. */
export async function countHeldPosts(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.count<number>('post_id').distinct().as('count'))
    .where('restored', '=', true)
    .executeTakeFirstOrThrow()
  return count
}
