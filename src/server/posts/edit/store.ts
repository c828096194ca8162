import { sql } from 'kysely'
import type { DeliveryStatus } from '#contract/deliveries.ts'
import type { AccountId, PostId, ScheduleId } from '#contract/ids.ts'
import type { ZonedTime } from '#contract/posts.ts'
import type { Db } from '#base/db/open.ts'
import type { SlotTime } from '../../schedules/place-post.ts'

/** A post that is being changed; it stays as it is until the transaction ends. */
export async function lockPostRow(trx: Db, userId: number, postId: number) {
  const row = await trx
    .selectFrom('posts')
    .select([
      'post_id',
      'version',
      'text',
      'video_id',
      'publish_at',
      'publish_local',
      'timezone',
      'schedule_id',
      'created_at',
    ])
    .where('post_id', '=', postId)
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row ?? null
}

export async function findVersion(db: Db, userId: number, postId: number): Promise<number | null> {
  const row = await db
    .selectFrom('posts')
    .select('version')
    .where('post_id', '=', postId)
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row?.version ?? null
}

/** The post's own schedule first, then the others of its accounts' brands. */
export async function findSchedulesOfPost(db: Db, userId: number, postId: number): Promise<ScheduleId[]> {
  const rows = await db
    .selectFrom('schedules as s')
    .innerJoin('posts as p', 'p.user_id', 's.user_id')
    .select('s.schedule_id')
    .where('p.post_id', '=', postId)
    .where('p.user_id', '=', userId)
    .where('s.deleted_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('s.schedule_id', '=', eb.ref('p.schedule_id')),
        eb.exists(
          eb
            .selectFrom('deliveries as d')
            .innerJoin('accounts as a', 'a.account_id', 'd.account_id')
            .select('d.delivery_id')
            .whereRef('d.post_id', '=', 'p.post_id')
            .whereRef('a.brand_id', '=', 's.brand_id')
            .where('d.state', '<>', 'cancelled'),
        ),
      ]),
    )
    .orderBy(sql`s.schedule_id is not distinct from p.schedule_id`, 'desc')
    .orderBy('s.schedule_id')
    .execute()
  return rows.map(({ schedule_id }) => schedule_id as ScheduleId) // ids come out of the database unbranded
}

/** The schedule that gave the post its time, not locked. */
export async function findScheduleId(db: Db, userId: number, postId: number): Promise<number | null> {
  const row = await db
    .selectFrom('posts')
    .select('schedule_id')
    .where('post_id', '=', postId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.schedule_id ?? null
}

export async function listAccountIds(db: Db, userId: number, postId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('deliveries')
    .select('account_id')
    .where('post_id', '=', postId)
    .where('user_id', '=', userId)
    .execute()
  return rows.map(({ account_id }) => account_id)
}

/** The brand of all accounts that a post goes to, alone in a list; empty: there are several. */
export async function findSharedBrand(db: Db, userId: number, postId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('deliveries')
    .innerJoin('accounts', 'accounts.account_id', 'deliveries.account_id')
    .select('accounts.brand_id')
    .distinct()
    .where('deliveries.post_id', '=', postId)
    .where('deliveries.user_id', '=', userId)
    .where('deliveries.state', '<>', 'cancelled')
    .execute()
  return rows.length === 1 ? rows.map(({ brand_id }) => brand_id) : []
}

/** The post's deliveries with their accounts, in the order in which every transaction locks them. */
export const lockDeliveries = (trx: Db, postId: number) =>
  trx
    .selectFrom('deliveries')
    .innerJoin('accounts', 'accounts.account_id', 'deliveries.account_id')
    .selectAll('deliveries')
    .select(['accounts.username', 'accounts.display_name', 'accounts.brand_id'])
    .where('deliveries.post_id', '=', postId)
    .orderBy('deliveries.delivery_id')
    .forUpdate('deliveries')
    .execute()

export type LockedDelivery = Awaited<ReturnType<typeof lockDeliveries>>[number]

export async function updateReference(trx: Db, postId: number, reference: string | null): Promise<void> {
  await trx.updateTable('posts').set({ reference }).where('post_id', '=', postId).execute()
}

export async function bumpVersion(trx: Db, postId: number): Promise<void> {
  await trx
    .updateTable('posts')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where('post_id', '=', postId)
    .execute()
}

/** `publishAt` null: as soon as possible. `at`: its instant (epoch ms). `slot`: the one that gave it; null: it was chosen by hand. */
export type NewTime = {
  readonly publishAt: ZonedTime | null
  readonly at: number | null
  readonly slot: SlotTime['slot'] | null
}

/** The post's new time. One that is no slot leaves the schedule. */
export async function updatePublishTime(
  trx: Db,
  postId: number,
  { publishAt, at, slot }: NewTime,
): Promise<void> {
  await trx
    .updateTable('posts')
    .set({
      publish_at: at === null ? null : new Date(at),
      publish_local: publishAt?.local ?? null,
      timezone: publishAt?.timezone ?? null,
      schedule_id: slot?.scheduleId ?? null,
      slot_local: slot?.local ?? null,
    })
    .where('post_id', '=', postId)
    .execute()
}

/** A post that goes to no account of its schedule's brand any more gives its slot back and keeps its time. */
export async function leaveScheduleOfOtherBrand(trx: Db, postId: number): Promise<void> {
  await trx
    .updateTable('posts')
    .set({ schedule_id: null, slot_local: null })
    .where('post_id', '=', postId)
    .where('schedule_id', 'is not', null)
    .where(
      sql<boolean>`not exists (select from deliveries d
        join accounts a on a.account_id = d.account_id
        join schedules s on s.brand_id = a.brand_id
        where d.post_id = posts.post_id and s.schedule_id = posts.schedule_id and d.state <> 'cancelled')`,
    )
    .execute()
}

/** The video of a post that may change meanwhile, and the accounts that it goes to. */
export async function readPostBefore(db: Db, userId: number, postId: number) {
  const row = await db
    .selectFrom('posts')
    .select('video_id')
    .select(
      sql<number[]>`array(select d.account_id from deliveries d where d.post_id = posts.post_id)`.as(
        'accounts',
      ),
    )
    .where('post_id', '=', postId)
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row ?? null
}

export async function updatePost(
  trx: Db,
  postId: number,
  { text, videoId }: { readonly text: string; readonly videoId: number },
): Promise<void> {
  await trx.updateTable('posts').set({ text, video_id: videoId }).where('post_id', '=', postId).execute()
}

export async function updateContent(
  trx: Db,
  deliveryId: number,
  { text, options }: { readonly text: string; readonly options: object },
): Promise<void> {
  await trx
    .updateTable('deliveries')
    .set({ text, options: JSON.stringify(options) })
    .where('delivery_id', '=', deliveryId)
    .execute()
}

/** How long after the post's time deliveries go out. */
export async function updateAfterMinutes(
  trx: Db,
  changes: readonly { readonly deliveryId: number; readonly afterMinutes: number }[],
): Promise<void> {
  if (changes.length === 0) return
  const rows = changes.map(({ deliveryId, afterMinutes }) => ({ id: deliveryId, minutes: afterMinutes }))
  await sql`update deliveries set after_minutes = new.minutes
    from json_to_recordset(${JSON.stringify(rows)}) as new (id bigint, minutes integer)
    where delivery_id = new.id`.execute(trx)
}

export async function deletePicture(trx: Db, deliveryId: number): Promise<void> {
  await trx.deleteFrom('delivery_pictures').where('delivery_id', '=', deliveryId).execute()
}

/** A worker that has claimed one of these loses its lease. */
export async function deleteDeliveries(trx: Db, deliveryIds: readonly number[]): Promise<void> {
  if (deliveryIds.length === 0) return
  await trx
    .deleteFrom('deliveries')
    .where('delivery_id', 'in', [...deliveryIds])
    .execute()
}

/** The posts that wait for an account, in the order in which they go out; at most `limit`. */
export async function selectWaitingPosts(
  db: Db,
  {
    userId,
    accountId,
    limit,
  }: { readonly userId: number; readonly accountId: number; readonly limit: number },
): Promise<PostId[]> {
  const rows = await db
    .selectFrom('deliveries')
    .select('post_id')
    .where('user_id', '=', userId)
    .where('account_id', '=', accountId)
    .where('state', 'in', ['scheduled', 'blocked'] satisfies DeliveryStatus[])
    .orderBy('goes_out_at')
    .orderBy('post_id')
    .limit(limit)
    .execute()
  return rows.map(({ post_id }) => post_id as PostId) // ids come out of the database unbranded
}

/** A post's version, and what it goes to each account with. */
export async function readTargets(db: Db, userId: number, postId: number) {
  const rows = await db
    .selectFrom('posts')
    .innerJoin('deliveries', 'deliveries.post_id', 'posts.post_id')
    .select([
      'posts.version',
      'deliveries.account_id',
      'deliveries.text',
      'deliveries.options',
      'deliveries.after_minutes',
      'deliveries.cause',
    ])
    .where('posts.post_id', '=', postId)
    .where('posts.user_id', '=', userId)
    .where('posts.deleted_at', 'is', null)
    .orderBy('deliveries.delivery_id')
    .execute()
  const [first] = rows
  if (!first) return null
  const targets = rows.map(({ account_id, text, options, after_minutes, cause }) => ({
    account_id: account_id as AccountId, // ids come out of the database unbranded
    text,
    options: options as Record<string, unknown>, // checked by the platform's schema when it was stored
    after_minutes,
    cause,
  }))
  return { version: first.version, targets }
}
