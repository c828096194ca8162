import type { Databases } from '#base/db/open.ts'
import type { Handlers } from '../http/mount.ts'
import { readOverview } from './store.ts'

type OverviewDeps = Pick<Databases, 'screenDb'> & { readonly now: () => number }

export const overviewRoutes = ({ screenDb, now }: OverviewDeps): Handlers<'getOverview'> => ({
  getOverview: ({ user }) => readOverview(screenDb, user, now()),
})
