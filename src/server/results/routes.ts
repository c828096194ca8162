import type { Db } from '#base/db/open.ts'
import type { Handlers } from '../http/mount.ts'
import { readFilter, listResults, readWeek } from './list-results.ts'
import { readPostResults } from './read.ts'

type ResultsDeps = { readonly db: Db; readonly now: () => number }

export const resultsRoutes = ({
  db,
  now,
}: ResultsDeps): Handlers<'getPostResults' | 'listResults' | 'getResultsWeek'> => ({
  getPostResults: ({ user, params }) => readPostResults(db, user.user_id, params.postId, now()),
  listResults: async ({ user, query }) => listResults(db, await readFilter(db, user, query), query, now()),
  getResultsWeek: ({ user }) => readWeek(db, user.user_id, now()),
})
