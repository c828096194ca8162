import { type RawBuilder, sql } from 'kysely'
import type { DeliveryStatus } from '#contract/deliveries.ts'
import { POSTS_COUNTED_MAX, POSTS_PAGE_DELIVERIES_MAX, POSTS_SEARCHED_MAX } from '#contract/limits.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import { POST_COUNTS, type PostCount, type PostFilter } from '#contract/posts.ts'
import type { Db } from '#base/db/open.ts'
import { UNDECIDED } from '#domain/delivery/state.ts'
import { Problem } from '#base/problem.ts'

/** Times are epoch ms. */
export type ListScope = ListConditions & {
  readonly userId: number
  readonly now: number
  /** Failures before this, of deliveries and of what follows them, are history and need nobody's attention. */
  readonly failedSince: number
}

/** The caller has checked that brand and account are the user's. */
export type ListConditions = {
  readonly brandId?: number | undefined
  readonly accountId?: number | undefined
  readonly platform?: PlatformId | undefined
  /** Goes or went out at this time or later. */
  readonly from?: number | undefined
  /** Goes or went out before this. */
  readonly before?: number | undefined
  readonly search?: string | undefined
  readonly reference?: string | undefined
}

/** A post's place in a list: in which stretch, and when it goes out (epoch ms). */
export type Place = { readonly part: number; readonly at: number; readonly post_id: number }

/**
 * A delivery's state; two are divided: of `blocked`, a paused delivery needs nobody and any other is held; of `failed`, what was dismissed
 * or replaced is settled.
 */
type ListedState = DeliveryStatus | 'paused' | 'held' | 'open_failure' | 'settled_failure'

/** A stretch of a list in one direction of time. */
type Part = {
  readonly states: readonly ListedState[]
  /** Adds posts with a delivery that failed lately. */
  readonly failedLately?: true
  readonly first: 'soonest' | 'latest'
  readonly when?: 'past' | 'future'
  /** Leaves out posts that have a delivery in one of these states, or one that failed lately. */
  readonly unless?: { readonly states: readonly ListedState[]; readonly failedLately?: true }
}

const UNDER_WAY = ['preparing', 'committing', 'processing'] as const satisfies DeliveryStatus[]
const SETTLED = ['published', 'in_inbox', 'failed', 'cancelled'] as const satisfies DeliveryStatus[]
const TROUBLED = ['unconfirmed', 'held'] as const satisfies ListedState[]
const WAITING = ['scheduled', 'paused'] as const satisfies ListedState[]

/**
 * The parts of each filter, in order. A post is in exactly one of `attention`, `upcoming` and `past`: with several accounts it
 * needs attention while one of them does, and is past once all of them are settled.
 */
const PARTS: Readonly<Record<PostFilter, readonly Part[]>> = {
  all: [
    { states: UNDECIDED, first: 'soonest' },
    { states: SETTLED, first: 'latest', unless: { states: UNDECIDED } },
  ],
  attention: [
    { states: TROUBLED, failedLately: true, first: 'latest', when: 'past' },
    { states: TROUBLED, failedLately: true, first: 'soonest', when: 'future' },
  ],
  upcoming: [
    {
      states: [...WAITING, ...UNDER_WAY],
      first: 'soonest',
      unless: { states: TROUBLED, failedLately: true },
    },
  ],
  past: [{ states: SETTLED, first: 'latest', unless: { states: UNDECIDED, failedLately: true } }],
  scheduled: [{ states: WAITING, first: 'soonest' }],
  publishing: [{ states: UNDER_WAY, first: 'soonest' }],
  published: [{ states: ['published'], first: 'latest' }],
  in_inbox: [{ states: ['in_inbox'], first: 'latest' }],
  failed: [{ states: ['open_failure'], first: 'latest' }],
  cancelled: [{ states: ['cancelled'], first: 'latest' }],
}

/** The first rows of a list, in order: one more than `limit`, if there are. */
export type Page = { readonly filter: PostFilter; readonly from: From; readonly limit: number }

/** @throws Problem malformed for a cursor that is not one of this filter */
export const parsePage = (query: {
  readonly filter: PostFilter
  readonly cursor?: string | undefined
  readonly limit: number
}): Page => ({ filter: query.filter, from: readCursor(query.filter, query.cursor), limit: query.limit })

/** @param rows the rows found, in order; the page has the first `count` of them */
export function formatNextCursor(filter: PostFilter, rows: readonly Place[], count: number): string | null {
  const last = rows.slice(0, count).at(-1)
  return rows.length > count && last ? cursorOf(filter, last) : null
}

/** The places of `place` that fit on one page, for posts to many accounts are large; the first always does. */
export const fittingPlaces = (limit: number): RawBuilder<unknown> => sql`select post_id, part, nth from (
    select place.*, sum(own.deliveries) over (order by part, nth) - own.deliveries as before
    from place cross join lateral (select count(*) as deliveries from deliveries d where d.post_id = place.post_id offset 0) own
  ) as placed where before < ${sql.lit(POSTS_PAGE_DELIVERIES_MAX)} order by part, nth limit ${sql.lit(limit)}`

/**
 * The places of a page as queries of a `with`, the last of them under `name`; the others begin with it. A stretch is read only
 * where those before it give too little. They need what `shared` names.
 */
export function selectPlaces(scope: ListScope, name: string, page: Page): RawBuilder<unknown> {
  const { filter, from, limit } = page
  const read: { readonly query: RawBuilder<unknown>; readonly ref: RawBuilder<unknown> }[] = []
  for (const [i, part] of PARTS[filter].entries()) {
    if (i < from.part) continue
    const after = i === from.part ? from.after : null
    const ref = sql.ref(`${name}_${i}`)
    const enough = read.map((before) => sql`(select count(*) from ${before.ref})`)
    const gate = enough.length === 0 ? sql`` : sql`where ${sql.join(enough, sql` + `)} <= ${sql.lit(limit)}`
    const query = sql`${ref} as materialized (select ${sql.lit(i)}::int as part, row_number() over (order by ${orderOf(part)}) as nth, goes_out_at, post_id
      from (${placesIn(scope, part, after, limit + 1)}) as part ${gate})`
    read.push({ query, ref })
  }
  const all = read.map(({ ref }) => sql`select * from ${ref}`)
  return sql`${sql.join(
    read.map(({ query }) => query),
    sql`, `,
  )}, ${sql.ref(name)} as materialized (select * from (${sql.join(all, sql` union all `)}) as parts
      order by part, nth limit ${sql.lit(limit + 1)})`
}

/**
 * Counts the posts under each filter, up to `POSTS_COUNTED_MAX`. Each state is read once, whatever filters it is
 * under, by one parameterized subquery: a subquery for each state costs more to plan than to carry out. It reads `counted`, which
 * is `selectCounted` the scope.
 */
export function selectCounts(scope: ListScope): RawBuilder<Record<PostCount, number>> {
  const counts = POST_COUNTS.filter((filter) => filter !== 'attention').map((filter) => {
    const states = PARTS[filter].flatMap((part) => part.states).flatMap(halves)
    return sql`least(count(distinct post_id) filter (where ${isCountedAs(states)}), ${MOST})::int as ${sql.ref(filter)}`
  })
  const attention = sql`
    (select least(count(distinct post_id), ${MOST})::int from (select post_id from counted where ${isCountedAs(TROUBLED)}
      union all select d.post_id from lately d where ${conditions(scope, { first: 'soonest' }, null)}) as held) as attention`
  return sql`select ${sql.join([...counts, attention])} from counted`
}

const MOST = sql.lit(POSTS_COUNTED_MAX)
const HALVES: Partial<Record<ListedState, readonly ListedState[]>> = {
  blocked: ['paused', 'held'],
  failed: ['open_failure', 'settled_failure'],
}
const halves = (state: ListedState): readonly ListedState[] => HALVES[state] ?? [state]

/** Counted rows have their state as a bit: a filter tests one number instead of comparing up to eleven texts. */
const BITS = new Map([...UNDECIDED, ...SETTLED].flatMap(halves).map((state, nth) => [state, 1 << nth]))
const bitOf = (state: ListedState): number => BITS.get(state) ?? 0
const isCountedAs = (states: readonly ListedState[]): RawBuilder<unknown> =>
  sql`bit & ${sql.lit(states.reduce((bits, state) => bits | bitOf(state), 0))} <> 0`
const withBits = (states: readonly ListedState[]): RawBuilder<unknown> =>
  sql`(values ${sql.join(states.map((state) => sql`(${sql.lit(state)}, ${sql.lit(bitOf(state))})`))}) as s (state, bit)`

export function selectCounted(scope: ListScope): RawBuilder<unknown> {
  const wanted = conditions(scope, { first: 'soonest' }, null)
  if (isFound(scope))
    return sql`select s.bit, d.post_id from found d join ${withBits([...BITS.keys()])}
      on s.state = case d.state when 'blocked' then case when ${isPaused('d')} then 'paused' else 'held' end
        when 'failed' then case when d.settled_at is null then 'open_failure' else 'settled_failure' end else d.state end where ${wanted}`
  const whole = [...UNDECIDED, ...SETTLED].filter((state) => HALVES[state] === undefined)
  return sql`${countedIn(scope, whole, sql`d.state = s.state and ${wanted}`)}
    union all ${countedIn(scope, halves('blocked'), sql`d.state = 'blocked' and ${isPaused('d')} = (s.state = 'paused') and ${wanted}`)}
    union all ${countedIn(scope, halves('failed'), sql`d.state = 'failed' and (d.settled_at is null) = (s.state = 'open_failure') and ${wanted}`)}`
}

/** @param wanted of a delivery `d` and the state `s` */
function countedIn(
  scope: ListScope,
  listed: readonly ListedState[],
  wanted: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const states = withBits(listed)
  if (!isOfAccounts(scope))
    return sql`select s.bit, one.post_id from ${states} cross join lateral (
      select distinct d.goes_out_at, d.post_id from deliveries d
      where d.user_id = ${scope.userId} and ${wanted}
      order by d.goes_out_at, d.post_id limit ${MOST}) as one`
  // The order of the index keeps the planner from scanning the whole table.
  const ofAccount = sql`select d.post_id from deliveries d
    where d.account_id = a.account_id and ${wanted} order by d.goes_out_at, d.post_id limit ${MOST}`
  // If one account alone has enough posts, the others are not read. `offset` makes that one look-up per state.
  return sql`select s.bit, one.post_id from ${states}
    left join lateral (select a.account_id from accounts a where ${ofAccounts(scope)}
      and (select count(*) from (${ofAccount}) as own) = ${MOST} limit 1) as enough on true
    cross join lateral (select a.account_id from accounts a
      where ${ofAccounts(scope)} and a.account_id = coalesce(enough.account_id, a.account_id) offset 0) as a
    cross join lateral (${ofAccount}) as one`
}

/** Counts up to `POSTS_COUNTED_MAX`. */
export async function countUnder(db: Db, scope: ListScope, filter: PostFilter): Promise<number> {
  const { rows } = await sql<{
    count: number
  }>`with ${shared(scope)} select (${selectCount(scope, filter, POSTS_COUNTED_MAX)}) as count`.execute(db)
  return rows[0]?.count ?? 0
}

/** Counts up to `most`, as part of a statement that has `shared`. */
export function selectCount(scope: ListScope, filter: PostFilter, most: number): RawBuilder<unknown> {
  const parts = PARTS[filter].map(
    (part) => sql`select post_id from (${placesIn(scope, part, null, most)}) as part`,
  )
  return sql`select least(count(distinct post_id), ${sql.lit(most)})::int from (${sql.join(parts, sql` union all `)}) as parts`
}

/** Queries that several parts of one statement read: each runs once, and only if it is read. */
export const shared = (scope: ListScope): RawBuilder<unknown> =>
  sql`${isFound(scope) ? sql`found as materialized (${foundBy(scope)}),` : sql``}
    lately as materialized (${failedLately(scope)})`

/**
 * The posts of a part, in order. Each state of each owner gives no more rows than are asked for, straight from its index; only
 * these few are merged. Of a search it is all that was found, which is bounded itself.
 */
function placesIn(scope: ListScope, part: Part, after: After | null, limit: number): RawBuilder<unknown> {
  const order = orderOf(part)
  const wanted = conditions(scope, part, after)
  const ofState = (state: ListedState) =>
    isOfAccounts(scope)
      ? sql`(select one.goes_out_at, one.post_id from accounts a cross join lateral (
               select d.goes_out_at, d.post_id from deliveries d
               where d.account_id = a.account_id and ${isIn('d', state)} and ${wanted}
               order by ${order} limit ${sql.lit(limit)}) as one
             where ${ofAccounts(scope)})`
      : sql`(select distinct d.goes_out_at, d.post_id from deliveries d
             where d.user_id = ${scope.userId} and ${isIn('d', state)} and ${wanted}
             order by ${order} limit ${sql.lit(limit)})`
  const sources = isFound(scope)
    ? [sql`(select d.goes_out_at, d.post_id from found d where ${isInAny('d', part.states)} and ${wanted})`]
    : part.states.map(ofState)
  if (part.failedLately) sources.push(sql`(select d.goes_out_at, d.post_id from lately d where ${wanted})`)
  return sql`select distinct goes_out_at, post_id
    from (${sql.join(sources, sql` union all `)}) as merged order by ${order} limit ${sql.lit(limit)}`
}

const orderOf = ({ first }: Part): RawBuilder<unknown> =>
  first === 'soonest' ? sql`goes_out_at, post_id` : sql`goes_out_at desc, post_id desc`

const isPaused = (d: 'd' | 'o'): RawBuilder<unknown> =>
  sql`(${sql.ref(d)}.cause is not distinct from 'paused')`

function isIn(d: 'd' | 'o', state: ListedState): RawBuilder<unknown> {
  if (state === 'open_failure')
    return sql`${sql.ref(d)}.state = 'failed' and ${sql.ref(d)}.settled_at is null`
  if (state !== 'paused' && state !== 'held') return sql`${sql.ref(d)}.state = ${sql.lit(state)}`
  return sql`${sql.ref(d)}.state = 'blocked' and ${state === 'paused' ? sql`` : sql`not`} ${isPaused(d)}`
}

const isInAny = (d: 'd' | 'o', states: readonly ListedState[]): RawBuilder<unknown> =>
  sql`(${sql.join(
    states.map((state) => isIn(d, state)),
    sql` or `,
  )})`

const isOfAccounts = ({ brandId, accountId, platform }: ListScope): boolean =>
  brandId !== undefined || accountId !== undefined || platform !== undefined

function ofAccounts({ userId, brandId, accountId, platform }: ListScope): RawBuilder<unknown> {
  const all = [sql`a.user_id = ${userId}`]
  if (brandId !== undefined) all.push(sql`a.brand_id = ${brandId}`)
  if (accountId !== undefined) all.push(sql`a.account_id = ${accountId}`)
  if (platform !== undefined) all.push(sql`a.platform = ${platform}`)
  return sql.join(all, sql` and `)
}

/** For rows of deliveries `d` that were not found by their accounts. */
const toAccounts = (scope: ListScope): RawBuilder<unknown> =>
  isOfAccounts(scope)
    ? sql`and exists (select from accounts a where a.account_id = d.account_id and ${ofAccounts(scope)})`
    : sql``

/** Few posts, which are found before they are put in order. */
const isFound = ({ search, reference }: ListScope): boolean => search !== undefined || reference !== undefined

/** The posts of a reference, and those with a caption word that begins with each searched word. */
function matching({ userId, search, reference }: ListScope): RawBuilder<unknown> {
  const referred = sql`select post_id from posts where user_id = ${userId} and reference = ${reference}`
  if (search === undefined) return referred
  return sql`select post_id from post_words where words @@ search_query(${userId}, ${search})
    ${reference === undefined ? sql`` : sql`and post_words.post_id in (${referred})`}`
}

/** The latest posts that match, and their states, each once however many deliveries they have. */
const foundBy = (scope: ListScope): RawBuilder<unknown> =>
  sql`select found.* from (${matching(scope)} order by post_id desc limit ${sql.lit(POSTS_SEARCHED_MAX)}) w
      cross join lateral (select distinct d.goes_out_at, d.post_id, d.state, d.cause, d.settled_at from deliveries d
        where d.post_id = w.post_id and d.user_id = ${scope.userId} ${toAccounts(scope)} offset 0) found`

/**
 * Found by the indexes `deliveries_ended` and `follow_ups_for_attention`: as many as failed since, however many have failed
 * before.
 */
function failedLately(scope: ListScope): RawBuilder<unknown> {
  const { userId, failedSince } = scope
  const wanted = sql`${toAccounts(scope)} ${isFound(scope) ? sql`and d.post_id in (select post_id from found)` : sql``}`
  return sql`select d.goes_out_at, d.post_id from deliveries d
      where d.user_id = ${userId} and d.state = 'failed' and d.settled_at is null
        and d.ended_at >= ${new Date(failedSince)} ${wanted}
      union all select d.goes_out_at, d.post_id from follow_ups f
      cross join lateral (select * from deliveries o where o.delivery_id = f.delivery_id offset 0) d
      where f.user_id = ${userId} and f.attention_at >= ${new Date(failedSince)} ${wanted}`
}

function conditions(
  scope: ListScope,
  part: Pick<Part, 'first' | 'when' | 'unless'>,
  after: After | null,
): RawBuilder<unknown> {
  const all = [sql`d.goes_out_at is not null`]
  if (scope.from !== undefined) all.push(sql`d.goes_out_at >= ${new Date(scope.from)}`)
  if (scope.before !== undefined) all.push(sql`d.goes_out_at < ${new Date(scope.before)}`)
  if (part.when === 'past') all.push(sql`d.goes_out_at <= ${new Date(scope.now)}`)
  if (part.when === 'future') all.push(sql`d.goes_out_at > ${new Date(scope.now)}`)
  if (after) {
    const beyond = part.first === 'soonest' ? sql`>` : sql`<`
    all.push(sql`(d.goes_out_at, d.post_id) ${beyond} (${new Date(after.at)}::timestamptz, ${after.postId})`)
  }
  if (part.unless) {
    const { states } = part.unless
    const lately = part.unless.failedLately
      ? sql`or (o.state = 'failed' and o.settled_at is null and o.ended_at >= ${new Date(scope.failedSince)})
          or (o.state = 'published' and exists (select from follow_ups f
            where f.delivery_id = o.delivery_id and f.attention_at >= ${new Date(scope.failedSince)}))`
      : sql``
    // `offset` makes this a look-up per post of the page; without it the planner may join all deliveries.
    all.push(
      sql`not exists (select from deliveries o where o.post_id = d.post_id and (${isInAny('o', states)} ${lately}) offset 0)`,
    )
  }
  return sql.join(all, sql` and `)
}

type After = { readonly at: number; readonly postId: number }

const cursorOf = (filter: PostFilter, place: Place): string =>
  `${filter}.${place.part}.${place.at}.${place.post_id}`

type From = { readonly part: number; readonly after: After | null }

function readCursor(filter: PostFilter, cursor: string | undefined): From {
  if (cursor === undefined) return { part: 0, after: null }
  const [, of, part, at, postId] = /^(\w+)\.(\d)\.(\d{1,14})\.(\d{1,15})$/.exec(cursor) ?? []
  if (part === undefined || of !== filter || Number(part) >= PARTS[filter].length)
    throw new Problem('malformed', 'This cursor is not one of ours.')
  return { part: Number(part), after: { at: Number(at), postId: Number(postId) } }
}
