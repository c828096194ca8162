import { Pausable } from '#contract/deliveries.ts'
import type { PauseResult } from '#contract/planning/pauses.ts'
import { pausedReason, type Stopped } from '#domain/delivery/reasons.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { notFound } from '#base/problem.ts'
import { eventOfHeld, lockAgain, releasedBy, releaseLatePosts } from '../deliveries/late-posts.ts'
import { applyUserEvents } from '../deliveries/store.ts'
import { sql } from 'kysely'
import { selectWithPause } from '../deliveries/find-pause.ts'

export type PauseDeps = {
  readonly db: Db
  readonly encrypter: Encrypter
  readonly now: () => number
  readonly config: { readonly overdueGraceMs: number }
}

export type Pause = { readonly until: Date | null }

/**
 * Pauses an account, a brand or a posting schedule, or resumes it (null). Every irreversible call locks the same row when it begins, so
 * that none begins after this answer. @throws Problem not_found
 */
export async function setPause(
  deps: PauseDeps,
  what: PausedThing,
  pause: Pause | null,
): Promise<PauseResult> {
  const now = deps.now()
  await deps.db.transaction().execute(async (trx) => {
    if (!(await storePause(trx, what, pause, now))) throw notFound(what.of)
    if (pause) await holdSent(trx, deps, what, now)
  })
  return pause ? { paused: true, ...NOTHING } : { paused: false, ...(await releaseHeld(deps, what)) }
}

type Released = Omit<PauseResult, 'paused'>
const NOTHING: Released = { released: 0, missed: 0, missed_post_ids: [] }

/** Resumes what is paused until a time that has come. A pause that is set anew meanwhile goes on. */
export async function endDuePauses(deps: PauseDeps): Promise<void> {
  const due = sql`paused_until <= ${new Date(deps.now())}`
  for (const of of Pausable.options) {
    const { table, key } = STORED[of]
    const { rows } = await sql<{ id: number; user_id: number }>`update ${sql.table(table)}
      set paused_at = null, paused_until = null where ${due}
      returning ${sql.ref(key)} as id, user_id`.execute(deps.db)
    for (const { id, user_id: userId } of rows) await releaseHeld(deps, { of, id, userId })
  }
}

/** Uploads end at once; deliveries not yet due are blocked when they are. */
export async function holdSent(
  trx: Db,
  deps: Pick<PauseDeps, 'encrypter'>,
  what: StoppedThing,
  now: number,
): Promise<void> {
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
export async function releaseHeld(deps: PauseDeps, what: StoppedThing): Promise<Released> {
  const { overdueGraceMs: graceMs } = deps.config
  const taken = await releaseLatePosts(
    deps,
    (db) => selectHeld(db, what, 'blocked'),
    (held, room) => eventOfHeld(held, { ...room, graceMs }),
  )
  return releasedBy(deps.db, taken)
}

type StoppedThing = { readonly of: Stopped; readonly id: number; readonly userId: number }
type PausedThing = StoppedThing & { readonly of: Pausable }

/** The table and key of each thing that can be paused, and the column with its deletion. */
const STORED = {
  account: { table: 'accounts', key: 'account_id', gone: 'unlinked_at' },
  brand: { table: 'brands', key: 'brand_id', gone: 'deleted_at' },
  schedule: { table: 'schedules', key: 'schedule_id', gone: 'deleted_at' },
} as const

/** @returns true if the user has such a thing */
async function storePause(
  trx: Db,
  { of, id, userId }: PausedThing,
  pause: Pause | null,
  now: number,
): Promise<boolean> {
  const { table, key, gone } = STORED[of]
  const since = pause === null ? sql`null` : sql`coalesce(paused_at, ${new Date(now)}::timestamptz)`
  // An update alone would not wait for a call that begins.
  await sql`select from ${sql.table(table)} where ${sql.ref(key)} = ${id} and user_id = ${userId} for update`.execute(
    trx,
  )
  const { numAffectedRows } = await sql`update ${sql.table(table)}
    set paused_at = ${since}, paused_until = ${pause?.until ?? null}
    where ${sql.ref(key)} = ${id} and user_id = ${userId} and ${sql.ref(gone)} is null`.execute(trx)
  return (numAffectedRows ?? 0n) > 0n
}

/** The deliveries of what is paused, or of a disabled user, that are being sent, or wait for its resumption. */
function selectHeld(db: Db, { of, id, userId }: StoppedThing, state: 'preparing' | 'blocked') {
  const column = {
    account: 'a.account_id',
    brand: 'a.brand_id',
    schedule: 'p.schedule_id',
    user: 'd.user_id',
  } as const
  return selectWithPause(db)
    .where('d.user_id', '=', userId)
    .where('d.state', '=', state)
    .where(column[of], '=', id)
    .$if(state === 'blocked', (held) => held.where('d.cause', '=', 'paused'))
}
