import type { Reason } from '#contract/deliveries.ts'
import { REASONS, WAITS } from './reasons.ts'
import type { DeliveryEvent, Scheduled } from './state.ts'
import { isHeldWhenLate } from './while-held.ts'

/** No worker claimed deliveries between the two (epoch ms). */
export type Outage = { readonly since: number; readonly until: number }

/** Between two late posts of one account: a burst would look like abuse and hurt each post's reach. */
export const SPACING_MS = 60_000

type Lateness = { readonly now: number; readonly graceMs: number }

/**
 * For a delivery that was due at `wakeAt`, during an outage: held for its user beyond the grace, else spaced. null: it goes out
 * now.
 */
export function eventAfterOutage(
  state: Scheduled,
  wakeAt: number,
  outage: Outage,
  // `ahead`: how many late posts of the account go first.
  { now, graceMs, ahead }: Lateness & { readonly ahead: number },
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

/** For a delivery that was due at `dueAt`, while it was paused. `freeAt`: when its account has room for a late post. */
export function eventAfterPause(
  dueAt: number,
  { now, graceMs, freeAt }: Lateness & { readonly freeAt: number },
): DeliveryEvent {
  if (now - dueAt > graceMs) return { type: 'missed', reason: REASONS.missedWhilePaused }
  return { type: 'resumed', ...spaced(freeAt, now) }
}

/** When a late post goes out that may do so from `freeAt` on, and what it says until then. */
export const spaced = (
  freeAt: number,
  now: number,
): { readonly dueAt: number; readonly reason: Reason | null } =>
  freeAt > now ? { dueAt: freeAt, reason: WAITS.spaced } : { dueAt: now, reason: null }
