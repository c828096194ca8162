/**
 * The floor of `lists`: bare Fastify and pg, with a check of the token's signature and prepared statements that read what the lists
 * show. DATABASE_URL, USER_ID and TOKEN_KEY in the environment; prints its port to its parent.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import fastify from 'fastify'
import { Pool } from 'pg'

const { DATABASE_URL: connectionString, USER_ID: userId, TOKEN_KEY: key = '' } = process.env
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
    `select *, (select count(*) from accounts a where a.brand_id = b.brand_id and a.unlinked_at is null) as linked
     from brands b where user_id = $1 and deleted_at is null order by brand_id`,
  ],
  videos: [
    `select v.*, p.token from videos v left join posters p using (video_id)
     where user_id = $1 and deleted_at is null order by created_at desc, video_id desc limit 10`,
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

for (const [name, statements] of Object.entries(LISTS)) {
  app.get(`/${name}`, async (request, reply) => {
    if (!isSigned(request.headers.authorization?.slice('Bearer '.length) ?? ''))
      return reply.status(401).send()
    const found = await Promise.all(
      statements.map((text, i) =>
        pool.query<Record<string, unknown>>({ name: `${name}${i}`, text, values: [userId] }),
      ),
    )
    return found.map(({ rows }) => rows)
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
