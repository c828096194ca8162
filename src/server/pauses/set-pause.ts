import type { PauseResult } from '#contract/planning/pauses.ts'
import { eventAfterPause } from '#domain/delivery/overdue.ts'
import { pausedReason } from '#domain/delivery/reasons.ts'
import type { DeliveryEvent } from '#domain/delivery/state.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { notFound } from '#base/problem.ts'
import { lockLatePosts } from '../deliveries/late-posts.ts'
import { applyUserEvent } from '../deliveries/store.ts'
import { type Held, listHeld, lockHeld, storePause, type PausedThing } from './store.ts'

export type PauseDeps = {
  readonly db: Db
  readonly encrypter: Encrypter
  readonly now: () => number
  readonly config: { readonly overdueGraceMs: number }
}

/**
 * Pauses or resumes an account, a brand or a queue. The row that it locks is locked by every irreversible call when it begins, so
 * that none begins after the answer.
 * @throws Problem not_found
 */
export async function setPause(deps: PauseDeps, what: PausedThing, paused: boolean): Promise<PauseResult> {
  const now = deps.now()
  await deps.db.transaction().execute(async (trx) => {
    if (!(await storePause(trx, what, paused ? new Date(now) : null))) throw notFound(what.of)
    if (paused) await holdSent(trx, deps, what, now)
  })
  return { paused, ...(paused ? NONE : await releaseHeld(deps, what)) }
}

type Released = Omit<PauseResult, 'paused'>
const NONE: Released = { released: 0, missed: 0 }

/** Uploads end at once; what is still to come due is held when it does. */
async function holdSent(trx: Db, deps: PauseDeps, what: PausedThing, now: number): Promise<void> {
  const event = { type: 'paused', reason: pausedReason(what.of) } as const
  for (const { delivery_id } of await lockHeld(
    trx,
    what,
    'preparing',
    await listHeld(trx, what, 'preparing'),
  )) {
    await move(trx, deps, what, { deliveryId: delivery_id, event, now })
  }
}

/** Locked and moved in one transaction: a worker waits no longer than that for one of them. */
const RELEASED_AT_ONCE = 100

/**
 * Releases what waits and is paused no more. Those of one account go out in the order in which they were due, a minute apart.
 * If the server stops in between, the others are found within the hour.
 */
export async function releaseHeld(deps: PauseDeps, what: PausedThing): Promise<Released> {
  const held = await listHeld(deps.db, what, 'blocked')
  let result = NONE
  for (let from = 0; from < held.length; from += RELEASED_AT_ONCE) {
    const some = await releaseSome(deps, what, held.slice(from, from + RELEASED_AT_ONCE))
    result = { released: result.released + some.released, missed: result.missed + some.missed }
  }
  return result
}

function releaseSome(deps: PauseDeps, what: PausedThing, some: Held): Promise<Released> {
  const { overdueGraceMs: graceMs } = deps.config
  const now = deps.now()
  return deps.db.transaction().execute(async (trx) => {
    let released = 0
    let missed = 0
    const accountIds = some.map(({ account_id }) => account_id)
    const latePosts = await lockLatePosts(trx, accountIds, now)
    for (const held of await lockHeld(trx, what, 'blocked', some)) {
      const freeAt = latePosts.freeAt(held.account_id)
      const event: DeliveryEvent = held.paused
        ? { type: 'paused', reason: pausedReason(held.paused) }
        : eventAfterPause(held.due_at ?? now, { now, graceMs, freeAt })
      if (!(await move(trx, deps, what, { deliveryId: held.delivery_id, event, now }))) continue
      if (event.type === 'missed') missed += 1
      if (event.type !== 'resumed') continue
      released += 1
      latePosts.take(held.account_id)
    }
    return { released, missed }
  })
}

/** Whether the delivery took the event; one that has changed meanwhile may refuse it. */
async function move(
  trx: Db,
  { encrypter }: PauseDeps,
  { userId }: PausedThing,
  it: { readonly deliveryId: number; readonly event: DeliveryEvent; readonly now: number },
): Promise<boolean> {
  const result = await applyUserEvent(trx, encrypter, { ...it, userId })
  return result !== null && 'moved' in result
}
