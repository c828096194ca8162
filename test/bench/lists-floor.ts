/**
 * The floor of `lists`: bare Fastify and pg, with a check of the token's signature and of its session, and prepared statements that
 * read what each list shows. Is given the user's id and the key of the token; gets the answers from its parent.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import fastify from 'fastify'
import { Pool, types } from 'pg'
import { OVERVIEW_DAYS } from '#contract/limits.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import type { VideoFacts } from '#contract/videos.ts'
import { checkVideo } from '#domain/video-check/post-check.ts'

const [userId = '', key = ''] = process.argv.slice(2)
types.setTypeParser(types.builtins.INT8, Number)
const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10, options: '-c jit=off' })

const SESSION = `select u.user_id, i.valid_since, i.disabled from users u join identity_users i using (uid) where u.user_id = $1`
const FAILED_SINCE = `(date_trunc('day', now()) - interval '${OVERVIEW_DAYS - 1} days')`
const UNDECIDED = `'{scheduled,blocked,preparing,committing,processing,unconfirmed}'`
const ATTENTION = `(d.state = 'unconfirmed' or (d.state = 'blocked' and d.cause is distinct from 'paused')
  or (d.state = 'failed' and d.ended_at >= ${FAILED_SINCE})
  or exists (select from follow_ups f where f.delivery_id = d.delivery_id and f.attention_at >= ${FAILED_SINCE}))`
const TO_COME = `state in ('scheduled', 'blocked', 'preparing', 'committing', 'processing')`

/** @param place posts with `nth` */
const posts = (place: string) => `with place as (${place})
  select p.post_id, p.version, p.text, p.publish_at, p.timezone, p.schedule_id, p.created_at, p.video_id, v.filename, v.size, v.facts,
    t.token, o.*, b.title as brand_title
  from place join posts p using (post_id) join videos v using (video_id) left join posters t using (video_id)
  cross join lateral (
    select case when min(a.brand_id) = max(a.brand_id) then min(a.brand_id) end as brand_id, max(d.goes_out_at) as goes_out_at,
      json_agg(json_build_object('delivery_id', d.delivery_id, 'account_id', d.account_id, 'platform', d.platform,
        'state', d.state, 'data', d.data, 'wake_at', d.wake_at, 'updated_at', d.updated_at, 'username', a.username,
        'display_name', a.display_name, 'avatar_url', a.avatar_url, 'unlinked_at', a.unlinked_at, 'video_deleted_at', v.deleted_at, 'follow_ups',
        (select coalesce(json_agg(f), '[]') from follow_ups f where f.delivery_id = d.delivery_id)) order by d.delivery_id) as deliveries
    from deliveries d join accounts a using (account_id) where d.post_id = p.post_id) o
  left join brands b on b.brand_id = o.brand_id
  where p.deleted_at is null order by place.nth`
const firstFive = (where: string, order: string) =>
  posts(`select *, row_number() over (order by ${order}) as nth from (
    select goes_out_at, post_id from deliveries d where user_id = $1 and ${where} group by 1, 2 order by ${order} limit 5) one`)
const counts = (conditions: Readonly<Record<string, string>>) =>
  Object.entries(conditions)
    .map(([name, condition]) => `count(distinct post_id) filter (where ${condition}) as ${name}`)
    .join(', ')

/** The statements of each list have the user's id as $1. */
const STATEMENTS: Readonly<Record<string, readonly string[]>> = {
  accounts: [
    `select account_id, brand_id, username, platform, display_name, avatar_url, scopes, relink_reason, paused_at, can_publish, linked_at,
      access_ends_at from accounts where user_id = $1 and unlinked_at is null order by account_id`,
  ],
  brands: [
    `select brand_id, title, timezone, paused_at, created_at,
      (select count(*) from accounts a where a.brand_id = b.brand_id and a.unlinked_at is null) as linked
    from brands b where user_id = $1 and deleted_at is null order by brand_id`,
  ],
  videos: [
    `select v.video_id, v.filename, v.mime, v.size, v.sha256, v.facts, v.brand_id, v.created_at, p.token,
      array(select t.tag from video_tags t where t.video_id = v.video_id order by t.key) as tags,
      (select count(*) from (select from posts where video_id = v.video_id and deleted_at is null limit 100) c) as posts,
      (select count(*) from drafts d where d.user_id = $1 and d.video_id = v.video_id and d.deleted_at is null) as drafts
    from videos v left join posters p using (video_id)
    where v.user_id = $1 and v.deleted_at is null order by v.created_at desc, v.video_id desc limit 11`,
  ],
  posts: [
    posts(`select row_number() over (order by goes_out_at, post_id) as nth, post_id from (
        select distinct goes_out_at, post_id from deliveries where user_id = $1 and state = any(${UNDECIDED})
        order by goes_out_at, post_id limit 31) one
      union all select 31 + row_number() over (order by goes_out_at desc, post_id desc), post_id from (
        select distinct goes_out_at, post_id from deliveries d where user_id = $1
          and state = any('{published,in_inbox,failed,cancelled}')
          and not exists (select from deliveries o where o.post_id = d.post_id and o.state = any(${UNDECIDED}))
        order by goes_out_at desc, post_id desc limit 31) two
      order by nth limit 31`),
    `select count(distinct post_id) as all, ${counts({
      attention: ATTENTION,
      scheduled: "state = 'scheduled' or (state = 'blocked' and cause = 'paused')",
      publishing: "state in ('preparing', 'committing', 'processing')",
      published: "state = 'published'",
      in_inbox: "state = 'in_inbox'",
      failed: "state = 'failed'",
      cancelled: "state = 'cancelled'",
    })} from deliveries d where user_id = $1`,
  ],
  calendar: [
    `select p.post_id, p.version, p.timezone, left(p.text, 80) as text, d.goes_out_at, t.token,
      json_agg(d.platform order by d.delivery_id) as platforms, json_agg(d.state) as states,
      case when min(a.brand_id) = max(a.brand_id) then min(a.brand_id) end as brand_id
    from deliveries d join posts p using (post_id) join accounts a using (account_id) left join posters t using (video_id)
    where d.user_id = $1 and d.state <> 'cancelled' and d.goes_out_at >= date_trunc('day', now()) - interval '21 days'
      and d.goes_out_at < date_trunc('day', now()) + interval '21 days'
    group by p.post_id, d.goes_out_at, t.token order by d.goes_out_at, p.post_id limit 2001`,
    `select * from drafts where user_id = $1 and deleted_at is null limit 200`,
    `select s.* from schedules s join brands b using (brand_id) where b.user_id = $1 and s.deleted_at is null and b.deleted_at is null`,
  ],
  overview: [
    firstFive(ATTENTION, 'goes_out_at desc'),
    firstFive(TO_COME, 'goes_out_at'),
    firstFive(`state = 'published'`, 'goes_out_at desc'),
    `select state, date_trunc('day', ended_at) as day, count(*) from deliveries
    where user_id = $1 and goes_out_at is not null and state in ('published', 'failed') and ended_at >= ${FAILED_SINCE} group by 1, 2`,
    `select ${counts({ attention: ATTENTION, next: TO_COME })} from deliveries d where user_id = $1 and (state <> 'published' or exists (
      select from follow_ups f where f.delivery_id = d.delivery_id and f.attention_at >= ${FAILED_SINCE}))`,
    `select * from accounts where user_id = $1 and unlinked_at is null and relink_reason is not null`,
    `select exists (select from brands where user_id = $1 and deleted_at is null) as brand,
      exists (select from accounts where user_id = $1 and unlinked_at is null) as account,
      exists (select from videos where user_id = $1 and deleted_at is null) as video,
      exists (select from posts where user_id = $1) as post`,
  ],
}

type Row = Record<string, unknown>

async function sessionOf(authorization = ''): Promise<Row | undefined> {
  const [signed = '', signature = ''] = authorization.slice('Bearer '.length).split('.')
  const [expected, given] = [sign(signed), Buffer.from(signature, 'base64url')]
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  const { rows } = await pool.query<Row>({ name: 'session', text: SESSION, values: [Number(userId)] })
  return rows.find((row) => row['disabled'] === false && (row['valid_since'] as Date) <= new Date())
}

const sign = (text: string): Buffer => createHmac('sha256', key).update(text).digest()

// Making the answers from their rows costs half as much as reading them. What is short is sent as it was given.
const MAKE: Readonly<Record<string, (rows: Row[][], given: Row) => unknown>> = {
  videos: ([rows = []], given) => ({
    ...given,
    videos: rows.slice(0, 10).map(({ token, ...row }) => ({
      ...row,
      poster_url: posterOf({ token }),
      findings: PLATFORM_IDS.flatMap((one) =>
        checkVideo(row['facts'] as VideoFacts, Number(row['size']), one),
      ),
    })),
  }),
  posts: ([rows = [], found = []], given) => ({
    ...given,
    items: rows.slice(0, 30).map(toPost),
    counts: found[0],
  }),
  calendar: ([rows = []], given) => ({ ...given, posts: rows.map(toEntry) }),
  overview: ([attention = [], next = [], published = [], , totals = []], given) => ({
    ...given,
    attention: { posts: attention.map(toPost), total: totals[0]?.['attention'] },
    next: { posts: next.map(toPost), total: totals[0]?.['next'] },
    published: published.map(toPost),
  }),
}

const iso = (value: unknown) => (value === null ? null : new Date(value as string | Date).toISOString())
const posterOf = (row: Row) => row['token'] && `/posters/${row['token'] as string}`

function toPost({ filename, size, facts, token, ...row }: Row) {
  const { duration_s, width, height } = facts as Row
  return {
    ...row,
    video: {
      video_id: row['video_id'],
      filename,
      size,
      duration_s,
      width,
      height,
      poster_url: posterOf({ token }),
    },
    publish_at: iso(row['publish_at']),
    goes_out_at: iso(row['goes_out_at']),
    created_at: iso(row['created_at']),
    deliveries: (row['deliveries'] as Row[]).map((one) => toDelivery(one, row['post_id'])),
  }
}

function toDelivery({ data, state, ...row }: Row, postId: unknown) {
  const { attempt, at, reason = null, url = null } = data as Row
  return {
    ...row,
    post_id: postId,
    to_inbox: false,
    status: state,
    progress: null,
    reason,
    cause: null,
    paused: null,
    settled: null,
    open_outcome: null,
    url,
    due_at: iso(row['wake_at']),
    published_at: state === 'published' ? new Date(Number(at)).toISOString() : null,
    in_inbox_at: null,
    actions: state === 'scheduled' ? ['cancel'] : state === 'failed' ? ['retry', 'dismiss'] : [],
    editable: state === 'scheduled',
    attempt,
    updated_at: iso(row['updated_at']),
  }
}

function toEntry({ states, platforms, goes_out_at: at, token, ...row }: Row) {
  const [all, [status]] = [platforms as string[], states as string[]]
  const marks = [...new Set(all)].map((platform) => ({
    platform,
    accounts: all.filter((one) => one === platform).length,
  }))
  const fixed = status === 'scheduled' ? null : 'It has gone out.'
  return {
    ...row,
    at: iso(at),
    last_at: iso(at),
    post_at: iso(at),
    poster_url: posterOf({ token }),
    marks,
    lane: null,
    status,
    settled: false,
    held_for: null,
    fixed,
  }
}

let answers: Readonly<Record<string, Row>> = {}
process.once('message', (message) => (answers = message as typeof answers))
const app = fastify()
for (const [name, texts] of Object.entries(STATEMENTS))
  app.get(`/${name}`, async (request, reply) => {
    const session = await sessionOf(request.headers.authorization)
    if (!session) return reply.status(401).send()
    const values = [session['user_id']]
    const results = await Promise.all(
      texts.map((text, i) => pool.query<Row>({ name: `${name} ${i}`, text, values })),
    )
    const given = answers[name] ?? {}
    return (
      MAKE[name]?.(
        results.map(({ rows }) => rows),
        given,
      ) ?? given
    )
  })
const address = await app.listen({ port: 0, host: '127.0.0.1' })
process.once('disconnect', () => process.exit())
process.send?.(Number(new URL(address).port))
