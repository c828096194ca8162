import type { Kysely } from 'kysely'
import type { DB } from '#base/db/tables.ts'
import type { Handlers } from '../http/mount.ts'
import { readOverview } from './store.ts'

type OverviewDeps = { readonly db: Kysely<DB>; readonly now: () => number }

export const overviewRoutes = ({ db, now }: OverviewDeps): Handlers<'getOverview'> => ({
  getOverview: ({ user }) => readOverview(db, user, now()),
})
