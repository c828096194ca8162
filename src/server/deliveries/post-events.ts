import { setImmediate as letOthersRun } from 'node:timers/promises'
import { sql } from 'kysely'
import { TOLD_STATUSES } from '#contract/webhooks.ts'
import { type DeliveryState, UNDECIDED } from '#domain/delivery/state.ts'
import type { Db } from '#base/db/open.ts'
import {
  type EventData,
  type EventType,
  findListeners,
  isWanted,
  type Listeners,
  type NewEvent,
  recordEvents,
} from '../webhooks/record-events.ts'
import { selectDeliveries, toDelivery } from './read.ts'
import { findPosts } from './read-posts.ts'

type DeliveryEventType = Extract<EventType, `delivery.${string}`>
type PostEventType = Extract<EventType, `post.${string}`>
type EndType = Exclude<PostEventType, 'post.scheduled'>
const END_TYPES = ['post.published', 'post.partially_published', 'post.failed'] as const satisfies EndType[]

/** What webhooks may be told of a post: events of its deliveries, and that it was planned, or planned anew. */
export type PostChange = {
  readonly userId: number
  readonly postId: number
  readonly planned?: true
  /** New results were read. */
  readonly results?: EventData<'results.synced'>
  readonly delivery?: { readonly deliveryId: number; readonly types: readonly DeliveryEventType[] }
}

/** The events of a delivery that moves from one state to another. */
export function listEventTypes(before: DeliveryState, after: DeliveryState): DeliveryEventType[] {
  const told = TOLD_STATUSES.find((status) => status === after.kind)
  const isLinkNew =
    after.kind === 'published' && after.url !== null && (before.kind !== 'published' || before.url === null)
  return [
    ...(told !== undefined && before.kind !== after.kind ? [`delivery.${told}` as const] : []),
    ...(isLinkNew ? ['delivery.link_resolved' as const] : []),
  ]
}

/** Posts whose rows are locked and read at once. */
const POSTS_AT_ONCE = 20

/**
 * Part of the transaction that makes these changes, after all of them: records what webhooks are told of posts. A post's end is told
 * once, when its last delivery ends, and again only if it goes on and ends in another way.
 */
export async function recordPostEvents(trx: Db, changes: readonly PostChange[], now: number): Promise<void> {
  if (changes.length === 0) return
  const userIds = changes.map(({ userId }) => userId)
  const listeners = await findListeners(trx, userIds)
  const wanted = changes.filter((change) =>
    listPossible(change).some((type) => isWanted(listeners, change.userId, type)),
  )
  const byPost = Map.groupBy(wanted, ({ postId }) => postId)
  // Every transaction locks them in this order.
  const postIds = [...byPost.keys()].toSorted((one, other) => one - other)
  for (let from = 0; from < postIds.length; from += POSTS_AT_ONCE) {
    if (from > 0) await letOthersRun()
    await recordBatch(trx, listeners, postIds.slice(from, from + POSTS_AT_ONCE), byPost, now)
  }
}

/** The events that may follow from a change. */
const listPossible = ({ planned, delivery, results }: PostChange): EventType[] => [
  ...(planned || delivery ? END_TYPES : []),
  ...(planned ? (['post.scheduled'] as const) : []),
  ...(results ? (['results.synced'] as const) : []),
  ...(delivery?.types ?? []),
]

async function recordBatch(
  trx: Db,
  listeners: Listeners,
  postIds: readonly number[],
  byPost: ReadonlyMap<number, readonly PostChange[]>,
  now: number,
): Promise<void> {
  const records = await lockPostRecords(trx, postIds)
  const changes = postIds.flatMap((postId) => byPost.get(postId) ?? [])
  const deliveries = await readDeliveries(trx, listeners, changes)
  const ends = await readEnds(trx, postIds)
  const ofPosts = new Map(
    postIds.map((postId) => [
      postId,
      postEvent(records.get(postId)?.endedAs ?? null, byPost.get(postId) ?? [], ends.get(postId)),
    ]),
  )
  const posts = await readPosts(trx, listeners, changes, ofPosts)
  const events: NewEvent[] = []
  const after = postIds.map((postId) => {
    let sequence = records.get(postId)?.sequence ?? 0
    // Never lower than before a restore, whose numbers are older.
    const next = () => (sequence = Math.max(sequence + 1, now))
    for (const { userId, delivery, results } of byPost.get(postId) ?? []) {
      if (results) events.push({ userId, type: 'results.synced', sequence: next(), data: results })
      const data = delivery && deliveries.get(delivery.deliveryId)
      if (data)
        for (const type of delivery.types)
          events.push({ userId, type, sequence: next(), data: { delivery: data } })
    }
    const [first] = byPost.get(postId) ?? []
    const { type = null, endedAs = null } = ofPosts.get(postId) ?? {}
    const post = posts.get(postId)
    if (first && type !== null && post)
      events.push({ userId: first.userId, type, sequence: next(), data: { post } })
    return { post_id: postId, sequence, ended_as: endedAs }
  })
  await sql`update webhook_posts set sequence = new.sequence, ended_as = new.ended_as
    from json_to_recordset(${JSON.stringify(after)}) as new (post_id bigint, sequence bigint, ended_as text)
    where webhook_posts.post_id = new.post_id`.execute(trx)
  await recordEvents(trx, listeners, events, now)
}

type PostRecord = { readonly sequence: number; readonly endedAs: string | null }

/** Locks the records of what webhooks know of posts: two deliveries that end at the same moment must not both miss that the other has ended. */
async function lockPostRecords(
  trx: Db,
  postIds: readonly number[],
): Promise<ReadonlyMap<number, PostRecord>> {
  const { rows } = await sql<PostRecord & { postId: number }>`
    insert into webhook_posts as kept (post_id, sequence) select post_id, 0 from unnest(${postIds}::bigint[]) as post_id order by post_id
    on conflict (post_id) do update set sequence = kept.sequence
    returning post_id as "postId", sequence, ended_as as "endedAs"`.execute(trx)
  return new Map(rows.map((row) => [row.postId, row]))
}

async function readDeliveries(trx: Db, listeners: Listeners, changes: readonly PostChange[]) {
  const asked = changes.flatMap(({ userId, delivery }) =>
    delivery?.types.some((type) => isWanted(listeners, userId, type))
      ? [{ userId, deliveryId: delivery.deliveryId }]
      : [],
  )
  const found = new Map<number, ReturnType<typeof toDelivery>>()
  for (const [userId, some] of Map.groupBy(asked, (one) => one.userId)) {
    const ids = some.map(({ deliveryId }) => deliveryId)
    const rows = await selectDeliveries(trx, userId)
      .where('deliveries.delivery_id', '=', sql<number>`any(${ids}::bigint[])`)
      .execute()
    for (const row of rows) found.set(row.delivery_id, toDelivery(row))
  }
  return found
}

/** How posts ended; null: something of them is still to come, or all was cancelled. */
async function readEnds(trx: Db, postIds: readonly number[]): Promise<ReadonlyMap<number, EndType | null>> {
  const { rows } = await sql<{ postId: number; open: boolean; good: boolean; bad: boolean }>`
    select post_id as "postId", bool_or(state in (${sql.join(UNDECIDED)})) as open,
      bool_or(state in ('published', 'in_inbox')) as good, bool_or(state = 'failed') as bad
    from deliveries where post_id = any(${postIds}::bigint[]) group by post_id`.execute(trx)
  return new Map(
    rows.map(({ postId, open, good, bad }) => {
      if (open || (!good && !bad)) return [postId, null]
      return [postId, good ? (bad ? 'post.partially_published' : 'post.published') : 'post.failed']
    }),
  )
}

/** The event of a post after these changes, and how it has ended as far as webhooks are told. */
function postEvent(
  endedAs: string | null,
  changes: readonly PostChange[],
  end: EndType | null = null,
): { readonly type: PostEventType | null; readonly endedAs: string | null } {
  const isMoved = changes.some(({ planned, delivery }) => planned || delivery?.types.some(isStatus))
  if (!isMoved) return { type: null, endedAs }
  if (end !== null) return { type: end === endedAs ? null : end, endedAs: end }
  return { type: changes.some(({ planned }) => planned) ? 'post.scheduled' : null, endedAs: null }
}

/** A link that becomes known later is no other end. */
const isStatus = (type: DeliveryEventType): boolean => type !== 'delivery.link_resolved'

async function readPosts(
  trx: Db,
  listeners: Listeners,
  changes: readonly PostChange[],
  events: ReadonlyMap<number, { readonly type: PostEventType | null }>,
) {
  const asked = changes.filter(({ userId, postId }) => {
    const type = events.get(postId)?.type ?? null
    return type !== null && isWanted(listeners, userId, type)
  })
  const found = new Map<number, Awaited<ReturnType<typeof findPosts>>[number]>()
  for (const [userId, some] of Map.groupBy(asked, (one) => one.userId))
    for (const post of await findPosts(trx, userId, [...new Set(some.map(({ postId }) => postId))]))
      found.set(post.post_id, post)
  return found
}
