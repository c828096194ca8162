import { type RawBuilder, sql } from 'kysely'
import type { z } from 'zod'
import { QUEUES_MAX } from '#contract/limits.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { FreeSlot, queueEndpoints } from '#contract/planning/queues.ts'
import { UNDECIDED } from '#domain/delivery/state.ts'
import { knownZone } from '#domain/schedule/days.ts'
import { placeInSchedule } from '#domain/schedule/reslot.ts'
import { isFor, type Slot, slotInstant, slotsBetween, slotsFrom } from '#domain/schedule/slots.ts'
import type { Db } from '#base/db/open.ts'
import { readQueuedPosts } from './queued-posts.ts'
import { describeMoves, spanFrom, timeOf, weekOf } from './place-post.ts'
import { findQueue, queuesOf, type QueueRow } from './store.ts'

type NextSlots = z.infer<typeof queueEndpoints.listNextSlots.reply>

/**
 * The next free slots of a queue, and what its top and its end would mean for a post to these platforms.
 * @throws Problem not_found
 */
export async function listNextSlots(
  db: Db,
  userId: number,
  it: {
    readonly queueId: number
    readonly count: number
    readonly platforms: readonly PlatformId[]
    /** A post that is to move: its slot counts as free. */
    readonly postId: number | undefined
    readonly now: number
  },
): Promise<NextSlots> {
  const queue = await findQueue(db, userId, it.queueId)
  const posts = (await readQueuedPosts(db, it)).filter(({ postId }) => postId !== it.postId)
  const taken = new Set(posts.map(({ at }) => at))
  const free: FreeSlot[] = []
  const { now, until } = spanFrom(it.now)
  for (const slot of slotsFrom(weekOf(queue), now, until)) {
    if (free.length === it.count) break
    if (!taken.has(slot.at) && isFor(slot, it.platforms)) free.push(toFreeSlot(queue, slot))
  }
  const placement = (place: 'top' | 'bottom'): NextSlots['top'] => {
    const placing = placeInSchedule(weekOf(queue), posts, { place, platforms: it.platforms }, { now, until })
    if (placing === null) return null
    const at = new Date(timeOf(queue, placing.slot).at).toISOString()
    return { at, moves: describeMoves(queue, posts, placing.moves) }
  }
  return { slots: free, top: placement('top'), bottom: placement('bottom') }
}

/** What the free slots of a span are found from: the queues, and the slots in it that posts have. */
export type SlotRows = {
  readonly queues: readonly SlotQueue[]
  readonly taken: readonly {
    readonly queue_id: number
    readonly slot_local: string
    readonly timezone: string
  }[]
}
type SlotQueue = Pick<QueueRow, 'queue_id' | 'name' | 'brand_id' | 'timezone' | 'slots'>

/** Jitter puts a post up to an hour, and a clock change another one, after its slot. */
const AFTER_SLOT_MS = 3 * 3_600_000

/**
 * `SlotRows` as a JSON value: of the user's queues, or of one brand's, for a span in epoch ms. With `offset` the posts of each queue are
 * looked up by the queue and their time.
 */
export const slotRows = (
  db: Db,
  userId: number,
  it: { readonly from: number; readonly to: number; readonly brandId?: number | undefined },
): RawBuilder<SlotRows> => sql<SlotRows>`(
  with of_user as materialized (${queuesOf(db, userId, { brandId: it.brandId, limit: QUEUES_MAX })})
  select json_build_object(
    'queues', (select coalesce(json_agg(q order by q.queue_id), '[]') from of_user q),
    'taken', (select coalesce(json_agg(p), '[]') from of_user q cross join lateral (
      select p.queue_id, p.slot_local, p.timezone from posts p
      where p.queue_id = q.queue_id and p.deleted_at is null
        and p.publish_at >= ${new Date(it.from)} and p.publish_at < ${new Date(it.to + AFTER_SLOT_MS)}
        and exists (select from deliveries d where d.post_id = p.post_id and d.state in (${sql.join([...UNDECIDED])}) offset 0)
      offset 0) p)))`

/**
 * The free slots to come with `from <= at < to` (epoch ms), in order of time. They are looked for in ever longer stretches, so that
 * a few of very many are found without making all.
 */
export function toFreeSlots(
  { queues, taken }: SlotRows,
  it: { readonly from: number; readonly to: number; readonly now: number; readonly limit: number },
): FreeSlot[] {
  const has = new Set(
    taken.map(({ queue_id, slot_local, timezone }) => keyOf(queue_id, slotInstant(slot_local, timezone))),
  )
  const known = queues.map((queue) => ({ ...queue, timezone: knownZone(queue.timezone) }))
  const free: FreeSlot[] = []
  // Both ends are left out by slotsBetween.
  let after = Math.max(it.from - 1, it.now)
  for (let days = 1; after < it.to && free.length < it.limit; days *= 2) {
    const end = Math.min(after + days * DAY_MS, it.to)
    const found = known.flatMap((queue) =>
      slotsBetween(weekOf(queue), after, end)
        .filter((slot) => !has.has(keyOf(queue.queue_id, slot.at)))
        .map((slot) => ({ at: slot.at, free: toFreeSlot(queue, slot) })),
    )
    free.push(...found.toSorted((a, b) => a.at - b.at).map((one) => one.free))
    if (end === it.to) break
    after = end - 1
  }
  return free.slice(0, it.limit)
}

const DAY_MS = 86_400_000

const keyOf = (queueId: number, at: number): string => `${queueId} ${at}`

const toFreeSlot = (queue: SlotQueue, { local, at, platforms }: Slot<PlatformId>): FreeSlot => ({
  queue_id: queue.queue_id as FreeSlot['queue_id'], // ids come out of the database unbranded
  queue_name: queue.name,
  brand_id: queue.brand_id as FreeSlot['brand_id'],
  local,
  timezone: queue.timezone,
  at: new Date(at).toISOString(),
  platforms: platforms === null ? null : [...platforms],
})
