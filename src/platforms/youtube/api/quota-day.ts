import { addDays, startOfDay } from '#domain/schedule/days.ts'
import { localAt } from '#domain/schedule/schedule.ts'

/** Quota Calculator (2026-09-11): "Daily quotas reset at midnight Pacific Time". */
const ZONE = 'America/Los_Angeles'
/** Their clock and ours differ. */
const MARGIN_S = 60

/** Google's day, as `2026-11-29`. */
export const googleDay = (now: number): string => localAt(now, ZONE).slice(0, 10)

/** Seconds from `now` (epoch ms) until Google resets its quotas. */
export function untilQuotaResetS(now: number): number {
  const tomorrow = addDays(googleDay(now), 1)
  return Math.ceil((startOfDay(tomorrow, ZONE) - now) / 1000) + MARGIN_S
}
