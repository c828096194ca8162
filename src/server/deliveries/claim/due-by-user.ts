import { type RawBuilder, sql } from 'kysely'

/** Users without a slot or a turn lately that one claim looks at: those of the longest due minutes. */
const USERS = 100
/** Users whose rows one claim reads: those without a turn first, then those whose turn was longest ago. */
const READ = 2 * USERS
/** Steps from one user's rows of a minute to the next: what a backlog over very many minutes costs at most. */
const STEPS = 1000
/** First minutes of one user that are looked at, and accounts of all of them together. */
const MINUTES_OF_USER = 4
const ACCOUNTS = 512
/** Later minutes, those of all users together, with one account of each: an account with many due minutes hides no other. */
const LATER_MINUTES = 256

/** As the indexes `deliveries_to_send_by_user` and `deliveries_to_follow_up_by_user` have it. */
export const minuteOf = (time: RawBuilder<unknown>) =>
  sql`date_bin('1 minute', ${time}, timestamptz '1970-01-01 00:00:00+00')`

export const isFree = (row: string, now: number) => sql`
  ${sql.ref(`${row}.wake_at`)} <= ${new Date(now)}
  and (${sql.ref(`${row}.leased_until`)} is null or ${sql.ref(`${row}.leased_until`)} < now())`

/**
 * `isFree` of the locked row: another worker may have claimed it since it was found. No index answers `is true`, so each row is found
 * by its id. Where statistics are old, PostgreSQL would compare all due rows with all that were found (0.4 s of 500).
 */
export const isStillFree = (row: string, now: number) => sql`(${isFree(row, now)}) is true`

/**
 * Due rows of as many users as one claim can serve, whatever the backlog of one of them: reads from user to user, within a user
 * from account to account, and of an account its first `perAccount`. The cost depends on users and accounts, not on rows.
 * @param it.served users who hold slots or had one lately, the last one at the end: they do not count as one of those users
 * @param which narrows `deliveries d` to the rows of one index: its predicate, and the platform if it begins with that
 */
export function dueByUser(
  which: RawBuilder<unknown>,
  it: { readonly now: number; readonly served: readonly number[]; readonly perAccount: number },
) {
  const minute = minuteOf(sql`wake_at`)
  const due = sql`${which} and ${isFree('d', it.now)}`
  return sql`
    (with recursive walk (minute, user_id, users, steps) as (
      select '-infinity'::timestamptz, 0::bigint, '{}'::bigint[], 0
      union all
      select next.minute, next.user_id,
        case when next.user_id = any(${[...it.served]}::bigint[]) or next.user_id = any(walk.users) then walk.users else walk.users || next.user_id end,
        walk.steps + 1
      from walk cross join lateral (
        select ${minute} as minute, user_id from deliveries d
        where ${due} and ${minute} <= ${minuteOf(sql`${new Date(it.now)}::timestamptz`)}
          and (${minute}, user_id) > (walk.minute, walk.user_id)
        order by 1, 2 limit 1) next
      where walk.steps < ${STEPS} and cardinality(walk.users) < ${USERS}
    ), users as (
      select user_id from walk left join unnest(${[...it.served]}::bigint[]) with ordinality had (user_id, turn) using (user_id)
      where steps > 0 group by user_id order by max(turn) nulls first limit ${READ}
    ), minutes as (
      select minute, user_id, row_number() over (partition by user_id order by minute) as nth
      from walk join users using (user_id) where steps > 0
    ), looked_at as (
      (select minute, user_id, ceil(${ACCOUNTS}::float8 / count(*) over ()) as accounts from minutes where nth <= ${MINUTES_OF_USER})
      union all
      (select minute, user_id, 1 from minutes where nth > ${MINUTES_OF_USER} order by nth limit ${LATER_MINUTES})
    )
    select found.* from looked_at cross join lateral (
      with recursive of_user (account_id, steps) as (
        select 0::bigint, 0
        union all
        select next.account_id, of_user.steps + 1
        from of_user cross join lateral (
          select account_id from deliveries d
          where ${due} and ${minute} = looked_at.minute and user_id = looked_at.user_id and account_id > of_user.account_id
          order by account_id limit 1) next
        where of_user.steps < looked_at.accounts
      )
      select account_id from of_user where steps > 0
    ) account cross join lateral (
      select delivery_id, user_id, account_id, session is not null and state = 'preparing' as resumes, wake_at from deliveries d
      where ${due} and ${minute} = looked_at.minute and user_id = looked_at.user_id and account_id = account.account_id
      order by wake_at limit ${it.perAccount}
    ) found)`
}
