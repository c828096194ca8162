import { type Selectable, sql } from 'kysely'
import { PlatformId } from '#contract/platforms/index.ts'
import { isEditable } from '#domain/delivery/by-user.ts'
import { UNDECIDED } from '#domain/delivery/state.ts'
import type { SlottedPost } from '#domain/schedule/reslot.ts'
import { slotInstant } from '#domain/schedule/slots.ts'
import type { Db } from '#base/db/open.ts'
import type { Deliveries } from '#base/db/tables.ts'
import { lockPlatformAccounts } from '../deliveries/late-posts.ts'
import { stateToShow } from '../deliveries/record.ts'

/** A post whose slot is to come, with the time at which it goes out (epoch ms). */
export type Slotted = SlottedPost<PlatformId> & { readonly publishAt: number }

type Which = {
  readonly scheduleId: number
  /** Epoch ms. */
  readonly now: number
}

/** The posts that have slots of the schedule which are to come, locked with their deliveries until the transaction ends. */
export async function lockSlottedPosts(trx: Db, which: Which): Promise<Slotted[]> {
  const posts = await postsToCome(trx, which).forNoKeyUpdate().execute()
  return withDeliveries(trx, posts, which.now, true)
}

/**
 * Before more than the posts of one schedule are locked: those of several, and a post that comes to them, with all their deliveries in
 * the order of their ids, as every other transaction locks them.
 */
export async function lockInOrder(
  trx: Db,
  scope: {
    readonly userId: number
    readonly scheduleIds: readonly number[]
    readonly postId: number | null
    readonly now: number
    /** The platform accounts of these are locked between posts and deliveries. */
    readonly accountIds?: readonly number[]
    /** Further deliveries, whose posts need no lock. */
    readonly deliveryIds?: readonly number[]
  },
): Promise<void> {
  const posts = await trx
    .selectFrom('posts')
    .select('post_id')
    .where((eb) =>
      eb.or([
        eb.and([
          eb('schedule_id', '=', sql<number>`any(${[...scope.scheduleIds]}::bigint[])`),
          eb('publish_at', '>', new Date(scope.now)),
        ]),
        eb('post_id', '=', scope.postId ?? 0),
      ]),
    )
    .where('user_id', '=', scope.userId)
    .where('deleted_at', 'is', null)
    .orderBy('post_id')
    .forNoKeyUpdate()
    .execute()
  if (scope.accountIds) await lockPlatformAccounts(trx, scope.accountIds)
  await trx
    .selectFrom('deliveries')
    .select('delivery_id')
    .where((eb) =>
      eb.or([
        eb('post_id', '=', sql<number>`any(${posts.map(({ post_id }) => post_id)}::bigint[])`),
        eb('delivery_id', '=', sql<number>`any(${[...(scope.deliveryIds ?? [])]}::bigint[])`),
      ]),
    )
    .where('user_id', '=', scope.userId)
    .orderBy('delivery_id')
    .forUpdate()
    .execute()
}

/** @see lockSlottedPosts */
export async function readSlottedPosts(db: Db, which: Which): Promise<Slotted[]> {
  return withDeliveries(db, await postsToCome(db, which).execute(), which.now, false)
}

/**
 * Tells at which slots of the schedule one of these accounts has another post, one that holds none of its slots: its time was set by hand, or
 * by another schedule. Posts that hold a slot are those of `readSlottedPosts`.
 */
export async function readBusySlots(
  db: Db,
  { schedule, accountIds, moved, postId, posts, now }: BusyQuery,
): Promise<(at: number) => boolean> {
  const excluded = [...posts.map((post) => post.postId), postId ?? 0]
  const rows = await db
    .selectFrom('deliveries as d')
    .innerJoin('accounts as a', 'a.account_id', 'd.account_id')
    .select(sql<Date>`d.goes_out_at`.as('at'))
    .distinct()
    .where('a.user_id', '=', schedule.user_id)
    .where((eb) =>
      eb.or([
        eb('a.account_id', '=', sql<number>`any(${[...accountIds]}::bigint[])`),
        eb(
          'a.account_id',
          'in',
          eb
            .selectFrom('deliveries')
            .select('account_id')
            .where('post_id', '=', sql<number>`any(${moved.map((post) => post.postId)}::bigint[])`)
            .where('state', '<>', 'cancelled'),
        ),
      ]),
    )
    .where('d.state', 'in', [...UNDECIDED])
    .where('d.goes_out_at', '>', new Date(now))
    .where('d.post_id', '<>', sql<number>`all(${excluded}::bigint[])`)
    .execute()
  const minutes = new Set(rows.map(({ at }) => toMinute(at.getTime())))
  // A post of a slot goes out within the schedule's jitter after it.
  return (at) => {
    for (let later = 0; later <= schedule.jitter_minutes; later += 1)
      if (minutes.has(toMinute(at) + later)) return true
    return false
  }
}

type BusyQuery = {
  readonly schedule: { readonly user_id: number; readonly jitter_minutes: number }
  readonly accountIds: readonly number[]
  /** Posts that may move as well: their accounts count too. */
  readonly moved: readonly Slotted[]
  /** A post that is to move. */
  readonly postId: number | null
  /** The posts of the schedule's slots. */
  readonly posts: readonly Slotted[]
  readonly now: number
}

const toMinute = (at: number): number => Math.floor(at / 60_000)

const postsToCome = (db: Db, { scheduleId, now }: Which) =>
  db
    .selectFrom('posts')
    .select(['post_id', 'publish_at', 'slot_local', 'timezone'])
    .where('schedule_id', '=', scheduleId)
    .where('publish_at', '>', new Date(now))
    .where('deleted_at', 'is', null)
    .orderBy('post_id')

type Row = {
  readonly post_id: number
  readonly publish_at: Date | null
  readonly slot_local: string | null
  readonly timezone: string | null
}

/** Deliveries of a post that wait alike are read once: a full schedule has a hundred thousand. */
async function withDeliveries(db: Db, rows: readonly Row[], now: number, lock: boolean): Promise<Slotted[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ post_id }) => post_id)
  const those = db.selectFrom('deliveries').where('post_id', 'in', ids).where('state', '<>', 'cancelled')
  if (lock) await those.select('delivery_id').orderBy('delivery_id').forUpdate().execute()
  const deliveries = await those
    .select((eb) => ['post_id', 'platform', 'state', 'data', eb.fn.min('delivery_id').as('delivery_id')])
    // Callers only ask if there is an upload session.
    .select(sql<Buffer | null>`substring(session for 0)`.as('session'))
    .groupBy(['post_id', 'platform', 'state', 'data', sql`substring(session for 0)`])
    .execute()
  const byPost = Map.groupBy(deliveries, ({ post_id }) => post_id)
  return rows.flatMap((row) => {
    const slotted = toSlotted(row, byPost.get(row.post_id) ?? [])
    return slotted === null || slotted.at <= now ? [] : [slotted]
  })
}

type Delivery = Pick<Selectable<Deliveries>, 'delivery_id' | 'platform' | 'state' | 'data' | 'session'>

/** null: nothing more comes of it, so that its slot is free. */
function toSlotted(row: Row, deliveries: readonly Delivery[]): Slotted | null {
  if (row.publish_at === null || row.slot_local === null || row.timezone === null) return null
  if (!deliveries.some(({ state }) => UNDECIDED.some((kind) => kind === state))) return null
  return {
    postId: row.post_id,
    at: slotInstant(row.slot_local, row.timezone),
    local: row.slot_local,
    publishAt: row.publish_at.getTime(),
    platforms: platformsOf(deliveries),
    movable: deliveries.every((delivery) => isEditable(stateToShow(delivery))),
  }
}

export const platformsOf = (deliveries: readonly { readonly platform: string }[]): PlatformId[] => [
  ...new Set(deliveries.map(({ platform }) => PlatformId.parse(platform))),
]
