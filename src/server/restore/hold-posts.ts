import { type Kysely, sql } from 'kysely'
import type { ResumedPlanned } from '#contract/deliveries.ts'
import { PlatformId } from '#contract/platforms/index.ts'
import { eventAfterRestore } from '#domain/delivery/overdue.ts'
import { REASONS } from '#domain/delivery/reasons.ts'
import { UNDECIDED } from '#domain/delivery/state.ts'
import type { Db } from '#base/db/open.ts'
import type { DB } from '#base/db/tables.ts'
import type { Encrypter } from '#base/encryption.ts'
import { selectWithPause } from '../deliveries/find-pause.ts'
import { releaseLatePosts } from '../deliveries/late-posts.ts'
import { applyUserEvent } from '../deliveries/store.ts'
import { applyUserFollowUpEvent } from '../follow-ups/store.ts'

export type HoldDeps = {
  readonly db: Kysely<DB>
  readonly encrypter: Encrypter
  /** How late a post may be and still go out by itself (ms). */
  readonly overdueGraceMs: number
  /** Epoch ms. */
  readonly now: () => number
}

/**
 * Part of a transaction: nothing that had not ended goes out by itself any more, and no first comment is added. What may be at a platform
 * is only asked about. @returns how many posts wait for their users
 */
export async function holdPosts(
  trx: Db,
  { encrypter, now: clock }: Pick<HoldDeps, 'encrypter' | 'now'>,
): Promise<number> {
  const now = clock()
  const open = await trx
    .selectFrom('deliveries')
    .select(['delivery_id', 'user_id', 'post_id'])
    .where('state', 'in', UNDECIDED)
    .orderBy('delivery_id')
    .execute()
  const held = new Set<number>()
  for (const { delivery_id: deliveryId, user_id: userId, post_id: postId } of open) {
    const result = await applyUserEvent(trx, encrypter, { deliveryId, userId, event: { type: 'held' }, now })
    if (result !== null && 'moved' in result) held.add(postId)
  }
  const comments = await trx
    .selectFrom('follow_ups')
    .innerJoin('deliveries', 'deliveries.delivery_id', 'follow_ups.delivery_id')
    .select(['follow_ups.delivery_id', 'follow_ups.user_id', 'deliveries.platform'])
    .where('follow_ups.kind', '=', 'first_comment')
    .where('follow_ups.state', '=', 'waiting')
    .orderBy('follow_ups.delivery_id')
    .execute()
  for (const { delivery_id: deliveryId, user_id: userId, platform } of comments)
    await applyUserFollowUpEvent(trx, {
      deliveryId,
      userId,
      platform: PlatformId.parse(platform),
      kind: 'first_comment',
      event: { type: 'held' },
      now,
    })
  return held.size
}

/**
 * Lets held posts go out at their times: those of a user that were planned, or with `null` all, since the operator says that the data were
 * only moved. What has become late meanwhile goes out as after an outage.
 */
export async function resumeHeld(deps: HoldDeps, userId: number | null): Promise<ResumedPlanned> {
  const taken = await releaseLatePosts(
    deps,
    (db) =>
      selectWithPause(db)
        .where('d.state', '=', 'blocked')
        .where(sql<boolean>`d.data ->> 'cause' = 'restored'`)
        .$if(userId !== null, (query) =>
          query
            .where('d.user_id', '=', userId)
            .where(sql<boolean>`d.data -> 'reason' ->> 'code' = ${REASONS.restoredPlanned.code}`),
        ),
    ({ due_at: dueAt }, room) =>
      eventAfterRestore(dueAt ?? room.now, { ...room, graceMs: deps.overdueGraceMs }),
  )
  const count = (type: 'resumed' | 'missed') =>
    [...taken.values()].filter((event) => event.type === type).length
  return { released: count('resumed'), missed: count('missed') }
}
