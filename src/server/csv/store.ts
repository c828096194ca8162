import { sql } from 'kysely'
import type { PostId } from '#contract/ids.ts'
import type { Db } from '#base/db/open.ts'
import { UNDECIDED } from '#domain/delivery/state.ts'
import type { AccountRow } from '../accounts/store.ts'

export const lockAllLinked = (trx: Db, userId: number): Promise<AccountRow[]> =>
  trx
    .selectFrom('accounts')
    .selectAll()
    .where('user_id', '=', userId)
    .where('unlinked_at', 'is', null)
    .orderBy('account_id')
    .forKeyShare()
    .execute()

/** `null`: the brand has no zone of its own. */
export async function brandZones(db: Db, userId: number): Promise<ReadonlyMap<number, string | null>> {
  const rows = await db
    .selectFrom('brands')
    .select(['brand_id', 'timezone'])
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .execute()
  return new Map(rows.map(({ brand_id, timezone }) => [brand_id, timezone]))
}

/** Case-insensitive; at most `limit` ids per name. */
export async function videosNamed(
  db: Db,
  userId: number,
  names: readonly string[],
  limit: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const { rows } = await sql<{ name: string; video_ids: number[] }>`
    select n.name, array_agg(found.video_id order by found.video_id) as video_ids
    from unnest(${[...new Set(names)]}::text[]) as n (name)
    cross join lateral (
      select v.video_id from videos v
      where v.user_id = ${userId} and v.deleted_at is null and v.search_name = lower(normalize(n.name, NFKC))
      order by v.video_id limit ${limit}) found
    group by n.name`.execute(db)
  return new Map(rows.map(({ name, video_ids }) => [name, video_ids.map(Number)]))
}

/** Serialises one user's imports: the later one sees the earlier one's posts. */
export async function lockImports(trx: Db, userId: number): Promise<void> {
  await trx.selectFrom('users').select('user_id').where('user_id', '=', userId).forNoKeyUpdate().execute()
}

/** The user's deliveries at these times (epoch ms), from the index by owner, state and time. */
export const readScheduledAt = async (db: Db, userId: number, times: readonly number[]) =>
  times.length === 0
    ? []
    : db
        .selectFrom('deliveries as d')
        .innerJoin('posts as p', 'p.post_id', 'd.post_id')
        .select(['p.video_id', 'd.account_id', 'd.goes_out_at'])
        .where('d.user_id', '=', userId)
        .where('d.state', 'in', [...UNDECIDED])
        .where(
          'd.goes_out_at',
          'in',
          [...new Set(times)].map((at) => new Date(at)),
        )
        .where('p.deleted_at', 'is', null)
        .execute()

type ImportKey = { readonly userId: number; readonly key: string }

/**
 * Takes the key for a new import; a concurrent import with the same key waits for it. @returns the posts of an earlier
 * import with this key
 */
export async function takeImportKey(
  trx: Db,
  { userId, key }: ImportKey,
  input: { readonly hash: Buffer; readonly now: number },
): Promise<{ readonly hash: Buffer; readonly postIds: PostId[] } | null> {
  const taken = await trx
    .insertInto('post_imports')
    .values({
      user_id: userId,
      idempotency_key: key,
      file_hash: input.hash,
      post_ids: [],
      imported_at: new Date(input.now),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst()
  if (taken) return null
  const earlier = await trx
    .selectFrom('post_imports')
    .select(['file_hash', 'post_ids'])
    .where('user_id', '=', userId)
    .where('idempotency_key', '=', key)
    .executeTakeFirstOrThrow()
  return { hash: earlier.file_hash, postIds: earlier.post_ids.map((id) => id as PostId) } // unbranded in the database
}

/** An import with a lost answer is repeated within this time, if at all. */
const IMPORT_KEPT_MS = 30 * 86_400_000
const DELETED_AT_ONCE = 500

export async function deleteOldImports({
  db,
  now,
}: {
  readonly db: Db
  readonly now: () => number
}): Promise<void> {
  const before = new Date(now() - IMPORT_KEPT_MS)
  for (let deleted = DELETED_AT_ONCE; deleted === DELETED_AT_ONCE;) {
    const { numAffectedRows } = await sql`
      delete from post_imports where (user_id, idempotency_key) in (
        select user_id, idempotency_key from post_imports where imported_at < ${before} limit ${DELETED_AT_ONCE})`.execute(
      db,
    )
    deleted = Number(numAffectedRows ?? 0)
  }
}

export async function updateImport(
  trx: Db,
  { userId, key }: ImportKey,
  postIds: readonly number[],
): Promise<void> {
  await trx
    .updateTable('post_imports')
    .set({ post_ids: [...postIds] })
    .where('user_id', '=', userId)
    .where('idempotency_key', '=', key)
    .execute()
}
