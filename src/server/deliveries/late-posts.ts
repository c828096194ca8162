import { type RawBuilder, sql } from 'kysely'
import { SPACING_MS } from '#domain/delivery/overdue.ts'
import { WAITS } from '#domain/delivery/reasons.ts'
import type { Db } from '#base/db/open.ts'

/** When a platform account has room for its next late post. */
type LatePosts = {
  /** When the account's next late post may go out (epoch ms, not before now). */
  freeAt(accountId: number): number
  /** Its next late post goes out at `freeAt`, which is returned: the one after it a minute later. */
  take(accountId: number): number
}

/**
 * Locks the platform accounts of these accounts until the transaction ends, so that two that release late posts of one count each
 * other's. Rows of accounts are locked before it, those of deliveries after it.
 */
export async function lockLatePosts(trx: Db, accountIds: readonly number[], now: number): Promise<LatePosts> {
  const ids = [...new Set(accountIds)]
  const accounts = await trx
    .selectFrom('accounts')
    .select(['account_id', sql<string>`platform || ' ' || external_id`.as('key')])
    .where('account_id', 'in', ids)
    .execute()
  const keys = [...new Set(accounts.map(({ key }) => key))].toSorted()
  await sql`select pg_advisory_xact_lock(hashtextextended('late posts ' || key, 0)) from unnest(${keys}::text[]) as key`.execute(
    trx,
  )
  const { rows } = await lastLateQuery(ids, now).execute(trx)
  const last = new Map(rows.map((row) => [row.account_id, row.last]))
  const keyOf = new Map(accounts.map(({ account_id, key }) => [account_id, key]))
  const free = new Map(
    accounts.map(({ account_id, key }) => [key, Math.max(now, (last.get(account_id) ?? 0) + SPACING_MS)]),
  )
  const freeAt = (accountId: number) => free.get(keyOf.get(accountId) ?? '') ?? now
  const take = (accountId: number) => {
    const at = freeAt(accountId)
    free.set(keyOf.get(accountId) ?? '', at + SPACING_MS)
    return at
  }
  return { freeAt, take }
}

/**
 * The last time (epoch ms) at which a late post to the same platform account goes out, or went out within the spacing. What is due or
 * being sent goes out now. Each part reads a few rows by an index of its own, however many posts the account has.
 */
export const lastLateQuery = (accountIds: readonly number[], now: number) => {
  const at = sql<Date>`${new Date(now)}::timestamptz`
  const ms = sql<number>`${now}::float8`
  // Sent before the spacing, it holds up nothing; sent soon after its time, it is not late.
  const lateSince = (sentAt: RawBuilder<unknown>) => sql`${sentAt} > ${now - SPACING_MS}
    and goes_out_at < to_timestamp((${sentAt} - ${SPACING_MS}) / 1000.0)`
  return sql<{ account_id: number; last: number | null }>`
    select mine.account_id, max(late.at) as last
    from accounts mine
      join accounts same on same.platform = mine.platform and same.external_id = mine.external_id
      cross join lateral (
        (select ${ms} as at from deliveries
          where account_id = same.account_id and state = 'scheduled' and wake_at <= ${at}
            and wake_at >= coalesce((select max(until) from outages), '-infinity')
          limit 1)
        union all
        (select ${ms} from deliveries where account_id = same.account_id and state in ('preparing', 'committing') limit 1)
        union all
        select extract(epoch from max(wake_at))::float8 * 1000 from deliveries
          where account_id = same.account_id and state = 'scheduled'
            and data -> 'reason' ->> 'code' = ${sql.lit(WAITS.spaced.code)} and wake_at > ${at}
        union all
        select max(${SENT_AT})::float8 from deliveries
          where account_id = same.account_id and state in ('processing', 'unconfirmed', 'in_inbox') and ${lateSince(SENT_AT)}
        union all
        select max((data -> 'at')::bigint)::float8 from deliveries
          where account_id = same.account_id and state = 'published' and ${lateSince(sql`(data -> 'at')::bigint`)}
      ) late
    where mine.account_id = any(${accountIds}::bigint[])
    group by mine.account_id`
}

/** As the index `deliveries_sent_at` has it. */
const SENT_AT = sql`coalesce(data -> 'since', data -> 'at')::bigint`
