import type { Handlers } from '../http/mount.ts'
import type { PauseDeps } from '../pauses/set-pause.ts'
import {
  changeSchedule,
  createSchedule,
  deleteSchedule,
  listSchedules,
  previewSchedule,
  type ScheduleDeps,
} from './change-schedule.ts'
import { listNextSlots } from './free-slots.ts'

export const scheduleRoutes = (
  deps: ScheduleDeps & PauseDeps,
): Handlers<
  | 'listSchedules'
  | 'createSchedule'
  | 'changeSchedule'
  | 'previewSchedule'
  | 'deleteSchedule'
  | 'listNextSlots'
> => ({
  listSchedules: ({ user }) => listSchedules(deps, user.user_id),
  createSchedule: ({ user, body }) => createSchedule(deps, user.user_id, body),
  changeSchedule: ({ user, params, body }) => changeSchedule(deps, user.user_id, params.scheduleId, body),
  previewSchedule: ({ user, params, body }) => previewSchedule(deps, user.user_id, params.scheduleId, body),
  deleteSchedule: ({ user, params }) => deleteSchedule(deps, user.user_id, params.scheduleId),
  listNextSlots: async ({ user, params, query }) => {
    const { count, platforms = [], accounts = [], postId } = query
    const which = {
      scheduleId: params.scheduleId,
      count,
      platforms,
      accountIds: accounts,
      postId,
      now: deps.now(),
    }
    return listNextSlots(deps.db, user.user_id, which)
  },
})
