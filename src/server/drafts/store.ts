import { sql } from 'kysely'
import { DRAFT_UNDO_DAYS, DRAFTS_MAX } from '#contract/limits.ts'
import type { Draft, DraftContent, DraftSummary } from '#contract/drafts.ts'
import type { SavedZonedTime } from '#contract/posts.ts'
import type { Db } from '#base/db/open.ts'
import { knownZone } from '#domain/schedule/days.ts'
import { instantOf } from '#domain/schedule/schedule.ts'
import { posterUrl } from '../videos/video.ts'

export type DraftKey = { readonly userId: number; readonly draftId: string; readonly now: number }

/** Drafts deleted earlier are gone, even before housekeeping deletes them. */
const keptSince = (now: number) => new Date(now - DRAFT_UNDO_DAYS * 86_400_000)

/** Includes deleted drafts that can be restored. */
const selectDrafts = (db: Db, userId: number, now: number) =>
  db
    .selectFrom('drafts')
    .where('drafts.user_id', '=', userId)
    .where((eb) =>
      eb.or([eb('drafts.deleted_at', 'is', null), eb('drafts.deleted_at', '>=', keptSince(now))]),
    )

const selectDraft = (db: Db, { userId, draftId, now }: DraftKey) =>
  selectDrafts(db, userId, now).where('drafts.draft_id', '=', draftId)

export async function findDraft(db: Db, key: DraftKey): Promise<Draft | null> {
  const row = await selectDraft(db, key)
    .innerJoin('users', 'users.user_id', 'drafts.user_id')
    .selectAll('drafts')
    .select('users.nickname')
    .executeTakeFirst()
  if (!row) return null
  return {
    draft_id: row.draft_id,
    version: row.version,
    // Written by `insertDraft` and `updateDraft`; the contract's schema parses the reply.
    content: row.content as DraftContent,
    author: row.nickname,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    deleted_at: row.deleted_at?.toISOString() ?? null,
  }
}

type DraftListQuery = { readonly userId: number; readonly deleted: boolean; readonly now: number }

export const listDraftsQuery = (db: Db, { userId, deleted, now }: DraftListQuery) => {
  const all = db.selectFrom('drafts').where('drafts.user_id', '=', userId)
  const chosen = deleted
    ? all.where('drafts.deleted_at', '>=', keptSince(now)).orderBy('drafts.deleted_at', 'desc')
    : all.where('drafts.deleted_at', 'is', null).orderBy('drafts.updated_at', 'desc')
  return chosen
    .innerJoin('users', 'users.user_id', 'drafts.user_id')
    .leftJoin('videos', (join) =>
      join
        .onRef('videos.video_id', '=', 'drafts.video_id')
        .onRef('videos.user_id', '=', 'drafts.user_id')
        .on('videos.deleted_at', 'is', null),
    )
    .leftJoin('posters', 'posters.video_id', 'videos.video_id')
    .select([
      'drafts.draft_id',
      'drafts.version',
      'drafts.updated_at',
      'drafts.deleted_at',
      'users.nickname',
      'videos.video_id',
      'videos.filename',
      'posters.token',
      'drafts.summary as text',
      sql<number[]>`drafts.account_ids`.as('account_ids'),
      sql<number[]>`coalesce((select jsonb_agg(distinct a.brand_id) from accounts a
        where a.user_id = drafts.user_id and a.unlinked_at is null and a.account_id = any(
          array(select account_id::bigint from jsonb_array_elements(drafts.account_ids) as t (account_id)))), '[]')`.as(
        'brand_ids',
      ),
      sql<SavedZonedTime | null>`drafts.planned_for`.as('planned_for'),
      sql<DraftSummary['place']>`drafts.place`.as('place'),
    ])
    .limit(DRAFTS_MAX)
}

export async function listDrafts(db: Db, listed: DraftListQuery): Promise<DraftSummary[]> {
  const rows = await listDraftsQuery(db, listed).execute()
  return rows.map((row) => ({
    draft_id: row.draft_id,
    version: row.version,
    text: row.text,
    video:
      row.video_id === null || row.filename === null
        ? null
        : {
            // ids come out of the database unbranded
            video_id: row.video_id as NonNullable<DraftSummary['video']>['video_id'],
            filename: row.filename,
            poster_url: posterUrl(row.token),
          },
    accounts: row.account_ids.length,
    account_ids: row.account_ids as DraftSummary['account_ids'],
    brand_ids: row.brand_ids as DraftSummary['brand_ids'],
    planned: row.planned_for !== null,
    planned_for: row.planned_for && instantOfPlan(row.planned_for),
    place: row.place,
    author: row.nickname,
    updated_at: row.updated_at.toISOString(),
    deleted_at: row.deleted_at?.toISOString() ?? null,
  }))
}

/** null: a clock change skips it. */
function instantOfPlan({ local, timezone }: SavedZonedTime): string | null {
  const at = instantOf(local, knownZone(timezone))
  return at === null ? null : new Date(at).toISOString()
}

export const findTargetAccounts = (db: Db, userId: number, accountIds: readonly number[]) =>
  db
    .selectFrom('accounts')
    .select(['brand_id', 'platform'])
    .where('account_id', '=', sql<number>`any(${[...accountIds]}::bigint[])`)
    .where('user_id', '=', userId)
    .where('unlinked_at', 'is', null)
    .execute()

/** The draft's bytes that count for its user's quota; 0: it is not stored. */
export async function readBytes(db: Db, { userId, draftId }: DraftKey): Promise<number> {
  const row = await db
    .selectFrom('drafts')
    .select('bytes')
    .where('user_id', '=', userId)
    .where('draft_id', '=', draftId)
    .executeTakeFirst()
  return row?.bytes ?? 0
}

/** No other transaction adds a draft to the user's until this one ends. */
export async function lockDrafts(trx: Db, userId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`drafts ${userId}`}, 0))`.execute(trx)
}

/** @returns true at the maximum number of drafts */
export async function hasAllDrafts(trx: Db, userId: number): Promise<boolean> {
  const rows = await trx
    .selectFrom('drafts')
    .select('draft_id')
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .limit(DRAFTS_MAX)
    .execute()
  return rows.length === DRAFTS_MAX
}

/** The row is locked until the transaction ends. */
export type StoredDraft = { readonly version: number; readonly isDeleted: boolean }

export async function lockDraft(trx: Db, key: DraftKey): Promise<StoredDraft | null> {
  const row = await selectDraft(trx, key).select(['version', 'deleted_at']).forUpdate().executeTakeFirst()
  return row ? { version: row.version, isDeleted: row.deleted_at !== null } : null
}

/** True if this content is stored already; the order of an object's keys does not count. */
export async function hasContent(trx: Db, key: DraftKey, content: DraftContent): Promise<boolean> {
  const row = await selectDraft(trx, key)
    .select('draft_id')
    .where('content', '=', sql<string>`${JSON.stringify(content)}::jsonb`)
    .executeTakeFirst()
  return row !== undefined
}

export async function insertDraft(trx: Db, key: DraftKey, content: DraftContent): Promise<void> {
  const now = new Date(key.now)
  await trx
    .insertInto('drafts')
    .values({
      user_id: key.userId,
      draft_id: key.draftId,
      content: JSON.stringify(content),
      created_at: now,
      updated_at: now,
    })
    // Replaces a draft that was deleted too long ago to be restored.
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'draft_id']).doUpdateSet({
        content: JSON.stringify(content),
        version: 1,
        created_at: now,
        updated_at: now,
        deleted_at: null,
      }),
    )
    .execute()
}

export async function updateDraft(trx: Db, key: DraftKey, content: DraftContent): Promise<void> {
  await trx
    .updateTable('drafts')
    .set((eb) => ({
      content: JSON.stringify(content),
      version: eb('version', '+', 1),
      updated_at: new Date(key.now),
    }))
    .where('user_id', '=', key.userId)
    .where('draft_id', '=', key.draftId)
    .execute()
}

/** `deletedAt` null: restores it. */
export async function setDeleted(trx: Db, key: DraftKey, deletedAt: number | null): Promise<void> {
  await trx
    .updateTable('drafts')
    .set({ deleted_at: deletedAt === null ? null : new Date(deletedAt) })
    .where('user_id', '=', key.userId)
    .where('draft_id', '=', key.draftId)
    .execute()
}

/** Keeps only as many deleted drafts of a user as can be listed. */
export async function dropOldestDeleted(trx: Db, userId: number): Promise<void> {
  const deleted = trx
    .selectFrom('drafts')
    .select('draft_id')
    .where('user_id', '=', userId)
    .where('deleted_at', 'is not', null)
    .orderBy('deleted_at', 'desc')
  await trx
    .deleteFrom('drafts')
    .where('user_id', '=', userId)
    .where('draft_id', 'in', deleted.offset(DRAFTS_MAX))
    // Checked again under the row's lock: it may have been restored meanwhile.
    .where('deleted_at', 'is not', null)
    .execute()
}

/** The idempotency key of the post made from a draft. Its space keeps it distinct from callers' keys. */
export const publishedKey = (draftId: string): string => `draft ${draftId}`

export async function wasPublished(trx: Db, { userId, draftId }: DraftKey): Promise<boolean> {
  const post = await trx
    .selectFrom('posts')
    .select('post_id')
    .where('user_id', '=', userId)
    .where('idempotency_key', '=', publishedKey(draftId))
    .executeTakeFirst()
  return post !== undefined
}

/** Deletes the draft for good when its post is created. */
export async function removeDraft(trx: Db, { userId, draftId }: DraftKey): Promise<void> {
  await trx.deleteFrom('drafts').where('user_id', '=', userId).where('draft_id', '=', draftId).execute()
}

export async function deleteOldDrafts({
  db,
  now,
}: {
  readonly db: Db
  readonly now: () => number
}): Promise<void> {
  await db.deleteFrom('drafts').where('deleted_at', '<', keptSince(now())).execute()
}
