import type { Pausable } from '#contract/deliveries.ts'
import type { PauseResult } from '#contract/planning/pauses.ts'
import { pausedReason } from '#domain/delivery/reasons.ts'
import type { DeliveryEvent } from '#domain/delivery/state.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { notFound } from '#base/problem.ts'
import { eventOfHeld, lockAgain, releaseLatePosts } from '../deliveries/late-posts.ts'
import { applyUserEvents } from '../deliveries/store.ts'
import { sql } from 'kysely'
import { selectWithPause } from '../deliveries/find-pause.ts'

export type PauseDeps = {
  readonly db: Db
  readonly encrypter: Encrypter
  readonly now: () => number
  readonly config: { readonly overdueGraceMs: number }
}

/**
 * Pauses or resumes an account, a brand or a posting schedule. Every irreversible call locks the same row when it begins, so that none
 * begins after this answer. @throws Problem not_found
 */
export async function setPause(deps: PauseDeps, what: PausedThing, paused: boolean): Promise<PauseResult> {
  const now = deps.now()
  await deps.db.transaction().execute(async (trx) => {
    if (!(await storePause(trx, what, paused ? new Date(now) : null))) throw notFound(what.of)
    if (paused) await holdSent(trx, deps, what, now)
  })
  return { paused, ...(paused ? NONE : await releaseHeld(deps, what)) }
}

type ReleaseCounts = Omit<PauseResult, 'paused'>
const NONE: ReleaseCounts = { released: 0, missed: 0 }

/** Uploads end at once; deliveries not yet due are blocked when they are. */
async function holdSent(trx: Db, deps: PauseDeps, what: PausedThing, now: number): Promise<void> {
  const event = { type: 'paused', reason: pausedReason(what.of) } as const
  const sent = await selectHeld(trx, what, 'preparing').execute()
  const held = await lockAgain(trx, (db) => selectHeld(db, what, 'preparing'), sent)
  await applyUserEvents(
    trx,
    deps.encrypter,
    held.map(({ delivery_id: deliveryId, user_id: userId }) => ({ deliveryId, userId, event })),
    now,
  )
}

/**
 * Releases deliveries that are no longer paused. Those of one account go out in order of their times, a minute apart. If
 * the server stops in between, the rest is found within the hour.
 */
export async function releaseHeld(deps: PauseDeps, what: PausedThing): Promise<ReleaseCounts> {
  const { overdueGraceMs: graceMs } = deps.config
  const taken = await releaseLatePosts(
    deps,
    (db) => selectHeld(db, what, 'blocked'),
    (held, room) => eventOfHeld(held, { ...room, graceMs }),
  )
  const count = (type: DeliveryEvent['type']) =>
    [...taken.values()].filter((event) => event.type === type).length
  return { released: count('resumed'), missed: count('missed') }
}

type PausedThing = { readonly of: Pausable; readonly id: number; readonly userId: number }

/** The table and key of each thing that can be paused, and the column with its deletion. */
const STORED = {
  account: { table: 'accounts', key: 'account_id', gone: 'unlinked_at' },
  brand: { table: 'brands', key: 'brand_id', gone: 'deleted_at' },
  schedule: { table: 'schedules', key: 'schedule_id', gone: 'deleted_at' },
} as const

/** @returns true if the user has such a thing */
async function storePause(trx: Db, { of, id, userId }: PausedThing, pausedAt: Date | null): Promise<boolean> {
  const { table, key, gone } = STORED[of]
  const change = pausedAt === null ? sql`null` : sql`coalesce(paused_at, ${pausedAt}::timestamptz)`
  // An update alone would not wait for a call that begins.
  await sql`select from ${sql.table(table)} where ${sql.ref(key)} = ${id} and user_id = ${userId} for update`.execute(
    trx,
  )
  const { numAffectedRows } = await sql`update ${sql.table(table)} set paused_at = ${change}
    where ${sql.ref(key)} = ${id} and user_id = ${userId} and ${sql.ref(gone)} is null`.execute(trx)
  return (numAffectedRows ?? 0n) > 0n
}

/** The paused thing's deliveries that are being sent, or wait for its resumption. */
function selectHeld(db: Db, { of, id, userId }: PausedThing, state: 'preparing' | 'blocked') {
  const column = { account: 'a.account_id', brand: 'a.brand_id', schedule: 'p.schedule_id' } as const
  return selectWithPause(db)
    .where('d.user_id', '=', userId)
    .where('d.state', '=', state)
    .where(column[of], '=', id)
    .$if(state === 'blocked', (held) => held.where('d.cause', '=', 'paused'))
}
