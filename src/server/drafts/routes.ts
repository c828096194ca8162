import type { Handlers } from '../http/mount.ts'
import { deleteDraft, type DraftDeps, getDraft, restoreDraft, saveDraft } from './save-draft.ts'
import { listDrafts } from './store.ts'

type Deps = DraftDeps & { readonly now: () => number }

export const draftRoutes = (
  deps: Deps,
): Handlers<'listDrafts' | 'getDraft' | 'saveDraft' | 'deleteDraft' | 'restoreDraft'> => {
  const toKey = (user: { readonly user_id: number }, { draftId }: { readonly draftId: string }) => ({
    userId: user.user_id,
    draftId,
    now: deps.now(),
  })
  return {
    listDrafts: async ({ user, query }) => ({
      items: await listDrafts(deps.db, {
        userId: user.user_id,
        deleted: query.deleted === 'true',
        now: deps.now(),
      }),
    }),
    getDraft: ({ user, params }) => getDraft(deps.db, toKey(user, params)),
    saveDraft: ({ user, params, body }) => saveDraft(deps, toKey(user, params), body),
    deleteDraft: ({ user, params }) => deleteDraft(deps.db, toKey(user, params)),
    restoreDraft: ({ user, params }) => restoreDraft(deps.db, toKey(user, params)),
  }
}
