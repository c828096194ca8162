import { type Expression, type RawBuilder, sql } from 'kysely'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { Db } from '#base/db/open.ts'
import { IN_FLIGHT } from '#domain/delivery/state.ts'

const DAY_MS = 86_400_000

type Counted = {
  readonly platform: PlatformId | Expression<string>
  readonly externalId: string | Expression<string>
  readonly now: number
}

/**
 * Posts to an account that the platform's own figure of `since` (epoch ms) cannot include yet. Each count has an index of its
 * own and a window of a day: `deliveries` holds every post that was ever made.
 */
export async function countSince(
  db: Db,
  it: Counted & { readonly since: number; readonly reservedSince: number; readonly except: number },
): Promise<{ inFlight: number; publishedSince: number }> {
  const { rows } = await countSinceQuery(it).execute(db)
  return rows[0] ?? { inFlight: 0, publishedSince: 0 }
}

export const countSinceQuery = (
  it: Counted & { readonly since: number; readonly reservedSince: number; readonly except: number },
) => sql<{ inFlight: number; publishedSince: number }>`
  select
    (${countInFlight(it, sql`delivery_id <> ${it.except}`)}
      + ${ofAccount(it, sql`state = 'scheduled' and reserved_at > ${new Date(it.reservedSince)} and delivery_id <> ${it.except}`)})
      as "inFlight",
    ${publishedAfter(it, it.since)} as "publishedSince"`

type Day = { accountId: number; sent: number; waiting: number }

/** What a person sees of an account's day: posts of the last 24 hours, and those on their way or due within the next. */
export async function countDays(
  db: Db,
  it: { readonly accountIds: readonly number[]; readonly now: number },
): Promise<readonly Day[]> {
  return it.accountIds.length === 0 ? [] : (await countDaysQuery(it).execute(db)).rows
}

export function countDaysQuery({
  accountIds,
  now,
}: {
  readonly accountIds: readonly number[]
  readonly now: number
}) {
  const it = {
    platform: sql.ref<string>('one.platform'),
    externalId: sql.ref<string>('one.external_id'),
    now,
  }
  return sql<Day>`
    select
      one.account_id as "accountId",
      ${publishedAfter(it, now - DAY_MS)} as "sent",
      (${countInFlight(it, sql`true`)}
        + ${ofAccount(it, sql`state = 'scheduled' and wake_at < ${new Date(now + DAY_MS)}`)}) as "waiting"
    from accounts as one
    where one.account_id in (${sql.join(accountIds)})`
}

const countInFlight = (it: Counted, more: RawBuilder<unknown>) =>
  ofAccount(it, sql`state in (${sql.join(IN_FLIGHT.map((state) => sql.lit(state)))}) and ${more}`)

/** No platform counts a post for longer than a day. */
const publishedAfter = (it: Counted, after: number) =>
  ofAccount(it, sql`state = 'published' and ended_at > ${new Date(Math.max(after, it.now - DAY_MS))}`)

/** Counted for each account row by itself, so that the planner uses the index and never joins the whole table. */
const ofAccount = ({ platform, externalId }: Counted, which: RawBuilder<unknown>) => sql`
  (select coalesce(sum(counted.count), 0)::bigint from accounts cross join lateral (
    select count(*) from deliveries where account_id = accounts.account_id and ${which}
  ) counted where accounts.platform = ${platform} and accounts.external_id = ${externalId})`
