/**
 * The floor of `lists`: bare Fastify and pg, with a check of the token's signature, one statement for its session, and prepared
 * statements. It answers what ours answers to the user of the bench. DATABASE_URL, USER_UID and TOKEN_KEY in the environment; prints
 * its port to its parent.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import fastify from 'fastify'
import { Pool, types } from 'pg'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import type { VideoFacts } from '#contract/videos.ts'
import { checkVideo } from '#domain/video-check/post-check.ts'
import { PLATFORM_FACTS } from '#platforms/registry.ts'
import { listPosts, type Read, readCalendar, readOverview } from './posts.ts'

const { DATABASE_URL: connectionString, USER_UID: uid, TOKEN_KEY: key = '' } = process.env
types.setTypeParser(types.builtins.INT8, Number)
const pool = new Pool({ connectionString, max: 10, options: '-c jit=off' })
const app = fastify()

/** The statement of each list that has one. */
const STATEMENTS: Readonly<Record<string, string>> = {
  accounts: `select account_id, brand_id, username, platform, display_name, avatar_url, scopes, relink_reason, paused_at, can_publish, linked_at,
       access_ends_at from accounts where user_id = $1 and unlinked_at is null order by account_id`,
  brands: `select brand_id, title, timezone, paused_at, created_at,
       (select count(*) from accounts a where a.brand_id = b.brand_id and a.unlinked_at is null) as linked
     from brands b where user_id = $1 and deleted_at is null order by brand_id`,
  videos: `select v.video_id, v.filename, v.mime, v.size, v.sha256, v.facts, v.brand_id, v.created_at, p.token,
       array(select t.tag from video_tags t where t.video_id = v.video_id order by t.key) as tags,
       (select count(*) from (select from posts where video_id = v.video_id and deleted_at is null limit 100) c) as posts,
       (select count(*) from drafts d where d.user_id = $1 and d.video_id = v.video_id and d.deleted_at is null) as drafts
     from videos v left join posters p using (video_id)
     where v.user_id = $1 and v.deleted_at is null order by v.created_at desc, v.video_id desc limit 11`,
}

type Row = Record<string, unknown>

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

async function userOf(token: string): Promise<number | null> {
  if (!isSigned(token)) return null
  const { rows } = await pool.query<Row>({ name: 'session', text: SESSION, values: [uid] })
  const [session] = rows
  return session?.['disabled'] === false && (session['valid_since'] as Date) <= new Date()
    ? (session['user_id'] as number)
    : null
}

const read: Read = async (name, text, values) =>
  (await pool.query({ name, text, values: [...values] })).rows as never // of the type that the caller names

function answer(name: string, list: (userId: number, query: Readonly<Record<string, string>>) => unknown) {
  app.get(`/${name}`, async (request, reply) => {
    const userId = await userOf(request.headers.authorization?.slice('Bearer '.length) ?? '')
    return userId === null
      ? reply.status(401).send()
      : list(userId, request.query as Readonly<Record<string, string>>)
  })
}
for (const [name, text] of Object.entries(STATEMENTS))
  answer(name, async (userId) => BODIES[name]?.(await read<Row>(name, text, [userId])))
answer('posts', (userId) => listPosts(read, userId))
answer('calendar', (userId, query) => readCalendar(read, userId, query))
answer('overview', (userId) => readOverview(read, userId))

function isSigned(token: string): boolean {
  const end = token.lastIndexOf('.')
  const expected = createHmac('sha256', key).update(token.slice(0, end)).digest()
  const signature = Buffer.from(token.slice(end + 1), 'base64url')
  return signature.length === expected.length && timingSafeEqual(signature, expected)
}

const address = await app.listen({ port: 0, host: '127.0.0.1' })
process.once('disconnect', () => process.exit())
process.send?.(Number(new URL(address).port))
