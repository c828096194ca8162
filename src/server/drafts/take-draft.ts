import type { Db } from '#base/db/open.ts'
import { notFound, Problem } from '#base/problem.ts'
import { CHANGED, DELETED } from './save-draft.ts'
import { type DraftKey, lockDraft, removeDraft } from './store.ts'

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
