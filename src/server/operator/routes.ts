import type { Db } from '#base/db/open.ts'
import type { Handlers } from '../http/mount.ts'
import { listActs } from './acts.ts'

export const operatorRoutes = ({ db }: { readonly db: Db }): Handlers<'listOperatorActs'> => ({
  listOperatorActs: ({ query }) => listActs(db, query.before),
})
