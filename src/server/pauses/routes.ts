import { SCHEDULE_MAX_DAYS } from '#contract/limits.ts'
import type { Pausable } from '#contract/deliveries.ts'
import type { PauseResult } from '#contract/planning/pauses.ts'
import { refusal } from '../http/parse.ts'
import type { Handlers } from '../http/mount.ts'
import { setPause, type Pause, type PauseDeps } from './set-pause.ts'

type PauseBody = { readonly paused: boolean; readonly until?: string | undefined }

export function pauseRoutes(deps: PauseDeps): Handlers<'pauseAccount' | 'pauseBrand' | 'pauseSchedule'> {
  const set = (of: Pausable, id: number, userId: number, asked: PauseBody): Promise<PauseResult> =>
    setPause(deps, { of, id, userId }, parsePause(asked, deps.now()))
  return {
    pauseAccount: ({ user, params, body }) => set('account', params.accountId, user.user_id, body),
    pauseBrand: ({ user, params, body }) => set('brand', params.brandId, user.user_id, body),
    pauseSchedule: ({ user, params, body }) => set('schedule', params.scheduleId, user.user_id, body),
  }
}

/** @throws Problem invalid for an end that has passed or is too far away */
function parsePause({ paused, until }: PauseBody, now: number): Pause | null {
  if (!paused) return null
  if (until === undefined) return { until: null }
  const end = new Date(until)
  if (end.getTime() <= now) throw refusal('invalid', { until: ['Choose a time to come.'] })
  if (end.getTime() > now + SCHEDULE_MAX_DAYS * 86_400_000)
    throw refusal('invalid', { until: [`A pause can last up to ${SCHEDULE_MAX_DAYS} days.`] })
  return { until: end }
}
