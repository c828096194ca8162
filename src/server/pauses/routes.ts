import type { Handlers } from '../http/mount.ts'
import { setPause, type PauseDeps } from './set-pause.ts'

export const pauseRoutes = (deps: PauseDeps): Handlers<'pauseAccount' | 'pauseBrand' | 'pauseSchedule'> => ({
  pauseAccount: ({ user, params, body }) =>
    setPause(deps, { of: 'account', id: params.accountId, userId: user.user_id }, body.paused),
  pauseBrand: ({ user, params, body }) =>
    setPause(deps, { of: 'brand', id: params.brandId, userId: user.user_id }, body.paused),
  pauseSchedule: ({ user, params, body }) =>
    setPause(deps, { of: 'schedule', id: params.scheduleId, userId: user.user_id }, body.paused),
})
