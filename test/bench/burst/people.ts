import { Readable } from 'node:stream'
import { type Kysely, sql } from 'kysely'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { DB } from '#base/db/tables.ts'
import type { Encrypter } from '#base/encryption.ts'
import type { Platform, Tokens } from '#platforms/kit/platform.ts'
import { PLATFORM_FACTS } from '#platforms/registry.ts'
import { accessColumns } from '#server/accounts/tokens.ts'
import { notifyWake } from '#server/db/bus.ts'
import { openDisk } from '#server/storage/disk.ts'
import { readFacts } from '#server/videos/facts.ts'
import {
  newCreator as newInstagramCreator,
  userId as professionalId,
  type Token,
} from '#simulators/instagram/state/state.ts'
import { openStore } from '#simulators/kit/store.ts'
import {
  type AccessToken,
  type Grant,
  newCreator as newTikTokCreator,
  openId,
} from '#simulators/tiktok/state/state.ts'
import { sampleVideo } from '../../support/sample.ts'

const DAY_MS = 86_400_000

export type Creator = {
  readonly platform: PlatformId
  readonly username: string
  readonly externalId: string
  readonly tokens: Tokens
}

/** Creators who have consented, half of them on each platform, written as the practice platforms would before they start. */
export function seedCreators(dir: string, count: number): Creator[] {
  const store = openStore(dir)
  const now = Date.now()
  const tokens = (token: string): Tokens => ({
    accessToken: token,
    accessExpiresAt: now + DAY_MS,
    refreshToken: `refresh-${token}`,
    refreshExpiresAt: now + 300 * DAY_MS,
    issuedAt: now,
  })
  return store.transaction(() =>
    Array.from({ length: count }, (_, i): Creator => {
      const username = `bench${i}`
      const token = `token-${i}`
      if (i % 2 === 0) {
        const scopes = [...PLATFORM_FACTS.tiktok.scopes]
        store.table('tiktok.creators').put(username, newTikTokCreator(username))
        const grant: Grant = {
          id: username,
          username,
          scopes,
          refresh_token: `refresh-${token}`,
          refresh_expires_at: now + 300 * DAY_MS,
          previous_refresh_token: null,
          access_token: token,
        }
        store.table<Grant>('tiktok.grants').put(grant.id, grant)
        const access: AccessToken = { token, grant_id: grant.id, expires_at: now + DAY_MS }
        store.table<AccessToken>('tiktok.access_tokens').put(token, access)
        return { platform: 'tiktok', username, externalId: openId(username), tokens: tokens(token) }
      }
      store.table('instagram.creators').put(username, newInstagramCreator(username))
      const scopes = [...PLATFORM_FACTS.instagram.scopes]
      const long: Token = {
        token,
        kind: 'long',
        username,
        scopes,
        created_at: now,
        expires_at: now + 60 * DAY_MS,
      }
      store.table<Token>('instagram.tokens').put(token, long)
      return { platform: 'instagram', username, externalId: professionalId(username), tokens: tokens(token) }
    }),
  )
}

type Server = {
  readonly db: Kysely<DB>
  readonly encrypter: Encrypter
  readonly platforms: Record<PlatformId, Platform | null>
  readonly storageDir: string
}

/** Somebody with a brand, a video that is stored, and these accounts. */
export async function seedPerson(server: Server, creators: readonly Creator[]): Promise<number> {
  const { db, encrypter, platforms, storageDir } = server
  const bytes = Buffer.from(await sampleVideo().file.arrayBuffer())
  const facts = await readFacts(async (first, last) => bytes.subarray(first, last + 1), bytes.length)
  const storage = await openDisk(storageDir)
  const stored = await storage.put(Readable.from([bytes]), { maxBytes: bytes.length })
  const { rows } = await sql<{ user_id: number; brand_id: number }>`
    with u as (insert into users (uid, email, nickname, timezone)
        values (gen_random_uuid(), gen_random_uuid() || '@example.com', 'Bench', 'UTC') returning user_id),
      b as (insert into brands (user_id, title) select user_id, 'Bench' from u returning user_id, brand_id),
      v as (insert into videos (user_id, storage_key, filename, mime, size, sha256, facts)
        select user_id, ${stored.key}, 'bench.mp4', 'video/mp4', ${stored.size}, ${stored.sha256}, ${JSON.stringify(facts)} from u)
    select * from b`.execute(db)
  const [made] = rows
  if (!made) throw new Error('Nobody was made.')
  const values = creators.map(({ platform, username, externalId, tokens }) => {
    const adapter = platforms[platform]
    if (!adapter) throw new Error(`${platform} is off.`)
    return {
      ...made,
      platform,
      username,
      external_id: externalId,
      display_name: username,
      scopes: [...PLATFORM_FACTS[platform].scopes],
      can_publish: true,
      ...accessColumns(encrypter, adapter, tokens),
    }
  })
  await db.insertInto('accounts').values(values).execute()
  return made.user_id
}

/** Posts of their newest video, `each` to every account of theirs, that are due at `at` (epoch ms). */
export async function schedule(
  db: Kysely<DB>,
  userIds: readonly number[],
  each: number,
  at: number,
): Promise<number[]> {
  const { rows } = await sql<{ delivery_id: number }>`
    with wanted as (
      select a.*, (select max(video_id) from videos v where v.user_id = a.user_id) as video_id, n,
        row_number() over (order by n, account_id) as nth
      from accounts a, generate_series(1, ${each}::int) n where a.user_id = any(${[...userIds]}::bigint[])),
    made as (
      insert into posts (user_id, video_id, text, publish_at, publish_local, timezone)
      select user_id, video_id, 'Post ' || nth, ${new Date(at)}, '2026-01-01T00:00', 'UTC' from wanted order by nth
      returning post_id),
    numbered as (select post_id, row_number() over (order by post_id) as nth from made)
    insert into deliveries (post_id, user_id, account_id, platform, text, options, state, data, wake_at, goes_out_at)
    select post_id, user_id, account_id, platform, 'Post ' || nth, '{"privacy_level":"PUBLIC_TO_EVERYONE"}', 'scheduled',
      jsonb_build_object('attempt', 1, 'dueAt', ${at}::bigint, 'reason', null, 'earlier', null), ${new Date(at)}, ${new Date(at)}
    from numbered join wanted using (nth) returning delivery_id`.execute(db)
  await notifyWake(db)
  return rows.map(({ delivery_id }) => delivery_id)
}
