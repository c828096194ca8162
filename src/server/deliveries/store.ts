import { isDeepStrictEqual } from 'node:util'
import { sql, type Selectable } from 'kysely'
import { WAITING_DELIVERIES_MAX } from '#contract/limits.ts'
import { PlatformId } from '#contract/platforms/index.ts'
import type { Reason } from '#domain/delivery/reasons.ts'
import { initial, type DeliveryEvent, type DeliveryState, UNDECIDED } from '#domain/delivery/state.ts'
import { step } from '#domain/delivery/step.ts'
import { concernsAccount, findTrouble, type Trouble } from '#domain/notifications/compose.ts'
import { describe } from '#domain/delivery/view.ts'
import { isErased } from './erased-account.ts'
import { warnOfUnreadable } from '../db/unreadable.ts'
import type { Db } from '#base/db/open.ts'
import type { Deliveries } from '#base/db/tables.ts'
import type { Encrypter } from '#base/encryption.ts'
import { refusal } from '../http/parse.ts'
import { isHeldBy, leaseEnd } from '../lease/leased-row.ts'
import { enqueueTroubleCheck } from '../outbox/outbox.ts'
import { asLine, executeMove, WAKES } from './execute-move.ts'
import { addFollowUps, wantedFollowUps } from './follow-up-rows.ts'
import { listEventTypes, type PostChange, recordPostEvents } from './post-events.ts'
import { followResults } from './result-rows.ts'
import { fromColumns, toColumns } from './record.ts'

/** A worker's hold on a delivery. The fence tells it from every worker that held it before. */
export type Claim = {
  readonly deliveryId: number
  readonly userId: number
  readonly accountId: number
  readonly postId: number
  readonly platform: PlatformId
  readonly text: string
  readonly options: Record<string, unknown>
  readonly state: DeliveryState
  readonly wakeAt: number | null
  readonly version: number
  readonly fence: number
}

export type NewDelivery = {
  readonly postId: number
  readonly userId: number
  readonly accountId: number
  readonly platform: PlatformId
  readonly text: string
  readonly options: object
  /** When it goes out (epoch ms). */
  readonly goesOutAt: number
  /** How long that is after the post's time. */
  readonly afterMinutes: number
}

/** Part of the transaction that makes the post, so that there is never one without the other. */
export async function insertDelivery(trx: Db, encrypter: Encrypter, delivery: NewDelivery): Promise<number> {
  const state = initial(delivery.goesOutAt)
  const inserts = trx
    .insertInto('deliveries')
    .values({
      post_id: delivery.postId,
      user_id: delivery.userId,
      account_id: delivery.accountId,
      platform: delivery.platform,
      text: delivery.text,
      options: JSON.stringify(delivery.options),
      after_minutes: delivery.afterMinutes,
      ...columns(state, encrypter),
      wake_at: new Date(delivery.goesOutAt),
      goes_out_at: new Date(delivery.goesOutAt),
    })
    .returning([...MOVED, asLine(describe(state))])
  const [made] = await executeMove(trx, inserts, WAKES)
  if (!made) throw new Error('A delivery was not inserted.')
  return made.delivery_id
}

/**
 * Call it before deliveries are added. Two additions at once may pass the limit together, by what one request may add.
 * @throws Problem invalid at `field`, if more deliveries would wait than a user may have
 */
export async function assertWaitingRoom(
  trx: Db,
  { userId, more, field }: { readonly userId: number; readonly more: number; readonly field: string },
): Promise<void> {
  const { waiting } = await trx
    .selectFrom('deliveries')
    .select((eb) => eb.fn.countAll<number>().as('waiting'))
    .where('user_id', '=', userId)
    .where('state', 'in', UNDECIDED)
    .executeTakeFirstOrThrow()
  if (waiting + more <= WAITING_DELIVERIES_MAX) return
  const [limit, used] = [WAITING_DELIVERIES_MAX, waiting].map((count) => count.toLocaleString('en-GB'))
  throw refusal('invalid', {
    [field]: [`Up to ${limit} posts can wait, counting each account, and ${used} do. Cancel some first.`],
  })
}

export type Saved =
  | { readonly kind: 'saved'; readonly claim: Claim }
  /** The user changed the delivery in the meantime: decide again. */
  | { readonly kind: 'changed'; readonly claim: Claim }
  /** The lease is gone. */
  | { readonly kind: 'lost' }
  /** Another delivery of the account is making its irreversible call. */
  | { readonly kind: 'crowded' }
  /** It should wait for its account, which has been linked again in the meantime. */
  | { readonly kind: 'linked' }
  /** It should wait for its account, which was erased. */
  | { readonly kind: 'erased' }

/**
 * Compare and set: saves only what was decided on the row's present version by the worker that holds it now, and renews
 * its lease. A worker that lost its lease cannot save.
 */
export async function save(
  db: Db,
  encrypter: Encrypter,
  claim: Claim,
  to: {
    readonly state: DeliveryState
    readonly wakeAt: number | null
    readonly leaseMs: number
    readonly now: number
  },
): Promise<Saved> {
  const wanted = wantedFollowUps(claim, claim.state, to.state)
  const trouble = newTrouble(claim.state, to.state)
  const types = listEventTypes(claim.state, to.state)
  const saveOn = async (on: Db): Promise<Saved> => {
    // Linking again wakes only the deliveries that already wait; one saved as waiting afterwards would never be woken.
    const waits = waitsForAccount(to.state)
    // The check of an account refers to its row, which is locked before the delivery's.
    const locksAccount = waits || (trouble !== null && concernsAccount(trouble))
    const account = locksAccount ? await lockAccountAccess(on, claim.accountId) : null
    if (waits && (account === 'linked' || account === 'erased')) return { kind: account }
    const [row] = await saveRow(on, encrypter, claim, to)
    if (row) {
      await addFollowUps(on, { ...claim, goesOutAt: row.goes_out_at }, wanted)
      await followResults(on, { ...claim, goesOutAt: row.goes_out_at }, claim.state, to.state)
      if (trouble !== null) await enqueueTroubleCheck(on, { ...claim, trouble, now: to.now })
      await recordPostEvents(on, toChanges({ ...claim, types }), to.now)
      const { state, wakeAt } = to
      return { kind: 'saved', claim: { ...claim, state, wakeAt, version: row.version } }
    }
    const present = await on
      .selectFrom('deliveries')
      .selectAll()
      .where('delivery_id', '=', claim.deliveryId)
      .where(isHeldBy(claim.fence))
      .executeTakeFirst()
    return present ? { kind: 'changed', claim: openClaim(present, encrypter) } : { kind: 'lost' }
  }
  // The row, its line and its news are one statement, and so a transaction of their own.
  const isAlone =
    wanted.length === 0 &&
    trouble === null &&
    types.length === 0 &&
    !waitsForAccount(to.state) &&
    to.state.kind !== 'published'
  try {
    return await (isAlone ? saveOn(db) : db.transaction().execute(saveOn))
  } catch (error) {
    // The schema keeps "one irreversible call in flight per account"; this is how it says so.
    if (isViolationOf(error, 'deliveries_one_commit_per_account')) return { kind: 'crowded' }
    throw error
  }
}

type To = Parameters<typeof save>[3]

const toChanges = ({
  userId,
  postId,
  deliveryId,
  types,
}: Pick<Claim, 'userId' | 'postId' | 'deliveryId'> & {
  readonly types: ReturnType<typeof listEventTypes>
}): PostChange[] => (types.length === 0 ? [] : [{ userId, postId, delivery: { deliveryId, types } }])

const saveRow = (db: Db, encrypter: Encrypter, claim: Claim, to: To) =>
  executeMove(
    db,
    db
      .updateTable('deliveries')
      .set((eb) => ({
        ...columns(to.state, encrypter),
        wake_at: to.wakeAt === null ? null : new Date(to.wakeAt),
        version: eb('version', '+', 1),
        leased_until: leaseEnd(to.leaseMs),
        updated_at: sql`now()`,
      }))
      .where('delivery_id', '=', claim.deliveryId)
      .where('version', '=', claim.version)
      .where(isHeldBy(claim.fence))
      .returning([...MOVED, asLine(lineOf(claim.state, to.state))]),
  )

const waitsForAccount = (state: DeliveryState): boolean =>
  state.kind === 'blocked' && state.cause === 'account'

/** Locks the account's row before the delivery's, in the same order as linking and unlinking do. */
async function lockAccountAccess(trx: Db, accountId: number): Promise<'linked' | 'unlinked' | 'erased'> {
  const account = await trx
    .selectFrom('accounts')
    .select(['account_id', 'external_id', 'unlinked_at', 'relink_reason'])
    .where('account_id', '=', accountId)
    .forShare()
    .executeTakeFirstOrThrow()
  if (isErased(account)) return 'erased'
  return account.unlinked_at === null && account.relink_reason === null ? 'linked' : 'unlinked'
}

/** An event that a user causes to a delivery of theirs, now or by an earlier decision. */
export type UserEvent = {
  readonly deliveryId: number
  readonly userId: number
  readonly event: DeliveryEvent
  /** The line of the timeline, where the state's own does not tell what happened; null: none, and no worker is woken. */
  readonly line?: string | null
}

type Applied = {
  readonly moved: ReadonlySet<number>
  /** Why not, by delivery. One that the user does not have is in neither. */
  readonly refused: ReadonlyMap<number, string>
}

/** `null`: there is no such delivery. */
export async function applyUserEvent(
  trx: Db,
  encrypter: Encrypter,
  { now, ...it }: UserEvent & { readonly now: number },
): Promise<{ readonly moved: true } | { readonly refused: string } | null> {
  const { moved, refused } = await applyUserEvents(trx, encrypter, [it], now)
  if (moved.has(it.deliveryId)) return { moved: true }
  const why = refused.get(it.deliveryId)
  return why === undefined ? null : { refused: why }
}

/** Longer statements would hold the event loop up: a post may have a hundred deliveries, and a thousand posts may move at once. */
const MOVED_AT_ONCE = 200

/** Applies one event to each of many deliveries, which it locks in order of their ids. */
export async function applyUserEvents(
  trx: Db,
  encrypter: Encrypter,
  events: readonly UserEvent[],
  now: number,
): Promise<Applied> {
  const moved = new Set<number>()
  const refused = new Map<number, string>()
  const changes: PostChange[] = []
  const sorted = events.toSorted((a, b) => a.deliveryId - b.deliveryId)
  for (let from = 0; from < sorted.length; from += MOVED_AT_ONCE) {
    const moves: Move[] = []
    for (const locked of await lockRows(trx, sorted.slice(from, from + MOVED_AT_ONCE))) {
      const before = readRow(locked.row, encrypter)
      const result = before === null ? UNREADABLE : step(before, locked.event, now)
      if ('refused' in result) refused.set(locked.deliveryId, result.refused)
      else if (before !== null) moves.push({ ...locked, before, after: result.to, wakeAt: result.wakeAt })
    }
    await storeMoves(trx, encrypter, moves, now)
    for (const { deliveryId, userId, row, before, after } of moves) {
      moved.add(deliveryId)
      const types = listEventTypes(before, after)
      changes.push(...toChanges({ userId, postId: row.post_id, deliveryId, types }))
    }
  }
  await recordPostEvents(trx, changes, now)
  return { moved, refused }
}

const UNREADABLE = { refused: 'this version cannot read the delivery' } as const

type Locked = UserEvent & { readonly row: Selectable<Deliveries> }

async function lockRows(trx: Db, events: readonly UserEvent[]): Promise<Locked[]> {
  const ids = events.map(({ deliveryId }) => deliveryId)
  const userIds = events.map(({ userId }) => userId)
  const rows = await trx
    .selectFrom('deliveries')
    .selectAll()
    .where(
      sql<boolean>`(delivery_id, user_id) in (select * from unnest(${ids}::bigint[], ${userIds}::bigint[]))`,
    )
    .orderBy('delivery_id')
    .forUpdate()
    .execute()
  const byId = new Map(rows.map((row) => [row.delivery_id, row]))
  return events.flatMap((event) => {
    const row = byId.get(event.deliveryId)
    return row ? [{ ...event, row }] : []
  })
}

type Move = Locked & {
  readonly before: DeliveryState
  readonly after: DeliveryState
  readonly wakeAt: number | null
}

async function storeMoves(trx: Db, encrypter: Encrypter, moves: readonly Move[], now: number): Promise<void> {
  if (moves.length === 0) return
  const changes = moves.map(({ row, before, after, wakeAt, line }) => {
    const { session, ...rest } = toColumns(after, encrypter)
    return {
      ...rest,
      id: row.delivery_id,
      session: session && `\\x${session.toString('hex')}`,
      wake_at: wakeAt === null ? null : new Date(wakeAt),
      line: line === undefined ? lineOf(before, after) : line,
    }
  })
  const update = sql<Moved>`
    update deliveries set state = change.state, data = change.data, session = change.session,
      wake_at = change.wake_at, version = version + 1, updated_at = now()
    from json_to_recordset(${JSON.stringify(changes)}) as change
      (id bigint, state text, data jsonb, session bytea, wake_at timestamptz, line text)
    where delivery_id = change.id
    returning ${sql.join(MOVED.map((column) => sql.ref(`deliveries.${column}`)))}, line`
  const wakes = moves.some(({ line }) => line !== null)
  await executeMove(trx, update, wakes ? WAKES : sql``)
  const checks = new Map<string, Parameters<typeof enqueueTroubleCheck>[1]>()
  for (const { row, event, before, after } of moves) {
    const platform = PlatformId.parse(row.platform)
    const options = row.options as Record<string, unknown> // checked by the platform's schema when it was stored
    const { delivery_id: deliveryId, user_id: userId, goes_out_at: goesOutAt } = row
    const wanted = wantedFollowUps({ platform, options }, before, after)
    await addFollowUps(trx, { deliveryId, userId, goesOutAt }, wanted)
    const { post_id: postId, account_id: accountId } = row
    await followResults(trx, { deliveryId, postId, userId, accountId, goesOutAt }, before, after)
    // The notification about the account names what waits for it.
    const trouble = event.type === 'relink' ? null : newTrouble(before, after)
    if (trouble === null) continue
    const subject = concernsAccount(trouble) ? accountId : postId
    checks.set(`${subject} ${trouble}`, { userId, postId, accountId, trouble, now })
  }
  for (const check of checks.values()) await enqueueTroubleCheck(trx, check)
}

/** Says why a due delivery, whose row is locked, is not begun yet. */
export async function explainWait(
  trx: Db,
  encrypter: Encrypter,
  { deliveryId, reason, now }: { readonly deliveryId: number; readonly reason: Reason; readonly now: number },
): Promise<void> {
  const row = await trx
    .selectFrom('deliveries')
    .selectAll()
    .where('delivery_id', '=', deliveryId)
    .executeTakeFirst()
  const state = row ? readRow(row, encrypter) : null
  if (!row?.wake_at || (state?.kind !== 'scheduled' && state?.kind !== 'preparing')) return
  if (isDeepStrictEqual(state.reason?.text, reason.text)) return
  const event = { type: 'postponed', until: row.wake_at.getTime(), reason } as const
  await applyUserEvent(trx, encrypter, { deliveryId, userId: row.user_id, event, now, line: null })
}

function readRow(row: Selectable<Deliveries>, encrypter: Encrypter): DeliveryState | null {
  try {
    return fromColumns(row, encrypter)
  } catch (error) {
    warnOfUnreadable('delivery', row.delivery_id, error)
    return null
  }
}

const MOVED = ['delivery_id', 'user_id', 'state', 'version', 'goes_out_at'] as const
type Moved = Pick<Selectable<Deliveries>, (typeof MOVED)[number]> & { readonly line: string | null }

/** The next line of the timeline. null: there is nothing new to read. */
function lineOf(before: DeliveryState, after: DeliveryState): string | null {
  const line = describe(after)
  return before.kind === after.kind && describe(before) === line ? null : line
}

/** The user is notified if the trouble remains when the post is checked. */
function newTrouble(before: DeliveryState, after: DeliveryState): Trouble | null {
  const trouble = findTrouble(after)
  return trouble === findTrouble(before) ? null : trouble
}

/** Throws for a row that another version wrote, or that was encrypted with a key that we do not have. */
export function openClaim(row: Selectable<Deliveries>, encrypter: Encrypter): Claim {
  return {
    deliveryId: row.delivery_id,
    userId: row.user_id,
    accountId: row.account_id,
    postId: row.post_id,
    platform: PlatformId.parse(row.platform),
    text: row.text,
    options: row.options as Record<string, unknown>, // parsed again by the platform's own schema
    state: fromColumns(row, encrypter),
    wakeAt: row.wake_at?.getTime() ?? null,
    version: row.version,
    fence: row.fence,
  }
}

function columns(state: DeliveryState, encrypter: Encrypter) {
  const { data, ...rest } = toColumns(state, encrypter)
  return { ...rest, data: JSON.stringify(data) }
}

const isViolationOf = (error: unknown, constraint: string): boolean =>
  error instanceof Error && 'constraint' in error && error.constraint === constraint
