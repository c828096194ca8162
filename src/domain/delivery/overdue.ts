import { pausedReason, type Reason, REASONS, type Stopped, WAITS } from './reasons.ts'
import type { DeliveryEvent, Scheduled } from './state.ts'
import { isHeldWhenLate } from './while-held.ts'

/** No worker claimed deliveries between the two (epoch ms). */
export type Outage = { readonly since: number; readonly until: number }

/** Between two late posts of one account: a burst would look like abuse and hurt each post's reach. */
export const SPACING_MS = 60_000

/** `freeAt`: when the account has room for a late post. */
type Room = { readonly now: number; readonly freeAt: number }
type Lateness = Room & { readonly graceMs: number }

/**
 * For a delivery that was due at `wakeAt`, during an outage: held for its user beyond the grace, else it waits until its account has
 * room. null: somebody has decided that it goes out now.
 */
export function eventAfterOutage(
  state: Scheduled,
  wakeAt: number,
  outage: Outage,
  { graceMs, ...room }: Lateness,
): DeliveryEvent | null {
  if (!isHeldWhenLate(state)) return null
  if (outage.until - wakeAt <= graceMs) return roomAfterOutage(outage, room)
  // A delivery that a limit had postponed may have been due before the outage.
  const waited = state.reason !== null && state.reason.code !== WAITS.spaced.code
  const reason = waited && state.dueAt < outage.since ? REASONS.missedAfterLimit : REASONS.missed
  return { type: 'missed', reason }
}

/** The delivery is within the grace. Its new time is after the outage, so it is no longer late. */
export function roomAfterOutage(outage: Outage, { now, freeAt }: Room): DeliveryEvent {
  const { dueAt: until, reason } = spaced(Math.max(freeAt, outage.until), now)
  return { type: 'postponed', until, reason }
}

/** The delivery was due at `dueAt`, while it was paused. */
export function eventAfterPause(dueAt: number, { now, graceMs, freeAt }: Lateness): DeliveryEvent {
  if (now - dueAt > graceMs) return { type: 'missed', reason: REASONS.missedWhilePaused }
  return { type: 'resumed', ...spaced(freeAt, now) }
}

/**
 * For a delivery that was held after a restore, of which its user or the operator says that no other copy posts it: at its own time,
 * and where that has passed as after an outage, or once what is paused is resumed.
 */
export function eventAfterRestore(
  dueAt: number,
  { now, graceMs, freeAt, paused }: Lateness & { readonly paused: Stopped | null },
): DeliveryEvent {
  if (dueAt > now) return { type: 'resumed', dueAt, reason: null }
  if (paused !== null) return { type: 'paused', reason: pausedReason(paused) }
  if (now - dueAt > graceMs) return { type: 'missed', reason: REASONS.missed }
  return { type: 'resumed', ...spaced(freeAt, now) }
}

/** A late post goes out at `freeAt` or later; until then it shows why it waits. */
export const spaced = (
  freeAt: number,
  now: number,
): { readonly dueAt: number; readonly reason: Reason | null } =>
  freeAt > now ? { dueAt: freeAt, reason: WAITS.spaced } : { dueAt: now, reason: null }
