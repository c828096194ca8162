import { type Expression, type RawBuilder, sql } from 'kysely'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { Db } from '#base/db/open.ts'
import { IN_FLIGHT } from '#domain/delivery/state.ts'

const DAY_MS = 86_400_000

type CountedAccount = {
  readonly platform: PlatformId | Expression<string>
  readonly externalId: string | Expression<string>
  readonly now: number
}

/**
 * Posts of an account that the platform's figure of `since` (epoch ms) cannot include yet. Each count uses its own index
 * and a window of a day: `deliveries` contains every post ever made.
 */
export async function countSince(
  db: Db,
  account: CountedAccount & {
    readonly since: number
    readonly reservedSince: number
    readonly except: number
  },
): Promise<{ inFlight: number; publishedSince: number }> {
  const { rows } = await countSinceQuery(account).execute(db)
  return rows[0] ?? { inFlight: 0, publishedSince: 0 }
}

export const countSinceQuery = (
  account: CountedAccount & {
    readonly since: number
    readonly reservedSince: number
    readonly except: number
  },
) => sql<{ inFlight: number; publishedSince: number }>`
  select
    (${countInFlight(account, sql`delivery_id <> ${account.except}`)}
      + ${ofAccount(account, sql`state = 'scheduled' and reserved_at > ${new Date(account.reservedSince)} and delivery_id <> ${account.except}`)})
      as "inFlight",
    ${publishedAfter(account, account.since)} as "publishedSince"`

type Day = { accountId: number; sent: number; waiting: number }

/** An account's day for users: posts of the last 24 hours, in progress, and due within the next. */
export async function countDays(
  db: Db,
  account: { readonly accountIds: readonly number[]; readonly now: number },
): Promise<readonly Day[]> {
  return account.accountIds.length === 0 ? [] : (await countDaysQuery(account).execute(db)).rows
}

export function countDaysQuery({
  accountIds,
  now,
}: {
  readonly accountIds: readonly number[]
  readonly now: number
}) {
  const account = {
    platform: sql.ref<string>('one.platform'),
    externalId: sql.ref<string>('one.external_id'),
    now,
  }
  return sql<Day>`
    select
      one.account_id as "accountId",
      ${publishedAfter(account, now - DAY_MS)} as "sent",
      (${countInFlight(account, sql`true`)}
        + ${ofAccount(account, sql`state = 'scheduled' and wake_at < ${new Date(now + DAY_MS)}`)}) as "waiting"
    from accounts as one
    where one.account_id in (${sql.join(accountIds)})`
}

const countInFlight = (account: CountedAccount, more: RawBuilder<unknown>) =>
  ofAccount(account, sql`state in (${sql.join(IN_FLIGHT.map((state) => sql.lit(state)))}) and ${more}`)

/** No platform counts a post for longer than a day. */
const publishedAfter = (account: CountedAccount, after: number) =>
  ofAccount(
    account,
    sql`state = 'published' and ended_at > ${new Date(Math.max(after, account.now - DAY_MS))}`,
  )

/** Counts each account row separately, so that the planner uses the index and never joins the whole table. */
const ofAccount = ({ platform, externalId }: CountedAccount, which: RawBuilder<unknown>) => sql`
  (select coalesce(sum(counted.count), 0)::bigint from accounts cross join lateral (
    select count(*) from deliveries where account_id = accounts.account_id and ${which}
  ) counted where accounts.platform = ${platform} and accounts.external_id = ${externalId})`
