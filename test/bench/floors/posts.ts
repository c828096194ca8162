/** What the queue, the calendar and the overview show, by plain statements: a part of the floor of `lists`. */
import { OVERVIEW_DAYS } from '#contract/limits.ts'
import { lastDays } from '#domain/schedule/days.ts'

/** Runs a prepared statement. */
export type Read = <R>(name: string, text: string, values: readonly unknown[]) => Promise<R[]>

const UNDECIDED = `'{scheduled,blocked,preparing,committing,processing,unconfirmed}'`
const SETTLED = `'{published,in_inbox,failed,cancelled}'`
const SINCE = '(to_timestamp($2::float8 / 1000))'

const POSTS = `
  select p.post_id, p.version, p.text, p.publish_at, p.timezone, p.schedule_id, p.created_at, p.video_id, v.filename, v.size, v.facts,
    t.token, o.*, b.title as brand_title
  from place join posts p using (post_id) join videos v using (video_id) left join posters t using (video_id)
  cross join lateral (
    select case when min(a.brand_id) = max(a.brand_id) then min(a.brand_id) end as brand_id, max(d.goes_out_at) as goes_out_at,
      json_agg(json_build_object('delivery_id', d.delivery_id, 'account_id', d.account_id, 'platform', d.platform, 'options', d.options,
        'state', d.state, 'data', d.data, 'wake_at', d.wake_at, 'updated_at', d.updated_at, 'username', a.username,
        'display_name', a.display_name, 'unlinked_at', a.unlinked_at, 'video_deleted_at', v.deleted_at, 'follow_ups',
        (select coalesce(json_agg(f), '[]') from follow_ups f where f.delivery_id = d.delivery_id)) order by d.delivery_id) as deliveries
    from deliveries d join accounts a using (account_id) where d.post_id = p.post_id) o
  left join brands b on b.brand_id = o.brand_id
  where p.deleted_at is null order by place.nth`
const ATTENTION = `d.state = 'unconfirmed' or (d.state = 'blocked' and d.cause is distinct from 'paused')
  or (d.state = 'failed' and d.ended_at >= ${SINCE})
  or exists (select from follow_ups f where f.delivery_id = d.delivery_id and f.attention_at >= ${SINCE})`

export async function listPosts(read: Read, userId: number): Promise<unknown> {
  const [places, [counts]] = await Promise.all([
    read<Row & { part: number }>(
      'posts',
      `with place as (
        select 0 as part, row_number() over (order by goes_out_at, post_id) as nth, post_id from (
          select distinct goes_out_at, post_id from deliveries where user_id = $1 and state = any(${UNDECIDED})
          order by goes_out_at, post_id limit 31) one
        union all select 1, 31 + row_number() over (order by goes_out_at desc, post_id desc), post_id from (
          select distinct goes_out_at, post_id from deliveries d where user_id = $1 and state = any(${SETTLED})
            and not exists (select from deliveries o where o.post_id = d.post_id and o.state = any(${UNDECIDED}))
          order by goes_out_at desc, post_id desc limit 31) two
        order by nth limit 31)
      ${POSTS.replace('o.*', 'o.*, place.part')}`,
      [userId],
    ),
    read<Row>(
      'counts',
      `select count(distinct post_id) as all, count(distinct post_id) filter (where ${ATTENTION}) as attention,
        count(distinct post_id) filter (where state = 'scheduled' or (state = 'blocked' and cause = 'paused')) as scheduled,
        count(distinct post_id) filter (where state in ('preparing', 'committing', 'processing')) as publishing,
        count(distinct post_id) filter (where state = 'published') as published,
        count(distinct post_id) filter (where state = 'in_inbox') as in_inbox,
        count(distinct post_id) filter (where state = 'failed') as failed,
        count(distinct post_id) filter (where state = 'cancelled') as cancelled
      from deliveries d where user_id = $1`,
      [userId, failedSince()],
    ),
  ])
  const shown = places.slice(0, 30)
  const last = places.length > 30 ? shown.at(-1) : undefined
  const cursor = last && `all.${last.part}.${last.goes_out_at.getTime()}.${last.post_id}`
  return { items: shown.map(toPost), next_cursor: cursor ?? null, counts }
}

/** @param query `from`, a day, and `days` */
export async function readCalendar(read: Read, userId: number, query: Readonly<Record<string, string>>) {
  const from = new Date(query['from'] ?? '')
  const to = new Date(from.getTime() + Number(query['days']) * 86_400_000)
  const values = [userId, from, to]
  const [rows, drafts, slots] = await Promise.all([
    read<CalendarRow>(
      'calendar',
      `select p.post_id, p.version, p.timezone, left(p.text, 80) as text, d.goes_out_at, t.token,
         json_agg(d.platform order by d.delivery_id) as platforms, json_agg(d.state) as states,
         case when min(a.brand_id) = max(a.brand_id) then min(a.brand_id) end as brand_id
       from deliveries d join posts p using (post_id) join accounts a using (account_id) left join posters t using (video_id)
       where d.user_id = $1 and d.state = any('{scheduled,preparing,committing,processing,published,in_inbox,failed,blocked,unconfirmed}')
         and d.goes_out_at >= $2 and d.goes_out_at < $3
       group by p.post_id, d.goes_out_at, t.token order by d.goes_out_at, p.post_id limit 2001`,
      values,
    ),
    read('drafts', `select * from drafts where user_id = $1 and deleted_at is null limit 200`, [userId]),
    read(
      'slots',
      `select s.* from schedules s join brands b using (brand_id) where b.user_id = $1 and s.deleted_at is null and b.deleted_at is null`,
      [userId],
    ),
  ])
  return {
    timezone: 'UTC',
    posts: rows.map(({ states, platforms, goes_out_at: at, token, ...row }) => ({
      ...row,
      at: at.toISOString(),
      poster_url: token && `/posters/${token}`,
      marks: [...new Set(platforms)].map((platform) => ({
        platform,
        accounts: platforms.filter((one) => one === platform).length,
      })),
      lane: null,
      status: states[0],
      settled: false,
      held_for: null,
      fixed: FIXED[states[0] ?? ''] ?? null,
    })),
    drafts,
    slots,
    more: false,
    more_slots: false,
  }
}

const FIXED: Readonly<Record<string, string>> = {
  published: 'It is published.',
  failed: 'It failed when it went out. Retry it, or duplicate it.',
}

export async function readOverview(read: Read, userId: number): Promise<unknown> {
  const values = [userId, failedSince()]
  const days = lastDays(Date.now(), 'UTC', OVERVIEW_DAYS)
  const starts = days.starts.map((ms) => new Date(ms))
  const [attention, next, published, ended, [totals], relink, [steps]] = await Promise.all([
    read<Row>('attention', firstFive(`(${ATTENTION})`, 'goes_out_at desc'), values),
    read<Row>(
      'next',
      firstFive(`state in ('scheduled', 'blocked', 'preparing', 'committing', 'processing')`, 'goes_out_at'),
      [userId],
    ),
    read<Row>('published', firstFive(`state = 'published'`, 'goes_out_at desc'), [userId]),
    read<{ state: string; nth: number; count: number }>(
      'ended',
      `select state, width_bucket(ended_at, $2::timestamptz[]) as nth, count(*) from deliveries
       where user_id = $1 and goes_out_at is not null and state in ('published', 'failed') and ended_at >= $3 group by 1, 2`,
      [userId, starts, starts[0]],
    ),
    read<{ attention: number; next: number }>(
      'totals',
      `select count(distinct post_id) filter (where ${ATTENTION}) as attention,
         count(distinct post_id) filter (where state in ('scheduled', 'blocked', 'preparing', 'committing', 'processing')) as next
       from deliveries d where user_id = $1 and (state <> 'published' or exists (
         select from follow_ups f where f.delivery_id = d.delivery_id and f.attention_at >= ${SINCE}))`,
      values,
    ),
    read(
      'relink',
      `select * from accounts where user_id = $1 and unlinked_at is null and relink_reason is not null`,
      [userId],
    ),
    read(
      'steps',
      `select exists (select from brands where user_id = $1 and deleted_at is null) as brand,
         exists (select from accounts where user_id = $1 and unlinked_at is null) as account,
         exists (select from videos where user_id = $1 and deleted_at is null) as video,
         exists (select from posts where user_id = $1) as post`,
      [userId],
    ),
  ])
  const on = (nth: number, state: string) =>
    ended.find((one) => one.nth === nth + 1 && one.state === state)?.count ?? 0
  return {
    first_steps: steps,
    relink: { accounts: relink, total: relink.length },
    attention: { posts: attention.map(toPost), total: totals?.attention },
    next: { posts: next.map(toPost), total: totals?.next },
    published: published.map(toPost),
    days: days.names.map((day, i) => ({ day, published: on(i, 'published'), failed: on(i, 'failed') })),
    timezone: 'UTC',
  }
}

/** The first five posts of a user. */
const firstFive = (where: string, order: string) => `with place as (
  select *, row_number() over (order by ${order}) as nth from (select ${order.split(' ')[0]}, post_id from deliveries d where user_id = $1 and ${where}
    group by 1, 2 order by ${order} limit 5) one) ${POSTS}`

const failedSince = (): number => lastDays(Date.now(), 'UTC', OVERVIEW_DAYS).starts[0] ?? 0

type CalendarRow = {
  readonly goes_out_at: Date
  readonly token: string | null
  readonly platforms: readonly string[]
  readonly states: readonly string[]
}

type Row = {
  readonly post_id: number
  readonly goes_out_at: Date
  readonly publish_at: Date
  readonly created_at: Date
  readonly facts: { readonly duration_s: number; readonly width: number; readonly height: number }
  readonly token: string | null
  readonly deliveries: readonly DeliveryRow[]
} & Readonly<
  Record<
    | 'version'
    | 'brand_id'
    | 'brand_title'
    | 'text'
    | 'timezone'
    | 'schedule_id'
    | 'video_id'
    | 'filename'
    | 'size',
    unknown
  >
>

type DeliveryRow = {
  readonly data: {
    readonly attempt: number
    readonly at?: number
    readonly reason?: unknown
    readonly url?: string | null
  }
  readonly wake_at: string | null
  readonly updated_at: string
} & Readonly<
  Record<
    'delivery_id' | 'account_id' | 'platform' | 'username' | 'display_name' | 'state' | 'follow_ups',
    unknown
  >
>

const toPost = (row: Row) => ({
  post_id: row.post_id,
  version: row.version,
  brand_id: row.brand_id,
  brand_title: row.brand_title,
  text: row.text,
  video: {
    video_id: row.video_id,
    filename: row.filename,
    size: row.size,
    duration_s: row.facts.duration_s,
    width: row.facts.width,
    height: row.facts.height,
    poster_url: row.token && `/posters/${row.token}`,
  },
  publish_at: row.publish_at.toISOString(),
  timezone: row.timezone,
  schedule_id: row.schedule_id,
  goes_out_at: row.goes_out_at.toISOString(),
  created_at: row.created_at.toISOString(),
  deliveries: row.deliveries.map((one) => toDelivery(one, row.post_id)),
})

const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  scheduled: ['cancel'],
  failed: ['retry', 'dismiss'],
}

const toDelivery = ({ data, state, ...row }: DeliveryRow, postId: number) => ({
  delivery_id: row.delivery_id,
  post_id: postId,
  account_id: row.account_id,
  platform: row.platform,
  username: row.username,
  display_name: row.display_name,
  to_inbox: false,
  status: state,
  progress: null,
  reason: data.reason ?? null,
  cause: null,
  settled: null,
  open_outcome: null,
  url: data.url ?? null,
  due_at: row.wake_at && new Date(row.wake_at).toISOString(),
  published_at: state === 'published' && data.at !== undefined ? new Date(data.at).toISOString() : null,
  in_inbox_at: null,
  actions: ACTIONS[state as string] ?? [],
  editable: state === 'scheduled',
  follow_ups: row.follow_ups,
  attempt: data.attempt,
  updated_at: new Date(row.updated_at).toISOString(),
})
