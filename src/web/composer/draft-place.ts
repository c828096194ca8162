import { z } from 'zod'
import { SavedContent } from '#contract/drafts.ts'
import { DraftId } from '#contract/ids.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { ANY_DRAFTS, draftQuery, queryClient } from '#web/api/queries.ts'
import { readDraft, writeDraft } from '#web/lib/form-drafts.ts'
import type { DraftPlace, StoredEdit } from './draft-saver.ts'

/** Long enough for a busy server; then it is tried again. */
const SAVE_TIMEOUT_MS = 15_000

const Edit = z.object({ version: z.int().min(0), content: SavedContent })

/** The new draft that is not saved yet: its id, so that a reload finds it. */
const NEW = 'compose new'
const nameOf = (draftId: string): string => `compose ${draftId}`

/** The server, and this browser for what is not saved yet. */
export const draftPlace = (uid: string, draftId: string): DraftPlace => ({
  uid,
  draftId,
  save: async (edit) => {
    const draft = await call('saveDraft', { params: { draftId }, body: edit, timeoutMs: SAVE_TIMEOUT_MS })
    queryClient.setQueryData(draftQuery(draftId).queryKey, draft)
    void queryClient.invalidateQueries({ ...ANY_DRAFTS, refetchType: 'none' })
    return draft
  },
  load: async () => {
    try {
      const draft = await call('getDraft', { params: { draftId } })
      return draft.deleted_at === null ? draft : null
    } catch (error) {
      if (error instanceof ApiProblem && error.code === 'not_found') return null
      throw error
    }
  },
  keep: (edit) => {
    writeDraft(uid, nameOf(draftId), edit)
    if (edit?.version === 0) writeDraft(uid, NEW, draftId)
    else if (readDraft(uid, NEW) === draftId) writeDraft(uid, NEW, null)
  },
})

/** Changes to a draft that were not saved, as this browser keeps them; null: none. */
export const keptEdit = (uid: string, draftId: string): StoredEdit | null =>
  Edit.safeParse(readDraft(uid, nameOf(draftId))).data ?? null

/** The new draft that was left before it was saved; null: there is none. */
export const keptNewDraft = (uid: string): string | null =>
  DraftId.safeParse(readDraft(uid, NEW)).data ?? null
