import type { Handlers } from '../http/mount.ts'
import { setPause, type PauseDeps } from './set-pause.ts'

export const pauseRoutes = (deps: PauseDeps): Handlers<'pauseAccount' | 'pauseBrand' | 'pauseQueue'> => ({
  pauseAccount: ({ user, params, body }) =>
    setPause(deps, { of: 'account', id: params.accountId, userId: user.user_id }, body.paused),
  pauseBrand: ({ user, params, body }) =>
    setPause(deps, { of: 'brand', id: params.brandId, userId: user.user_id }, body.paused),
  pauseQueue: ({ user, params, body }) =>
    setPause(deps, { of: 'queue', id: params.queueId, userId: user.user_id }, body.paused),
})
