import type { Db } from '#base/db/open.ts'
import type { Handlers } from '../http/mount.ts'
import { listBlockers } from './blockers.ts'
import { readOverview } from './store.ts'

type OverviewDeps = { readonly db: Db; readonly now: () => number }

export const overviewRoutes = ({ db, now }: OverviewDeps): Handlers<'getOverview' | 'listBlockers'> => ({
  getOverview: ({ user }) => readOverview(db, user, now()),
  listBlockers: ({ user }) => listBlockers(db, user.user_id, now()),
})
