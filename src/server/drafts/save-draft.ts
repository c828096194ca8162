import { DRAFT_MAX_CHARS, DRAFTS_MAX } from '#contract/limits.ts'
import type { Draft, DraftContent } from '#contract/drafts.ts'
import type { ScheduleId } from '#contract/ids.ts'
import type { Moment } from '#contract/posts.ts'
import type { Db } from '#base/db/open.ts'
import { notFound, Problem } from '#base/problem.ts'
import { platformsOf } from '../schedules/slotted-posts.ts'
import { findSchedulesAt, takeMoment } from '../schedules/take-moment.ts'
import { assertRoom, readQuota } from '../videos/quota.ts'
import {
  type DraftKey,
  dropOldestDeleted,
  findDraft,
  findTargetAccounts,
  hasAllDrafts,
  hasContent,
  insertDraft,
  lockDraft,
  lockDrafts,
  readBytes,
  removeDraft,
  setDeleted,
  updateDraft,
  wasPublished,
} from './store.ts'

export type DraftDeps = { readonly db: Db; readonly quotaBytes: number | null }

type DraftSave = {
  readonly version: number
  readonly content: DraftContent
  readonly moment?: Moment | undefined
}

/**
 * Compare and set. A repeated save whose answer was lost finds its content stored and succeeds. @param version the version
 * the caller saw; 0: the draft is new @throws Problem not_found; conflict if another save came first, it was deleted or
 * published, or there are too many; too_large; quota_exceeded; like `takeMoment` when it is planned
 */
export async function saveDraft(
  { db, quotaBytes }: DraftDeps,
  key: DraftKey,
  { version, content: asked, moment }: DraftSave,
): Promise<Draft> {
  return db.transaction().execute(async (trx) => {
    const content = moment ? { ...asked, ...(await planAt(trx, key, asked, moment)) } : asked
    const json = JSON.stringify(content)
    if (json.length > DRAFT_MAX_CHARS) throw new Problem('too_large', TOO_LARGE)
    // First, because it locks the user's row.
    const quota = await readQuota(trx, key.userId, quotaBytes)
    if (quota !== null) await assertRoomFor(trx, key, Buffer.byteLength(json), quota)
    if (version === 0) await lockDrafts(trx, key.userId)
    const stored = await lockDraft(trx, key)
    if (!stored) {
      if (version !== 0) throw notFound('draft')
      // A late first save must not restore the draft.
      if (await wasPublished(trx, key)) throw new Problem('conflict', PUBLISHED)
      await refuseTooMany(trx, key.userId)
      await insertDraft(trx, key, content)
      return getDraft(trx, key)
    }
    if (stored.isDeleted) throw new Problem('conflict', DELETED)
    if (await hasContent(trx, key, content)) return getDraft(trx, key)
    if (version !== stored.version) throw new Problem('conflict', CHANGED)
    await updateDraft(trx, key, content)
    return getDraft(trx, key)
  })
}

/** The planned time of a draft that is moved in the calendar. */
async function planAt(
  trx: Db,
  { userId, now }: DraftKey,
  { targets }: DraftContent,
  moment: Moment,
): Promise<Pick<DraftContent, 'publish_at' | 'schedule'>> {
  const accounts = await findTargetAccounts(
    trx,
    userId,
    targets.map(({ account_id }) => account_id),
  )
  const brandIds = accounts.map(({ brand_id }) => brand_id)
  const schedules = await findSchedulesAt(trx, userId, moment, brandIds.length === 0 ? 'any' : brandIds)
  const platforms = platformsOf(accounts)
  const { publishAt, slot } = await takeMoment(trx, moment, {
    schedules,
    brandIds,
    platforms,
    post: null,
    noSlot: null,
    now,
  })
  if (slot === null) return { publish_at: publishAt, schedule: undefined }
  return {
    publish_at: null,
    schedule: {
      schedule_id: slot.scheduleId as ScheduleId, // ids come out of the database unbranded
      place: 'slot',
      slot: { local: slot.local, timezone: publishAt.timezone },
    },
  }
}

/** Making a draft smaller, or keeping its size, always fits. */
async function assertRoomFor(trx: Db, key: DraftKey, size: number, quotaBytes: number): Promise<void> {
  const bytes = size - (await readBytes(trx, key))
  if (bytes > 0) await assertRoom(trx, { userId: key.userId, bytes, quotaBytes })
}

const DELETED = 'This draft was deleted. Restore it first.'
const TOO_LARGE = `A draft may have up to ${DRAFT_MAX_CHARS} characters, with the captions and options of all its accounts. Shorten some, or make two drafts.`
const PUBLISHED = 'This draft was published.'
const CHANGED = 'This draft was changed somewhere else, perhaps in another tab.'

/** @throws Problem not_found */
export async function getDraft(db: Db, key: DraftKey): Promise<Draft> {
  const draft = await findDraft(db, key)
  if (!draft) throw notFound('draft')
  return draft
}

/** Idempotent: the first answer may have been lost. @throws Problem not_found */
export function deleteDraft(db: Db, key: DraftKey): Promise<void> {
  return db.transaction().execute(async (trx) => {
    const stored = await lockDraft(trx, key)
    if (!stored) throw notFound('draft')
    if (stored.isDeleted) return
    await setDeleted(trx, key, key.now)
    await dropOldestDeleted(trx, key.userId)
  })
}

/** @throws Problem not_found; conflict if there are too many drafts */
export function restoreDraft(db: Db, key: DraftKey): Promise<Draft> {
  return db.transaction().execute(async (trx) => {
    await lockDrafts(trx, key.userId)
    const stored = await lockDraft(trx, key)
    if (!stored) throw notFound('draft')
    if (stored.isDeleted) {
      await refuseTooMany(trx, key.userId)
      await setDeleted(trx, key, null)
    }
    return getDraft(trx, key)
  })
}

async function refuseTooMany(trx: Db, userId: number): Promise<void> {
  if (await hasAllDrafts(trx, userId)) {
    throw new Problem(
      'conflict',
      `You have ${DRAFTS_MAX} drafts, which is the limit. Publish or delete one first.`,
    )
  }
}

/**
 * Deletes a draft for good, in the transaction that creates its post. @param version the version the post was made from
 * @throws Problem not_found; conflict if another version is stored, or it was deleted
 */
export async function takeDraft(trx: Db, key: DraftKey, version: number): Promise<void> {
  const stored = await lockDraft(trx, key)
  if (!stored) throw notFound('draft')
  if (stored.isDeleted) throw new Problem('conflict', DELETED)
  if (stored.version !== version) throw new Problem('conflict', CHANGED)
  await removeDraft(trx, key)
}
