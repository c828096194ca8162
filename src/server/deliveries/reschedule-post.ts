import type { PublishAt } from '#contract/posts.ts'
import { isEditable, staysHeld } from '#domain/delivery/by-user.ts'
import type { DeliveryState } from '#domain/delivery/state.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { stateToShow } from './record.ts'
import { applyUserEvent } from './store.ts'

export type RescheduleDeps = { readonly encrypter: Encrypter; readonly now: () => number }

/**
 * Part of a transaction that has locked the post's row: gives the post another time. Deliveries that have started or ended keep
 * theirs.
 */
export async function reschedulePost(
  trx: Db,
  { encrypter, now }: RescheduleDeps,
  it: {
    readonly userId: number
    readonly postId: number
    readonly publishAt: PublishAt
    /** The instant of `publishAt` (epoch ms). */
    readonly at: number
    /** The slot that the time comes from; null: the post keeps its queue. */
    readonly slot: { readonly queueId: number; readonly local: string } | null
    /** The line of the timeline; default: that it was moved. */
    readonly line?: string
  },
): Promise<void> {
  const deliveries = await trx
    .selectFrom('deliveries')
    .select(['delivery_id', 'state', 'data', 'session'])
    .where('post_id', '=', it.postId)
    .orderBy('delivery_id')
    .forUpdate()
    .execute()
  const waiting = deliveries.filter((one) => isEditable(stateToShow(one)))
  const event = { type: 'rescheduled', dueAt: it.at } as const
  for (const one of waiting) {
    const line = it.line ?? describeMove(it.publishAt, stateToShow(one))
    const moved = { deliveryId: one.delivery_id, userId: it.userId, event, now: now(), line }
    await applyUserEvent(trx, encrypter, moved)
  }
  await trx
    .updateTable('posts')
    .set((eb) => ({
      publish_at: new Date(it.at),
      publish_local: it.publishAt.local,
      timezone: it.publishAt.timezone,
      ...(it.slot && { queue_id: it.slot.queueId, slot_local: it.slot.local }),
      version: eb('version', '+', 1),
    }))
    .where('post_id', '=', it.postId)
    .execute()
  if (waiting.length === 0) return
  await trx
    .updateTable('deliveries')
    // A call slot reserved for the old time is void.
    .set({ goes_out_at: new Date(it.at), reserved_at: null })
    .where(
      'delivery_id',
      'in',
      waiting.map(({ delivery_id }) => delivery_id),
    )
    .execute()
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** The line of the timeline for a post that was moved. `publishAt` null: as soon as possible. */
export function describeMove(publishAt: PublishAt | null, state: DeliveryState | null): string {
  const held = staysHeld(state) ? ' It is still held.' : ''
  if (publishAt === null) return held === '' ? 'Moved: it goes out now.' : `Moved to now.${held}`
  const { local, timezone } = publishAt
  return `Moved to ${DAY.format(Date.parse(`${local}Z`))}, ${local.slice(11)} (${timezone}).${held}`
}

/** These posts keep their times, which no longer come from a queue. */
export async function leaveQueue(trx: Db, postIds: readonly number[]): Promise<void> {
  if (postIds.length === 0) return
  await trx
    .updateTable('posts')
    .set({ queue_id: null, slot_local: null })
    .where('post_id', 'in', [...postIds])
    .execute()
}
