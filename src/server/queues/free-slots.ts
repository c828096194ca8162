import { sql } from 'kysely'
import type { z } from 'zod'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { FreeSlot, queueEndpoints } from '#contract/planning/queues.ts'
import { UNDECIDED } from '#domain/delivery/state.ts'
import { placeInQueue } from '#domain/schedule/reslot.ts'
import { isFor, type Slot, slotInstant, slotsBetween, slotsFrom } from '#domain/schedule/slots.ts'
import type { Db } from '#base/db/open.ts'
import { readQueuedPosts } from './queued-posts.ts'
import { describeMoves, spanFrom, timeOf, weekOf } from './place-post.ts'
import { findQueue, findQueues, type QueueRow } from './store.ts'

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
    const placing = placeInQueue(weekOf(queue), posts, { place, platforms: it.platforms }, { now, until })
    if (placing === null) return null
    const at = new Date(timeOf(queue, placing.slot).at).toISOString()
    return { at, moves: describeMoves(queue, posts, placing.moves) }
  }
  return { slots: free, top: placement('top'), bottom: placement('bottom') }
}

/** Queues whose free slots are drawn at most: enough for any screen. */
const QUEUES_DRAWN_MAX = 100

/** The free slots to come of the user's queues, or of one brand's, with `from <= at < to` (epoch ms), in order of time. */
export async function listFreeSlots(
  db: Db,
  userId: number,
  it: {
    readonly from: number
    readonly to: number
    readonly brandId?: number | undefined
    readonly now: number
    readonly limit: number
  },
): Promise<FreeSlot[]> {
  const queues = await findQueues(db, userId, { brandId: it.brandId, limit: QUEUES_DRAWN_MAX })
  const taken = await takenSlots(
    db,
    queues.map(({ queue_id }) => queue_id),
    it,
  )
  const from = Math.max(it.from - 1, it.now)
  return queues
    .flatMap((queue) =>
      slotsBetween(weekOf(queue), from, it.to)
        .filter((slot) => !taken.has(keyOf(queue.queue_id, slot.at)))
        .map((slot) => ({ at: slot.at, free: toFreeSlot(queue, slot) })),
    )
    .toSorted((a, b) => a.at - b.at)
    .slice(0, it.limit)
    .map(({ free }) => free)
}

const keyOf = (queueId: number, at: number): string => `${queueId} ${at}`

/** Jitter puts a post up to an hour, and a clock change another one, after its slot. */
const AFTER_SLOT_MS = 3 * 3_600_000

async function takenSlots(
  db: Db,
  queueIds: readonly number[],
  { from, to }: { readonly from: number; readonly to: number },
): Promise<ReadonlySet<string>> {
  if (queueIds.length === 0) return new Set()
  const { rows } = await sql<{ queue_id: number; slot_local: string; timezone: string }>`
    select p.queue_id, p.slot_local, p.timezone from posts p
    where p.queue_id in (${sql.join([...queueIds])}) and p.deleted_at is null
      and p.publish_at >= ${new Date(from)} and p.publish_at < ${new Date(to + AFTER_SLOT_MS)}
      and exists (select from deliveries d where d.post_id = p.post_id and d.state in (${sql.join([...UNDECIDED])}) offset 0)`.execute(
    db,
  )
  return new Set(
    rows.map(({ queue_id, slot_local, timezone }) => keyOf(queue_id, slotInstant(slot_local, timezone))),
  )
}

const toFreeSlot = (queue: QueueRow, { local, at, platforms }: Slot<PlatformId>): FreeSlot => ({
  queue_id: queue.queue_id as FreeSlot['queue_id'], // ids come out of the database unbranded
  queue_name: queue.name,
  brand_id: queue.brand_id as FreeSlot['brand_id'],
  local,
  timezone: queue.timezone,
  at: new Date(at).toISOString(),
  platforms: platforms === null ? null : [...platforms],
})
