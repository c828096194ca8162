import type { Kysely } from 'kysely'
import type { DB } from '#base/db/tables.ts'
import type { Handlers } from '../http/mount.ts'
import { readCalendar } from './read-calendar.ts'

type CalendarDeps = { readonly db: Kysely<DB>; readonly now: () => number }

export const calendarRoutes = ({ db, now }: CalendarDeps): Handlers<'getCalendar'> => ({
  getCalendar: ({ user, query }) => readCalendar(db, user, { ...query, now: now() }),
})
