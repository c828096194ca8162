import { type Kysely, sql } from 'kysely'
import { DatabaseError } from 'pg'
import { ALL_SLOTS_MAX, QUEUES_MAX, QUEUES_PER_BRAND_MAX } from '#contract/limits.ts'
import type { Queue, QueueChange, QueueMove, QueueSlot } from '#contract/planning/queues.ts'
import { reslot } from '#domain/schedule/reslot.ts'
import type { Db } from '#base/db/open.ts'
import type { DB } from '#base/db/tables.ts'
import { notFound, Problem } from '#base/problem.ts'
import { ownsBrand } from '../accounts/store.ts'
import { leaveQueue, type RescheduleDeps } from '../deliveries/reschedule-post.ts'
import { type PauseDeps, setPause } from '../pauses/set-pause.ts'
import { refusal } from '../http/parse.ts'
import { applyMoves, describeMoves, spanFrom, weekOf } from './place-post.ts'
import { lockInOrder, lockQueuedPosts, readQueuedPosts } from './queued-posts.ts'
import {
  countAll,
  countWaiting,
  findQueue,
  findQueues,
  insertQueue,
  lockQueue,
  lockQueues,
  markQueueDeleted,
  type QueueRow,
  replaceSlots,
  toQueue,
  updateQueue,
} from './store.ts'

export type QueueDeps = RescheduleDeps & { readonly db: Kysely<DB> }

export async function listQueues({ db, now }: QueueDeps, userId: number): Promise<Queue[]> {
  const rows = await findQueues(db, userId)
  const waiting = await countWaiting(
    db,
    rows.map(({ queue_id }) => queue_id),
    now(),
  )
  return rows.map((row) => toQueue(row, waiting.get(row.queue_id) ?? 0))
}

async function getQueue(db: Db, userId: number, queueId: number, now: number): Promise<Queue> {
  const waiting = await countWaiting(db, [queueId], now)
  return toQueue(await findQueue(db, userId, queueId), waiting.get(queueId) ?? 0)
}

type NewQueue = {
  readonly brand_id: number
  readonly name: string
  readonly slots: readonly QueueSlot[]
  readonly jitter_minutes: number
}

/** @throws Problem not_found for the brand; invalid for a name that it has, and for too many queues */
export function createQueue(deps: QueueDeps, userId: number, it: NewQueue): Promise<Queue> {
  return deps.db.transaction().execute(async (trx) => {
    if (!(await ownsBrand(trx, userId, it.brand_id))) throw notFound('brand')
    const others = await lockQueuesOf(trx, userId, it.brand_id)
    if (others.length >= QUEUES_PER_BRAND_MAX)
      throw refusal('invalid', { brand_id: [`A brand has at most ${QUEUES_PER_BRAND_MAX} queues.`] })
    refuseName(others, it.name)
    await refuseTooMuch(trx, userId, { queues: 1, slots: it.slots.length })
    const { name, jitter_minutes: jitterMinutes } = it
    const queue = { userId, brandId: it.brand_id, name, jitterMinutes }
    const queueId = await refusingName(insertQueue(trx, queue))
    await replaceSlots(trx, queueId, it.slots)
    return getQueue(trx, userId, queueId, deps.now())
  })
}

/** What grows must fit; two that grow at once come one after the other. The user's uploads need not wait for them. */
async function refuseTooMuch(
  trx: Db,
  userId: number,
  more: { readonly queues: number; readonly slots: number },
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`queues ${userId}`}, 0))`.execute(trx)
  const { queues, slots } = await countAll(trx, userId)
  if (more.queues > 0 && queues + more.queues > QUEUES_MAX)
    throw refusal('invalid', { brand_id: [`You have ${queues} queues; the limit is ${QUEUES_MAX}.`] })
  if (more.slots > 0 && slots + more.slots > ALL_SLOTS_MAX)
    throw refusal('invalid', {
      slots: [`Your queues have ${slots} slots; the limit is ${ALL_SLOTS_MAX} in all.`],
    })
}

/** Two that make queues of a brand at once come one after the other: the brand's row is locked, too. */
async function lockQueuesOf(trx: Db, userId: number, brandId: number): Promise<QueueRow[]> {
  await trx.selectFrom('brands').select('brand_id').where('brand_id', '=', brandId).forNoKeyUpdate().execute()
  await lockQueues(trx, userId, { brandId })
  return findQueues(trx, userId, { brandId })
}

function refuseName(others: readonly QueueRow[], name: string): void {
  if (others.some((other) => other.name.toLowerCase() === name.toLowerCase())) throw nameTaken()
}

const nameTaken = (): Problem =>
  refusal('invalid', { name: ['This brand already has a queue with this name.'] })

/** The database compares names in small letters of its own: a Greek sigma is one letter there, and two here. */
async function refusingName<T>(store: Promise<T>): Promise<T> {
  try {
    return await store
  } catch (error) {
    throw error instanceof DatabaseError && error.constraint === 'queues_by_name' ? nameTaken() : error
  }
}

/**
 * Changes a queue and gives its posts the slots of its new week.
 * @throws Problem not_found; conflict for another version; posts_move where another number of posts moves; invalid for its name
 */
export function changeQueue(
  deps: QueueDeps,
  userId: number,
  queueId: number,
  change: QueueChange & { readonly moves: number },
): Promise<Queue> {
  return deps.db.transaction().execute(async (trx) => {
    const { brand_id } = await findQueue(trx, userId, queueId)
    const others = await lockQueuesOf(trx, userId, brand_id)
    const queue = await findQueue(trx, userId, queueId)
    refuseVersion(queue, change)
    refuseName(
      others.filter((other) => other.queue_id !== queueId),
      change.name,
    )
    await refuseTooMuch(trx, userId, { queues: 0, slots: change.slots.length - queue.slots.length })
    const changed = withChange(queue, change)
    const now = deps.now()
    const posts = await lockQueuedPosts(trx, { queueId, now })
    const { moves, stays } = reslot(weekOf(changed), posts, spanFrom(now))
    if (moves.length !== change.moves) throw postsMove(moves.length)
    const { name, jitter_minutes: jitterMinutes } = change
    await refusingName(updateQueue(trx, queueId, { name, jitterMinutes }))
    await replaceSlots(trx, queueId, change.slots)
    await applyMoves(trx, deps, changed, moves)
    await leaveQueue(trx, stays)
    return getQueue(trx, userId, queueId, now)
  })
}

const withChange = (queue: QueueRow, change: QueueChange): QueueRow => ({
  ...queue,
  slots: change.slots,
  jitter_minutes: change.jitter_minutes,
})

function refuseVersion(queue: QueueRow, { version }: QueueChange): void {
  if (queue.version !== version)
    throw new Problem('conflict', 'This queue was changed somewhere else, perhaps in another tab.')
}

const postsMove = (moves: number): Problem =>
  new Problem(
    'posts_move',
    moves === 0
      ? 'No scheduled posts need to move now. Check again and confirm.'
      : `This moves ${moves === 1 ? 'a scheduled post' : `${moves} scheduled posts`}. Confirm to continue.`,
  )

/** @throws Problem not_found; conflict for another version */
export async function previewQueue(
  { db, now }: QueueDeps,
  userId: number,
  queueId: number,
  change: QueueChange,
): Promise<{ moves: QueueMove[] }> {
  const queue = await findQueue(db, userId, queueId)
  refuseVersion(queue, change)
  const changed = withChange(queue, change)
  const posts = await readQueuedPosts(db, { queueId, now: now() })
  const { moves } = reslot(weekOf(changed), posts, spanFrom(now()))
  return { moves: describeMoves(changed, posts, moves) }
}

/** @throws Problem not_found */
export async function deleteQueue(
  deps: QueueDeps & PauseDeps,
  userId: number,
  queueId: number,
): Promise<void> {
  // What its pause has held goes out, or is missed, as when it is resumed.
  await setPause(deps, { of: 'queue', id: queueId, userId }, false)
  await deps.db.transaction().execute(async (trx) => {
    await lockQueue(trx, userId, queueId)
    await markQueueDeleted(trx, queueId, deps.now())
  })
}

/**
 * Part of the transaction that gave the brand another zone: its queues' posts move with their wall clocks.
 * @param agreed the number of posts that the user has agreed to move
 * @throws Problem posts_move where another number moves
 */
export async function reslotQueuesOf(
  trx: Db,
  deps: RescheduleDeps,
  { userId, brandId, agreed }: { readonly userId: number; readonly brandId: number; readonly agreed: number },
): Promise<void> {
  const now = deps.now()
  await lockQueues(trx, userId, { brandId })
  const queues = await findQueues(trx, userId, { brandId })
  await lockInOrder(trx, { userId, queueIds: queues.map(({ queue_id }) => queue_id), postId: null, now })
  const changes = []
  for (const queue of queues) {
    const posts = await lockQueuedPosts(trx, { queueId: queue.queue_id, now })
    changes.push({ queue, ...reslot(weekOf(queue), posts, spanFrom(now)) })
  }
  const moving = changes.flatMap(({ moves }) => moves).length
  if (moving !== agreed) throw postsMove(moving)
  for (const { queue, moves, stays } of changes) {
    await applyMoves(trx, deps, queue, moves)
    await leaveQueue(trx, stays)
  }
}

/**
 * What the same would move.
 * @throws Problem not_found
 */
export async function previewBrandZone(
  { db, now }: QueueDeps,
  userId: number,
  brandId: number,
  timezone: string,
): Promise<{ moves: QueueMove[] }> {
  if (!(await ownsBrand(db, userId, brandId))) throw notFound('brand')
  const found: QueueMove[] = []
  for (const queue of await findQueues(db, userId, { brandId })) {
    const changed = { ...queue, timezone }
    const posts = await readQueuedPosts(db, { queueId: queue.queue_id, now: now() })
    const { moves } = reslot(weekOf(changed), posts, spanFrom(now()))
    found.push(...describeMoves(changed, posts, moves))
  }
  return { moves: found.toSorted((a, b) => a.from.localeCompare(b.from)) }
}

/** Part of the transaction that deletes the brand: its queues go with it. */
export async function deleteQueuesOf(trx: Db, userId: number, brandId: number, now: number): Promise<void> {
  await lockQueues(trx, userId, { brandId })
  for (const { queue_id } of await findQueues(trx, userId, { brandId }))
    await markQueueDeleted(trx, queue_id, now)
}
