import { type RawBuilder, sql } from 'kysely'
import type { PlatformId } from '#contract/platforms/index.ts'
import {
  type DeliveryResults,
  MARK_AGES_H,
  type PostResults,
  type ResultMark,
  type ResultsAccount,
  type ResultsAge,
} from '#contract/results.ts'
import { COMPARED_POSTS, findUsual } from '#domain/results/compare.ts'
import { describeMark, describeNoLatest, describeNumbers } from '#domain/results/view.ts'
import type { Db } from '#base/db/open.ts'
import { notFound } from '#base/problem.ts'
import { listPermissions } from '../accounts/store.ts'
import { readNumbers } from './store.ts'

type AccountColumns = {
  account_id: number
  platform: PlatformId
  username: string | null
  display_name: string
  avatar_url: string | null
  scopes: string[]
  unlinked_at: Date | null
}

/** The columns of `a` that a result is shown with. */
export const ACCOUNT = sql.raw(
  ['account_id', 'platform', 'username', 'display_name', 'avatar_url', 'scopes', 'unlinked_at']
    .map((column) => `a.${column}`)
    .join(', '),
)

export function toResultsAccount(row: AccountColumns): ResultsAccount {
  return {
    account_id: row.account_id as ResultsAccount['account_id'], // ids come out of the database unbranded
    platform: row.platform,
    username: row.username,
    display_name: row.display_name,
    avatar_url: row.avatar_url,
    linked: row.unlinked_at === null,
    allowed: mayReadResults(row),
  }
}

const mayReadResults = (row: AccountColumns): boolean =>
  !listPermissions(row).some(({ name, granted }) => name === 'results' && !granted)

/** The address of the live post, of delivery `d` and result `r`. */
export const URL_OF_RESULT = sql`coalesce(d.data ->> 'url', (select f.data ->> 'url' from follow_ups f
  where f.delivery_id = r.delivery_id and f.kind = 'public_link'))`

type MarkJson = {
  age: number
  read_at: number
  missing: 'not_yet' | 'not_allowed' | 'gone' | null
  numbers: unknown
}

/** @throws Problem not_found */
export async function readPostResults(
  db: Db,
  userId: number,
  postId: number,
  now: number,
): Promise<PostResults> {
  const post = await db
    .selectFrom('posts')
    .select('post_id')
    .where('post_id', '=', postId)
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!post) throw notFound('post')
  const { rows } = await sql<
    AccountColumns & {
      delivery_id: number
      live_at: Date
      read_at: Date | null
      latest: unknown
      gone_at: Date | null
      next_at: Date | null
      url: string | null
      marks: MarkJson[]
    }
  >`select r.delivery_id, r.live_at, r.read_at, r.latest, r.gone_at, r.next_at, ${ACCOUNT},
      ${URL_OF_RESULT} as url,
      (select coalesce(json_agg(json_build_object('age', m.age_hours, 'missing', m.missing, 'numbers', m.numbers,
        'read_at', floor(extract(epoch from m.read_at) * 1000)::bigint)), '[]') from result_marks m where m.delivery_id = r.delivery_id) as marks
    from results r join deliveries d using (delivery_id) join accounts a on a.account_id = r.account_id
    where r.post_id = ${postId} order by r.delivery_id`.execute(db)
  const deliveries = rows.map((row): DeliveryResults => {
    const liveAt = row.live_at.getTime()
    const marks = new Map(
      row.marks.map(({ age, read_at, missing, numbers }) => [
        age,
        { ageH: age, readAt: read_at, missing, numbers: readNumbers(numbers) },
      ]),
    )
    const followed = { platform: row.platform, liveAt, unlinkedAt: row.unlinked_at?.getTime() ?? null }
    const readAt = row.read_at
    return {
      ...toResultsAccount(row),
      delivery_id: row.delivery_id as DeliveryResults['delivery_id'],
      live_at: row.live_at.toISOString(),
      url: row.url,
      gone_since: row.gone_at?.toISOString() ?? null,
      marks: MARK_AGES_H.map((ageH) => describeMark(followed, ageH, marks.get(ageH), now)),
      latest: readAt && {
        read_at: readAt.toISOString(),
        values: describeNumbers(row.platform, readNumbers(row.latest), readAt.getTime() - liveAt),
      },
      next_reading_at: row.unlinked_at === null ? (row.next_at?.toISOString() ?? null) : null,
    }
  })
  return { post_id: post.post_id as PostResults['post_id'], deliveries }
}

/** Times are epoch ms; the caller has checked that brand and account are the user's. */
export type ResultsFilter = {
  readonly userId: number
  readonly brandId?: number | undefined
  /** The brand of its account when it went live; `brandId` is that of today. */
  readonly brandThen?: number | undefined
  readonly platform?: PlatformId | undefined
  readonly accountId?: number | undefined
  readonly from?: number | undefined
  /** Exclusive. */
  readonly before?: number | undefined
}

const AGE_HOURS: Record<ResultsAge, number | null> = { '24h': 24, '7d': 168, '28d': 672, now: null }

/** The results of a filter: `r` of accounts `a`. */
export function isWanted(filter: ResultsFilter, r: 'r' | 'later' = 'r'): RawBuilder<unknown> {
  const { userId, accountId, platform, brandId, brandThen, from, before } = filter
  const of = (column: string) => sql.ref(`${r}.${column}`)
  const wanted = [sql`${of('user_id')} = ${userId}`]
  if (accountId !== undefined) wanted.push(sql`${of('account_id')} = ${accountId}`)
  if (platform !== undefined) wanted.push(sql`a.platform = ${platform}`)
  if (brandId !== undefined) wanted.push(sql`a.brand_id = ${brandId}`)
  if (brandThen !== undefined) wanted.push(sql`${of('brand_id')} = ${brandThen}`)
  if (from !== undefined) wanted.push(sql`${of('live_at')} >= ${new Date(from)}`)
  if (before !== undefined) wanted.push(sql`${of('live_at')} < ${new Date(before)}`)
  return sql.join(wanted, sql` and `)
}

const cellsOfPost = sql`(select count(*)::int from results o where o.post_id = r.post_id)`

/** A post's place in a list: `by` what it is sorted, and an id to tell equal ones apart. */
export type ResultsPlace = { readonly by: number; readonly id: number }
type PlacedPost = ResultsPlace & { readonly postId: number; readonly cells: number }

/** The last to go live first. A post is where its last result is. */
export async function listNewest(
  db: Db,
  filter: ResultsFilter,
  after: ResultsPlace | null,
  most: number,
): Promise<PlacedPost[]> {
  const { rows } = await sql<PlacedPost>`
    select floor(extract(epoch from r.live_at) * 1000)::bigint as by, r.delivery_id as id, r.post_id as "postId", ${cellsOfPost} as cells
    from results r join accounts a on a.account_id = r.account_id
    where ${isWanted(filter)}
      ${after ? sql`and (r.live_at, r.delivery_id) < (${new Date(after.by)}, ${after.id})` : sql``}
      and not exists (select from results later join accounts a on a.account_id = later.account_id
        where later.post_id = r.post_id and (later.live_at, later.delivery_id) > (r.live_at, r.delivery_id) and ${isWanted(filter, 'later')})
    order by r.live_at desc, r.delivery_id desc limit ${most}`.execute(db)
  return rows
}

/** Those with most views on one account first; of equal ones the newest. Posts without a number are last, by -1. */
export async function listMostViewed(
  db: Db,
  filter: ResultsFilter & { readonly age: ResultsAge },
  after: ResultsPlace | null,
  most: number,
): Promise<PlacedPost[]> {
  const { rows } = await sql<PlacedPost>`
    select r.*, ${cellsOfPost} as cells from (
      select coalesce(max(${viewsAt(filter.age)}), -1) as by, r.post_id as id, r.post_id, r.post_id as "postId"
      from results r join accounts a on a.account_id = r.account_id ${joinMark(filter.age)}
      where ${isWanted(filter)} group by r.post_id
      ${after ? sql`having (coalesce(max(${viewsAt(filter.age)}), -1), r.post_id) < (${after.by}, ${after.id})` : sql``}
      order by by desc, id desc limit ${most}) r
    order by by desc, id desc`.execute(db)
  return rows
}

const viewsAt = (age: ResultsAge): RawBuilder<unknown> => sql.ref(age === 'now' ? 'r.views' : 'm.views')

/** The marks `m` of an age. */
export const joinMark = (age: ResultsAge): RawBuilder<unknown> =>
  age === 'now'
    ? sql``
    : sql`left join result_marks m on m.delivery_id = r.delivery_id and m.age_hours = ${AGE_HOURS[age]}`

export type CellRow = AccountColumns & {
  delivery_id: number
  post_id: number
  live_at: Date
  gone_at: Date | null
  read_at: Date | null
  missing: 'not_yet' | 'not_allowed' | 'gone' | null
  numbers: unknown
}

/** The results of these posts at an age, by account. */
export async function listCells(
  db: Db,
  filter: ResultsFilter & { readonly age: ResultsAge },
  postIds: readonly number[],
): Promise<CellRow[]> {
  const reading =
    filter.age === 'now'
      ? sql`r.read_at, null as missing, r.latest as numbers`
      : sql`m.read_at, m.missing, m.numbers`
  const { rows } = await sql<CellRow>`
    select r.delivery_id, r.post_id, r.live_at, r.gone_at, ${reading}, ${ACCOUNT}
    from results r join accounts a on a.account_id = r.account_id ${joinMark(filter.age)}
    where r.post_id = any(${[...postIds]}::bigint[]) and ${isWanted(filter)}
    order by a.platform, a.account_id, r.delivery_id`.execute(db)
  return rows
}

/** The user's results of posts that went live since then (epoch ms), at 24 hours, latest first. */
export async function listSince(db: Db, userId: number, since: number, most: number): Promise<CellRow[]> {
  const { rows } = await sql<CellRow>`
    select r.delivery_id, r.post_id, r.live_at, r.gone_at, m.read_at, m.missing, m.numbers, ${ACCOUNT}
    from results r join accounts a on a.account_id = r.account_id ${joinMark('24h')}
    where ${isWanted({ userId, from: since })} order by r.live_at desc limit ${most}`.execute(db)
  return rows
}

/** Every number of a result at an age, or the reasons. */
export function describeResult(row: CellRow, age: ResultsAge, now: number): ResultMark['values'] {
  const liveAt = row.live_at.getTime()
  const followed = { platform: row.platform, liveAt, unlinkedAt: row.unlinked_at?.getTime() ?? null }
  const hours = AGE_HOURS[age]
  const numbers = readNumbers(row.numbers ?? {})
  if (hours === null) {
    return row.read_at === null
      ? describeNoLatest({ ...followed, isGone: row.gone_at !== null, isAllowed: mayReadResults(row) }, now)
      : describeNumbers(row.platform, numbers, row.read_at.getTime() - liveAt)
  }
  const readAt = row.read_at?.getTime()
  const mark = readAt === undefined ? undefined : { ageH: hours, readAt, missing: row.missing, numbers }
  return describeMark(followed, hours, mark, now).values
}

/** The views of each account's last posts at an age; none for `now`, for that is a different age of each. */
export async function listUsual(
  db: Db,
  accountIds: readonly number[],
  age: ResultsAge,
): Promise<Map<number, Map<number, number>>> {
  if (age === 'now') return new Map()
  const { rows } = await sql<{ account_id: number; delivery_id: number; views: number }>`
    select asked.account_id, last.delivery_id, last.views from unnest(${[...accountIds]}::bigint[]) as asked (account_id)
    cross join lateral (select m.delivery_id, m.views from result_marks m
      where m.account_id = asked.account_id and m.age_hours = ${AGE_HOURS[age]} and m.views is not null
      order by m.read_at desc, m.delivery_id desc limit ${COMPARED_POSTS + 1}) as last`.execute(db)
  const usual = new Map<number, Map<number, number>>()
  for (const { account_id, delivery_id, views } of rows) {
    const ofAccount = usual.get(account_id) ?? new Map<number, number>()
    usual.set(account_id, ofAccount.set(delivery_id, views))
  }
  return usual
}

/** What the account's other posts had. */
export function findUsualFor(
  { account_id, delivery_id }: Pick<CellRow, 'account_id' | 'delivery_id'>,
  last: ReadonlyMap<number, ReadonlyMap<number, number>>,
): number | null {
  const others = [...(last.get(account_id) ?? [])].filter(([id]) => id !== delivery_id)
  return findUsual(others.slice(0, COMPARED_POSTS).map(([, views]) => views))
}

/** What the rows of a table say of their posts. */
export async function listPostsById(db: Db, postIds: readonly number[]) {
  const { rows } = await sql<{
    post_id: number
    text: string
    video_id: number
    poster_token: string | null
    brand_id: number | null
    brand_title: string | null
  }>`select p.post_id, p.text, p.video_id, s.token as poster_token, b.brand_id, b.title as brand_title
    from posts p join videos v on v.video_id = p.video_id left join posters s on s.video_id = v.video_id
    left join lateral (select b.brand_id, b.title from results r join accounts a on a.account_id = r.account_id
      join brands b on b.brand_id = a.brand_id where r.post_id = p.post_id order by r.delivery_id limit 1) b on true
    where p.post_id = any(${[...postIds]}::bigint[])`.execute(db)
  return new Map(rows.map((row) => [row.post_id, row]))
}
