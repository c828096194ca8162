import { sql } from 'kysely'
import type { AccountId, PostId } from '#contract/ids.ts'
import type { NewPost } from '#contract/posts.ts'
import { UNDECIDED } from '#domain/delivery/state.ts'
import type { Db } from '#base/db/open.ts'
import type { AccountRow } from '../accounts/store.ts'
import { ON_ACCOUNT } from '../deliveries/repeats.ts'

/** `hash`: of the request. The same key with the same request is the same post. */
export type Idempotency = { readonly key: string; readonly hash: Buffer }

/** Finds the key's post. Until the transaction ends, requests with the same key wait and the post is not deleted. */
export async function lockKey(trx: Db, userId: number, key: string) {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`post ${userId} ${key}`}, 0))`.execute(trx)
  return trx
    .selectFrom('posts')
    .select(['post_id', 'idempotency_hash', 'deleted_at'])
    .where('user_id', '=', userId)
    .where('idempotency_key', '=', key)
    .forShare()
    .executeTakeFirst()
}

export async function isKeyUsed(db: Db, userId: number, key: string): Promise<boolean> {
  const post = await db
    .selectFrom('posts')
    .select('post_id')
    .where('user_id', '=', userId)
    .where('idempotency_key', '=', key)
    .executeTakeFirst()
  return post !== undefined
}

/** The linked accounts of the user among these; none is unlinked until the transaction ends. */
export function lockLinkedAccounts(
  trx: Db,
  userId: number,
  accountIds: readonly number[],
): Promise<AccountRow[]> {
  return trx
    .selectFrom('accounts')
    .selectAll()
    .where('account_id', 'in', [...accountIds])
    .where('user_id', '=', userId)
    .where('unlinked_at', 'is', null)
    .orderBy('account_id')
    .forKeyShare()
    .execute()
}

export async function insertPost(
  trx: Db,
  post: {
    readonly userId: number
    readonly videoId: number
    readonly text: string
    readonly now: number
    /** The instant that `publishAt` names; null: as soon as possible. */
    readonly publishTime: number | null
    readonly publishAt: NewPost['publish_at']
    /** The schedule's slot that gave it its time. */
    readonly slot?: { readonly scheduleId: number; readonly local: string } | null
    readonly idempotency: Idempotency | null
    /** What the caller calls it. */
    readonly reference: string | null
  },
): Promise<number> {
  const { post_id } = await trx
    .insertInto('posts')
    .values({
      user_id: post.userId,
      video_id: post.videoId,
      text: post.text,
      publish_at: post.publishTime === null ? null : new Date(post.publishTime),
      publish_local: post.publishAt?.local ?? null,
      timezone: post.publishAt?.timezone ?? null,
      schedule_id: post.slot?.scheduleId ?? null,
      slot_local: post.slot?.local ?? null,
      idempotency_key: post.idempotency?.key ?? null,
      idempotency_hash: post.idempotency?.hash ?? null,
      reference: post.reference,
      created_at: new Date(post.now),
    })
    .returning('post_id')
    .executeTakeFirstOrThrow()
  return post_id
}

/** The times of posts that this transaction has made or found, in the order of `postIds`. */
export async function selectPostTimes(trx: Db, postIds: readonly number[]) {
  const rows = await trx
    .selectFrom('posts')
    .select(['post_id', 'publish_at'])
    .where('post_id', 'in', [...postIds])
    .execute()
  const times = new Map(rows.map(({ post_id, publish_at }) => [post_id, publish_at]))
  return postIds.map((postId) => ({
    post_id: postId as PostId, // ids come out of the database unbranded
    publish_at: times.get(postId)?.toISOString() ?? null,
  }))
}

/** Indexes the words of the post's captions. Call it once its deliveries have their texts, and after each change. */
export async function storePostWords(trx: Db, postId: number): Promise<void> {
  await sql`insert into post_words (post_id, words)
    select p.post_id, array_to_tsvector(search_words(p.user_id, p.text || coalesce(
      (select ' ' || string_agg(distinct d.text, ' ') from deliveries d where d.post_id = p.post_id), '')))
    from posts p where p.post_id = ${postId}
    on conflict (post_id) do update set words = excluded.words`.execute(trx)
}

/** @returns true if the user has such a post */
export async function lockPost(trx: Db, userId: number, postId: number): Promise<boolean> {
  const post = await trx
    .selectFrom('posts')
    .select('post_id')
    .where('post_id', '=', postId)
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    // Inserts that refer to the post, such as a notice of its deliveries, must not wait for this lock.
    .forNoKeyUpdate()
    .executeTakeFirst()
  return post !== undefined
}

/** Takes a post off the lists; its row stays, see the migration. */
export async function markPostDeleted(trx: Db, postId: number, at: number): Promise<void> {
  await trx
    .updateTable('posts')
    .set({ deleted_at: new Date(at) })
    .where('post_id', '=', postId)
    .execute()
  await trx.updateTable('deliveries').set({ goes_out_at: null }).where('post_id', '=', postId).execute()
  await trx.deleteFrom('post_words').where('post_id', '=', postId).execute()
}

export const lockUndecidedDeliveries = (trx: Db, postId: number) =>
  trx
    .selectFrom('deliveries')
    .select(['delivery_id', 'state'])
    .where('post_id', '=', postId)
    .where('state', 'in', UNDECIDED)
    .orderBy('delivery_id')
    .forUpdate()
    .execute()

/** The post's failed deliveries that are not settled. */
export const lockFailures = (trx: Db, postId: number) =>
  trx
    .selectFrom('deliveries')
    .select('delivery_id')
    .where('post_id', '=', postId)
    .where('state', '=', 'failed')
    .where('settled_at', 'is', null)
    .orderBy('delivery_id')
    .forUpdate()
    .execute()

/** Posts that go out, or went out, to accounts within the minute at which each is to get one. */
export async function selectAtMinute(
  db: Db,
  search: {
    readonly userId: number
    readonly targets: readonly { readonly accountId: number; readonly at: Date }[]
  },
): Promise<Pick<SimilarRow, 'account_id' | 'post_id' | 'goes_out_at'>[]> {
  const { rows } = await sql<SimilarRow>`
    select distinct on (mine.account_id) mine.account_id, d.post_id, d.goes_out_at
    from unnest(${search.targets.map(({ accountId }) => accountId)}::bigint[],
      ${search.targets.map(({ at }) => at)}::timestamptz[]) as t (account_id, at)
    join accounts mine on mine.account_id = t.account_id
    join accounts same on same.platform = mine.platform and same.external_id = mine.external_id
    join deliveries d on d.account_id = same.account_id
    where d.user_id = ${search.userId} and d.state in (${sql.join(ON_ACCOUNT)})
      and d.goes_out_at >= date_trunc('minute', t.at)
      and d.goes_out_at < date_trunc('minute', t.at) + interval '1 minute'
    order by mine.account_id, d.post_id desc`.execute(db)
  return rows
}

type SimilarRow = {
  readonly account_id: AccountId
  readonly post_id: PostId
  readonly goes_out_at: Date
  readonly same_video: boolean
  readonly same_text: boolean
}

/** Posts that failed or were cancelled are no repetition; an empty caption, as of a draft in an inbox, is the same as no other. */
export async function selectSimilar(
  db: Db,
  search: {
    readonly userId: number
    readonly sha256: string
    readonly targets: readonly { readonly account_id: number; readonly text: string }[]
    readonly from: Date
    readonly to: Date
  },
): Promise<SimilarRow[]> {
  const ids = search.targets.map(({ account_id }) => account_id)
  const texts = search.targets.map(({ text }) => text)
  const { rows } = await sql<SimilarRow>`
    select distinct on (t.account_id) t.account_id, d.post_id, d.goes_out_at,
           v.sha256 = ${search.sha256} as same_video, d.text <> '' and d.text = t.text as same_text
    from unnest(${ids}::bigint[], ${texts}::text[]) as t (account_id, text)
    join accounts mine on mine.account_id = t.account_id
    join accounts same on same.platform = mine.platform and same.external_id = mine.external_id
    join deliveries d on d.account_id = same.account_id
    join posts p on p.post_id = d.post_id
    join videos v on v.video_id = p.video_id
    where d.user_id = ${search.userId} and d.state in (${sql.join(ON_ACCOUNT)})
      and d.goes_out_at between ${search.from} and ${search.to}
      and (v.sha256 = ${search.sha256} or (d.text <> '' and d.text = t.text))
    order by t.account_id, d.goes_out_at desc, d.post_id desc`.execute(db)
  return rows
}
