import type { Db } from '#base/db/open.ts'
import type { Handlers } from '../http/mount.ts'
import { readOverview } from './store.ts'

type OverviewDeps = { readonly db: Db; readonly now: () => number }

export const overviewRoutes = ({ db, now }: OverviewDeps): Handlers<'getOverview'> => ({
  getOverview: ({ user }) => readOverview(db, user, now()),
})
