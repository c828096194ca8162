/**
 * The floor of `lists`: bare Fastify and pg, with a check of the token's signature, one statement for its session, and prepared
 * statements that read what the lists show. Accounts, brands and videos are answered as ours are; of the others the rows, which are
 * fewer. DATABASE_URL, USER_UID and TOKEN_KEY in the environment; prints its port to its parent.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import fastify from 'fastify'
import { Pool, types } from 'pg'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import type { VideoFacts } from '#contract/videos.ts'
import { checkVideo } from '#domain/video-check/post-check.ts'
import { PLATFORM_FACTS } from '#platforms/registry.ts'

const { DATABASE_URL: connectionString, USER_UID: uid, TOKEN_KEY: key = '' } = process.env
types.setTypeParser(types.builtins.INT8, Number)
const pool = new Pool({ connectionString, max: 10 })
const app = fastify()

const POSTS = `
  select p.post_id, p.version, p.text, p.publish_at, p.timezone, p.queue_id, p.created_at, v.video_id, v.filename, v.size, v.facts,
    (select json_agg(d order by d.delivery_id) from (
      select o.delivery_id, o.account_id, o.platform, o.state, o.data, o.wake_at, o.updated_at, a.username, a.display_name
      from deliveries o join accounts a using (account_id) where o.post_id = p.post_id) d) as deliveries
  from place join posts p using (post_id) join videos v using (video_id)`

/** The statements of each list. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
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
    `with place as (select * from (
         (select distinct goes_out_at, post_id from deliveries
          where user_id = $1 and state = 'scheduled' order by goes_out_at, post_id limit 30)
         union all (select distinct goes_out_at, post_id from deliveries
          where user_id = $1 and state = 'published' order by goes_out_at desc, post_id desc limit 30)) as listed limit 30) ${POSTS}`,
    `select state, count(distinct post_id) from deliveries where user_id = $1 group by state`,
  ],
  calendar: [
    `select p.post_id, p.version, p.timezone, left(p.text, 80) as text, d.goes_out_at, json_agg(d.platform) as platforms,
       json_agg(distinct d.state) as states, min(a.brand_id) as brand_id
     from deliveries d join posts p using (post_id) join accounts a using (account_id)
     where d.user_id = $1 and d.state = any('{scheduled,preparing,committing,processing,published,in_inbox,failed,blocked,unconfirmed}')
       and d.goes_out_at between now() - interval '21 days' and now() + interval '21 days'
     group by p.post_id, d.goes_out_at order by d.goes_out_at`,
  ],
  overview: [
    `with place as (select goes_out_at, post_id from deliveries
       where user_id = $1 and state = 'scheduled' order by goes_out_at limit 5) ${POSTS}`,
    `with place as (select goes_out_at, post_id from deliveries
       where user_id = $1 and state = 'published' order by goes_out_at desc limit 5) ${POSTS}`,
    `with place as (select goes_out_at, post_id from deliveries
       where user_id = $1 and state = 'failed' and goes_out_at > now() - interval '14 days' order by goes_out_at desc limit 5) ${POSTS}`,
    `select state, date_trunc('day', goes_out_at) as day, count(*) from deliveries
     where user_id = $1 and state in ('published', 'failed') and goes_out_at > now() - interval '14 days' group by 1, 2`,
    `select state, count(distinct post_id) from deliveries where user_id = $1 and state in ('scheduled', 'blocked') group by state`,
  ],
}

type Row = Record<string, unknown>

/** The bodies of lists that are answered as ours are. */
const BODIES: Readonly<Record<string, (rows: Row[]) => unknown>> = {
  accounts: (rows) =>
    rows.map(({ scopes, relink_reason: reason, paused_at: pausedAt, access_ends_at: endsAt, ...row }) => ({
      ...row,
      health: reason === null ? { status: 'ok' } : { status: 'relink', reason },
      paused: pausedAt !== null,
      permissions: permissionsOf(row['platform'] as 'tiktok', scopes as string[]),
      access_ends_at: reason === null ? endsAt : null,
    })),
  brands: (rows) =>
    rows.map(({ linked, paused_at: pausedAt, ...row }) => ({
      ...row,
      linkedAccounts: linked,
      paused: pausedAt !== null,
    })),
  videos: (rows) => ({
    videos: rows.slice(0, 10).map(({ token, posts, drafts, ...row }) => ({
      ...row,
      findings: PLATFORM_IDS.flatMap((one) =>
        checkVideo(row['facts'] as VideoFacts, row['size'] as number, one),
      ),
      poster_url: token === null ? null : `/posters/${token as string}`,
      used_in: { posts, drafts },
    })),
    next_cursor: cursorAfter(rows),
  }),
}

const permissionsOf = (platform: 'tiktok' | 'instagram', scopes: string[]) =>
  Object.entries(PLATFORM_FACTS[platform].optionalScopes).map(([name, needed]) => ({
    name,
    granted: needed.every((scope) => scopes.includes(scope)),
  }))

function cursorAfter(rows: Row[]): string | null {
  const last = rows[9]
  if (rows.length <= 10 || !last) return null
  const value = String((last['created_at'] as Date).getTime() * 1000)
  return `newest.${String(last['video_id'])}.${Buffer.from(value).toString('base64url')}`
}

const SESSION = `select u.user_id, i.valid_since, i.disabled from users u join identity_users i using (uid) where u.uid = $1`

async function userOf(token: string): Promise<unknown> {
  if (!isSigned(token)) return null
  const { rows } = await pool.query<Row>({ name: 'session', text: SESSION, values: [uid] })
  const [session] = rows
  return session?.['disabled'] === false && (session['valid_since'] as Date) <= new Date()
    ? session['user_id']
    : null
}

for (const [name, statements] of Object.entries(LISTS)) {
  app.get(`/${name}`, async (request, reply) => {
    const userId = await userOf(request.headers.authorization?.slice('Bearer '.length) ?? '')
    if (userId === null) return reply.status(401).send()
    const found = await Promise.all(
      statements.map((text, i) => pool.query<Row>({ name: `${name}${i}`, text, values: [userId] })),
    )
    const all = found.map(({ rows }) => rows)
    return BODIES[name]?.(all[0] ?? []) ?? all
  })
}

function isSigned(token: string): boolean {
  const end = token.lastIndexOf('.')
  const expected = createHmac('sha256', key).update(token.slice(0, end)).digest()
  const signature = Buffer.from(token.slice(end + 1), 'base64url')
  return signature.length === expected.length && timingSafeEqual(signature, expected)
}

const address = await app.listen({ port: 0, host: '127.0.0.1' })
process.once('disconnect', () => process.exit())
process.send?.(Number(new URL(address).port))
