import type { Db } from '#base/db/open.ts'
import type { Handlers } from '../http/mount.ts'
import { readCalendar } from './read-calendar.ts'

type CalendarDeps = { readonly db: Db; readonly now: () => number }

export const calendarRoutes = (deps: CalendarDeps): Handlers<'getCalendar'> => ({
  getCalendar: ({ user, query }) => readCalendar(deps.db, user, { ...query, now: deps.now() }),
})
