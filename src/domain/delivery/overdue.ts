import { REASONS, WAITS } from './reasons.ts'
import type { DeliveryEvent, Scheduled } from './state.ts'
import { isHeldWhenLate } from './while-held.ts'

/** No worker claimed deliveries between the two (epoch ms). */
export type Outage = { readonly since: number; readonly until: number }

/** Between two late posts of one account: a burst would look like abuse and hurt each post's reach. */
export const SPACING_MS = 60_000

/** `ahead`: how many late posts of the account go first. */
export type Lateness = { readonly now: number; readonly graceMs: number; readonly ahead: number }

/**
 * For a delivery that was due at `wakeAt`, during an outage: held for its user beyond the grace, else spaced. null: it goes out
 * now.
 */
export function eventAfterOutage(
  state: Scheduled,
  wakeAt: number,
  outage: Outage,
  { now, graceMs, ahead }: Lateness,
): DeliveryEvent | null {
  if (!isHeldWhenLate(state)) return null
  if (outage.until - wakeAt > graceMs) {
    // Its own time was before the outage where a limit had put it off.
    const waited = state.reason !== null && state.reason.code !== WAITS.spaced.code
    const reason = waited && state.dueAt < outage.since ? REASONS.missedAfterLimit : REASONS.missed
    return { type: 'missed', reason }
  }
  const until = outage.until + ahead * SPACING_MS
  return until > now ? { type: 'postponed', until, reason: WAITS.spaced } : null
}

/** For a delivery that was due at `dueAt`, while it was paused. */
export function eventAfterPause(dueAt: number, { now, graceMs, ahead }: Lateness): DeliveryEvent {
  if (now - dueAt > graceMs) return { type: 'missed', reason: REASONS.missedWhilePaused }
  return { type: 'resumed', dueAt: now + ahead * SPACING_MS, reason: ahead === 0 ? null : WAITS.spaced }
}
