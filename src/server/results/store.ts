import { sql } from 'kysely'
import { z } from 'zod'
import type { PlatformId } from '#contract/platforms/index.ts'
import { MetricName } from '#contract/results.ts'
import { type Followed, type Numbers, type Reading, WITHHELD } from '#domain/results/reading.ts'
import { EARLY_MS } from '#domain/results/schedule.ts'
import type { Db } from '#base/db/open.ts'
import { recordPostEvents } from '../deliveries/post-events.ts'
import { lockResults } from '../deliveries/result-rows.ts'
import { isFree, isHeldBy, leaseEnd } from '../lease/leased-row.ts'

/** A worker's hold on the readings of an account. */
export type Reader = {
  readonly accountId: number
  readonly platform: PlatformId
  readonly scopes: readonly string[]
  readonly linked: boolean
  readonly fence: number
}

/** Posts to the account that go out within this time come first. */
const YIELD_MS = 60_000

/** Leases accounts with posts to read, round-robin between users. */
export async function claimReaders(
  db: Db,
  request: { readonly now: number; readonly leaseMs: number; readonly limit: number },
): Promise<Reader[]> {
  if (request.limit <= 0) return []
  const soon = new Date(request.now + YIELD_MS)
  const { rows } = await sql<Reader>`
    with due as (
      select account_id, row_number() over (partition by user_id order by wake_at) as place from (
        select r.account_id, r.user_id, wake_at from result_readers r join accounts using (account_id) where ${isFree(request.now)}
          and not exists (select from deliveries d where d.account_id = r.account_id and d.state = 'scheduled' and d.wake_at <= ${soon})
          and not exists (select from deliveries d where d.account_id = r.account_id and d.state in ('preparing', 'committing'))
        order by wake_at limit 100
      ) oldest
    ), chosen as (
      select account_id from result_readers join due using (account_id) where ${isFree(request.now)}
      order by place, wake_at limit ${request.limit} for update of result_readers skip locked
    )
    update result_readers r set leased_until = ${leaseEnd(request.leaseMs)}, fence = r.fence + 1
    from chosen, accounts a
    where r.account_id = chosen.account_id and a.account_id = chosen.account_id
    returning r.account_id as "accountId", a.platform, a.scopes, a.unlinked_at is null as linked, r.fence`.execute(
    db,
  )
  return rows
}

/** The next time at which an account falls due that is not due yet (epoch ms). */
export async function nextReaderAt(db: Db, now: number): Promise<number | null> {
  const { next } = await db
    .selectFrom('result_readers')
    .select((eb) => eb.fn.min('wake_at').as('next'))
    .where('wake_at', '>', new Date(now))
    .executeTakeFirstOrThrow()
  return next?.getTime() ?? null
}

export type DueResult = Followed & {
  readonly deliveryId: number
  readonly nextAt: number
  /** The post's id at the platform; null: not known yet. */
  readonly postId: string | null
}

/** An account's posts to read now, and those that may be read early, soonest first. */
export async function listDueResults(db: Db, accountId: number, now: number, most: number) {
  const { rows } = await sql<{
    deliveryId: number
    live_at: Date
    missed_at: Date | null
    gone_at: Date | null
    next_at: Date
    postId: string | null
  }>`
    select r.delivery_id as "deliveryId", r.live_at, r.missed_at, r.gone_at, r.next_at,
      coalesce(d.platform_post_id, (select f.platform_post_id from follow_ups f
        where f.delivery_id = d.delivery_id and f.kind = 'public_link')) as "postId"
    from results r join deliveries d using (delivery_id)
    where r.account_id = ${accountId} and r.next_at <= ${new Date(now + EARLY_MS)}
    order by r.next_at, r.delivery_id limit ${most}`.execute(db)
  return rows.map(({ live_at, missed_at, gone_at, next_at, ...row }): DueResult => ({
    ...row,
    liveAt: live_at.getTime(),
    missedAt: missed_at?.getTime() ?? null,
    goneAt: gone_at?.getTime() ?? null,
    nextAt: next_at.getTime(),
  }))
}

/**
 * Saves readings and when the account is read next, unless the lease is gone: then another worker reads them again.
 * The numbers of a mark stay; what it lacks is added. @param notBefore the account is not read before (epoch ms)
 */
export async function saveReadings(
  db: Db,
  { accountId, fence, platform }: Reader,
  readings: readonly (Reading & { readonly deliveryId: number })[],
  { now, notBefore }: { readonly now: number; readonly notBefore: number },
): Promise<void> {
  const at = new Date(now)
  const rows = readings.map(({ deliveryId, missedAt, goneAt, nextAt, latest, mark }) => ({
    delivery_id: deliveryId,
    missed_at: toDate(missedAt),
    gone_at: toDate(goneAt),
    next_at: toDate(nextAt),
    latest,
    age_hours: mark?.ageH ?? null,
    missing: mark?.missing ?? null,
    numbers: mark?.numbers ?? {},
  }))
  await db.transaction().execute(async (trx) => {
    const held = await trx
      .selectFrom('result_readers')
      .select('user_id')
      .where('account_id', '=', accountId)
      .where(isHeldBy(fence))
      .forUpdate()
      .executeTakeFirst()
    if (!held) return
    const present = await lockResults(
      trx,
      sql`delivery_id = any(${rows.map((row) => row.delivery_id)}::bigint[])`,
    )
    await sql`
      with reading as (select * from json_to_recordset(${JSON.stringify(rows)}) as reading
        (delivery_id bigint, missed_at timestamptz, gone_at timestamptz, next_at timestamptz, latest jsonb, age_hours smallint, missing text, numbers jsonb)
        where delivery_id = any(${present}::bigint[])
      ), kept as (
        update results r set missed_at = reading.missed_at, gone_at = reading.gone_at, next_at = reading.next_at,
          latest = coalesce(reading.latest, r.latest),
          read_at = case when reading.latest is null then r.read_at else ${at}::timestamptz end
        from reading where r.delivery_id = reading.delivery_id)
      insert into result_marks (delivery_id, age_hours, account_id, read_at, missing, numbers)
      select delivery_id, age_hours, ${accountId}, ${at}::timestamptz, missing, numbers from reading where age_hours is not null
      on conflict (delivery_id, age_hours) do update set missing = excluded.missing,
          read_at = case when result_marks.numbers = '{}' then excluded.read_at else result_marks.read_at end,
          numbers = excluded.numbers || coalesce((select jsonb_object_agg(metric, value) from jsonb_each(result_marks.numbers) as kept (metric, value)
            where jsonb_typeof(value) = 'number'), '{}')
        where excluded.numbers <> '{}'`.execute(trx)
    await sql`
      update result_readers set leased_until = null, wake_at = (
        select greatest(min(next_at), ${new Date(notBefore)}::timestamptz) from results where account_id = ${accountId} and next_at is not null)
      where account_id = ${accountId}`.execute(trx)
    const synced = new Set(rows.flatMap((row) => (row.latest === null ? [] : [row.delivery_id])))
    const deliveryIds = present.filter((deliveryId) => synced.has(deliveryId))
    await recordReadings(trx, { userId: held.user_id, accountId, platform, deliveryIds, now })
  })
}

/** Webhooks are told that there are numbers, not which: a platform may want them deleted again. */
async function recordReadings(
  trx: Db,
  of: Pick<Reader, 'accountId' | 'platform'> & {
    readonly userId: number
    readonly deliveryIds: readonly number[]
    readonly now: number
  },
): Promise<void> {
  const { userId, accountId, platform, now } = of
  if (of.deliveryIds.length === 0) return
  const rows = await trx
    .selectFrom('results')
    .select(['post_id', 'delivery_id'])
    .where('delivery_id', 'in', [...of.deliveryIds])
    .execute()
  const readAt = new Date(now).toISOString()
  const changes = rows.map(({ post_id: postId, delivery_id: deliveryId }) => ({
    userId,
    postId,
    results: { post_id: postId, delivery_id: deliveryId, account_id: accountId, platform, read_at: readAt },
  }))
  await recordPostEvents(trx, changes, now)
}

/** Nothing is read until the account is linked again. */
export const stopReading = (db: Db, { accountId, fence }: Reader) =>
  db
    .updateTable('result_readers')
    .set({ wake_at: null, leased_until: null })
    .where('account_id', '=', accountId)
    .where(isHeldBy(fence))
    .execute()

/** The account's owner took the permission away at the platform, unless they have linked it again since. */
export const removeScopes = (db: Db, { accountId, fence }: Reader, scopes: readonly string[]) =>
  db
    .updateTable('accounts')
    .set({
      scopes: sql`array(select scope from unnest(scopes) scope where scope <> all (${[...scopes]}::text[]))`,
    })
    .where('account_id', '=', accountId)
    .where(
      sql<boolean>`exists (select from result_readers where account_id = ${accountId} and ${isHeldBy(fence)})`,
    )
    .execute()

const StoredNumbers = z.partialRecord(MetricName, z.union([z.int(), z.enum(WITHHELD)]))

export const readNumbers = (stored: unknown): Numbers => StoredNumbers.parse(stored)

const toDate = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())
