import { eventAfterOutage, eventAfterPause, roomAfterOutage } from '#domain/delivery/overdue.ts'
import { pausedReason } from '#domain/delivery/reasons.ts'
import type { Blocked, DeliveryEvent, Scheduled } from '#domain/delivery/state.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { findPause, selectWithPause } from '../find-pause.ts'
import { eventOfHeld, releaseLatePosts } from '../late-posts.ts'
import { findOutage, selectLate } from '../outages.ts'
import type { Claim } from '../store.ts'

export type LateDeps = {
  readonly db: Db
  readonly encrypter: Encrypter
  /** A post that is later than this (ms) does not go out by itself. */
  readonly overdueGraceMs: number
  /** Epoch ms. */
  readonly now: () => number
  /** Records that this worker looks for what is due, and the outage before that, if there was one. */
  readonly beat: () => Promise<void>
}

export async function eventIfPaused({ db }: LateDeps, claim: Claim): Promise<DeliveryEvent | null> {
  const paused = await findPause(db, claim)
  return paused === null ? null : { type: 'paused', reason: pausedReason(paused) }
}

/** A delivery that is claimed within this time after it was due is not late, even after an outage. */
const IN_TIME_MS = 60_000

/** @returns null: the delivery is not late, and goes out now */
export async function eventIfLate(
  deps: LateDeps,
  claim: Claim,
  state: Scheduled,
): Promise<DeliveryEvent | null> {
  const { wakeAt } = claim
  if (wakeAt === null || deps.now() - wakeAt < IN_TIME_MS) return null
  // This machine may have been asleep since the round began.
  await deps.beat()
  const outage = await findOutage(deps.db, wakeAt)
  if (outage === null) return null
  const { overdueGraceMs: graceMs } = deps
  const now = deps.now()
  const event = eventAfterOutage(state, wakeAt, outage, { now, graceMs, freeAt: now })
  if (event?.type !== 'postponed') return event
  // All late deliveries get their times at once, in order. The save then finds that this row has its own already.
  const taken = await releaseLatePosts(
    deps,
    (db) => selectLate(db, { accountId: claim.accountId, outage, graceMs }),
    ({ paused }, room) =>
      paused ? { type: 'paused', reason: pausedReason(paused) } : roomAfterOutage(outage, room),
  )
  return taken.get(claim.deliveryId) ?? event
}

/** Resuming moves the deliveries that wait for it. This one notices a pause that ended in another way, as with a deleted posting schedule. */
export async function eventWhilePaused(
  deps: LateDeps,
  claim: Claim,
  { dueAt }: Blocked,
): Promise<DeliveryEvent> {
  const paused = await eventIfPaused(deps, claim)
  if (paused !== null) return paused
  const { overdueGraceMs: graceMs } = deps
  const taken = await releaseLatePosts(
    deps,
    (db) =>
      selectWithPause(db)
        .where('d.delivery_id', '=', claim.deliveryId)
        .where('d.state', '=', 'blocked')
        // It may have been held since for another reason.
        .where('d.cause', '=', 'paused'),
    (held, room) => eventOfHeld(held, { ...room, graceMs }),
  )
  const now = deps.now()
  return taken.get(claim.deliveryId) ?? eventAfterPause(dueAt ?? now, { now, graceMs, freeAt: now })
}
