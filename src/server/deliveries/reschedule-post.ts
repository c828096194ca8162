import { sql } from 'kysely'
import type { ZonedTime } from '#contract/posts.ts'
import { isEditable, staysHeld } from '#domain/delivery/by-user.ts'
import { knownZone } from '#domain/schedule/days.ts'
import { instantOf, localAt, minutesAfter } from '#domain/schedule/schedule.ts'
import type { DeliveryState } from '#domain/delivery/state.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { recordPostEvents } from './post-events.ts'
import { stateToShow } from './record.ts'
import { applyUserEvents } from './store.ts'

export type RescheduleDeps = { readonly encrypter: Encrypter; readonly now: () => number }

export type PostMove = {
  readonly userId: number
  readonly postId: number
  readonly publishAt: ZonedTime
  /** The instant of `publishAt` (epoch ms). */
  readonly at: number
  /** The slot that the time comes from; null: the post keeps its schedule. */
  readonly slot: { readonly scheduleId: number; readonly local: string } | null
  /** The line of the timeline; default: that it was moved. */
  readonly line?: string
}

/** Posts whose deliveries are read at once. */
const POSTS_AT_ONCE = 10

/**
 * Part of a transaction that has locked the rows of the posts: gives each another time. Deliveries that have started or ended keep
 * theirs.
 */
export async function reschedulePosts(
  trx: Db,
  deps: RescheduleDeps,
  moves: readonly PostMove[],
): Promise<void> {
  for (let from = 0; from < moves.length; from += POSTS_AT_ONCE)
    await rescheduleBatch(trx, deps, moves.slice(from, from + POSTS_AT_ONCE))
}

async function rescheduleBatch(trx: Db, deps: RescheduleDeps, moves: readonly PostMove[]): Promise<void> {
  const byPost = new Map(moves.map((move) => [move.postId, move]))
  const deliveries = await trx
    .selectFrom('deliveries')
    .select(['post_id', 'delivery_id', 'state', 'data', 'session', 'after_minutes'])
    .where('post_id', 'in', [...byPost.keys()])
    .orderBy('delivery_id')
    .forUpdate()
    .execute()
  const waiting = deliveries.flatMap((one): DeliveryMove[] => {
    const move = byPost.get(one.post_id)
    const state = stateToShow(one)
    if (move === undefined || !isEditable(state)) return []
    const dueAt = minutesAfter(move.at, one.after_minutes)
    const line = move.line ?? describeMove(move.publishAt, state, one.after_minutes)
    return [{ deliveryId: one.delivery_id, userId: move.userId, dueAt, line }]
  })
  await rescheduleDeliveries(trx, deps, waiting)
  const times = moves.map(({ postId, publishAt, at, slot }) => ({
    id: postId,
    at: new Date(at),
    ...publishAt,
    schedule_id: slot?.scheduleId,
    slot_local: slot?.local,
  }))
  await sql`
    update posts set publish_at = new.at, publish_local = new.local, timezone = new.timezone,
      schedule_id = coalesce(new.schedule_id, posts.schedule_id), slot_local = coalesce(new.slot_local, posts.slot_local),
      version = version + 1
    from json_to_recordset(${JSON.stringify(times)}) as new
      (id bigint, at timestamptz, local text, timezone text, schedule_id bigint, slot_local text)
    where post_id = new.id`.execute(trx)
  const changes = moves.map(({ userId, postId }) => ({ userId, postId, planned: true as const }))
  await recordPostEvents(trx, changes, deps.now())
}

type DeliveryMove = {
  readonly deliveryId: number
  readonly userId: number
  /** Epoch ms. */
  readonly dueAt: number
  /** The line of the timeline. */
  readonly line: string
}

/** Part of a transaction that has locked the rows. @returns the deliveries that took their new time */
export async function rescheduleDeliveries(
  trx: Db,
  { encrypter, now }: RescheduleDeps,
  moves: readonly DeliveryMove[],
): Promise<ReadonlySet<number>> {
  if (moves.length === 0) return new Set()
  const events = moves.map(({ dueAt, ...move }) => ({
    ...move,
    event: { type: 'rescheduled', dueAt } as const,
  }))
  const { moved } = await applyUserEvents(trx, encrypter, events, now())
  const times = moves.map(({ deliveryId, dueAt }) => ({ id: deliveryId, at: new Date(dueAt) }))
  // A call that was reserved for the old time is void.
  await sql`
    update deliveries set goes_out_at = new.at, reserved_at = null
    from json_to_recordset(${JSON.stringify(times)}) as new (id bigint, at timestamptz)
    where delivery_id = new.id`.execute(trx)
  return moved
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** The line of the timeline for a delivery whose post was moved. `publishAt` null: as soon as possible. */
export function describeMove(
  publishAt: ZonedTime | null,
  state: DeliveryState | null,
  afterMinutes: number,
): string {
  const held = staysHeld(state) ? ' It is still held.' : ''
  if (publishAt === null && afterMinutes > 0)
    return `Moved: it goes out ${afterMinutes} min after the post's time.${held}`
  if (publishAt === null) return held === '' ? 'Moved: it goes out now.' : `Moved to now.${held}`
  const { timezone } = publishAt
  const at = minutesAfter(instantOf(publishAt.local, timezone) ?? 0, afterMinutes)
  const local = afterMinutes === 0 ? publishAt.local : localAt(at, knownZone(timezone))
  return `Moved to ${DAY.format(Date.parse(`${local}Z`))}, ${local.slice(11)} (${timezone}).${held}`
}

/** These posts keep their times, which no longer come from a schedule. */
export async function leaveSchedule(trx: Db, postIds: readonly number[]): Promise<void> {
  if (postIds.length === 0) return
  await trx
    .updateTable('posts')
    .set({ schedule_id: null, slot_local: null })
    .where('post_id', 'in', [...postIds])
    .execute()
}
