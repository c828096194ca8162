import { sql } from 'kysely'
import type { FollowUpKind } from '#contract/deliveries.ts'
import { PlatformId } from '#contract/platforms/index.ts'
import { type FollowUpEvent, type FollowUpRecord, stepFollowUp } from '#domain/follow-up/follow-up.ts'
import { describeFollowUp } from '#domain/follow-up/view.ts'
import type { Db } from '#base/db/open.ts'
import { notifyWake } from '../db/bus.ts'
import { asLine, executeMove, WAKES } from '../deliveries/execute-move.ts'
import { recordPostEvents } from '../deliveries/post-events.ts'
import { followUpColumns, readFollowUp } from '../deliveries/follow-up-rows.ts'
import { isFree, isHeldBy, leaseEnd } from '../lease/leased-row.ts'

/** A worker's hold on a follow-up. The fence tells it from every worker that held it before. */
export type FollowUpClaim = {
  readonly followUpId: number
  readonly deliveryId: number
  readonly userId: number
  readonly accountId: number
  readonly platform: PlatformId
  readonly record: FollowUpRecord
  readonly wakeAt: number | null
  readonly version: number
  readonly fence: number
}

/** Due rows that one claim looks at. */
const WINDOW = 500

/** Leases due follow-ups, round-robin between users. */
export async function claimFollowUps(
  db: Db,
  request: { readonly now: number; readonly leaseMs: number; readonly limit: number },
): Promise<FollowUpRow[]> {
  if (request.limit <= 0) return []
  const { rows } = await sql<FollowUpRow>`
    with due as (
      select follow_up_id, row_number() over (partition by user_id order by wake_at) as place from (
        select follow_up_id, user_id, wake_at from follow_ups where ${isFree(request.now)} order by wake_at limit ${WINDOW}
      ) oldest
    ), chosen as (
      select follow_up_id from follow_ups join due using (follow_up_id) where ${isFree(request.now)}
      order by place, wake_at limit ${request.limit} for update of follow_ups skip locked
    )
    update follow_ups f set leased_until = ${leaseEnd(request.leaseMs)}, fence = f.fence + 1
    from chosen, deliveries d
    where f.follow_up_id = chosen.follow_up_id and d.delivery_id = f.delivery_id
    returning ${COLUMNS}`.execute(db)
  return rows
}

/** The next time at which something falls due that is not due yet (epoch ms). */
export async function nextFollowUpAt(db: Db, now: number): Promise<number | null> {
  const { next } = await db
    .selectFrom('follow_ups')
    .select((eb) => eb.fn.min('wake_at').as('next'))
    .where('wake_at', '>', new Date(now))
    .executeTakeFirstOrThrow()
  return next?.getTime() ?? null
}

/** The live post's options and its id at the platform, if known. `searching`: Reelay still asks for the id. */
export async function readLivePost(db: Db, deliveryId: number) {
  const { rows } = await sql<{ options: unknown; postId: string | null; searching: boolean }>`
    select d.options, coalesce(d.platform_post_id, f.platform_post_id) as "postId", coalesce(f.state = 'waiting', false) as searching
    from deliveries d left join follow_ups f on f.delivery_id = d.delivery_id and f.kind = 'public_link'
    where d.delivery_id = ${deliveryId}`.execute(db)
  const [row] = rows
  if (!row) throw new Error('A follow-up has lost its delivery.')
  return row
}

export type FollowUpSaved =
  | { readonly kind: 'saved'; readonly claim: FollowUpClaim }
  /** It was woken in the meantime: decide again. */
  | { readonly kind: 'changed'; readonly claim: FollowUpClaim }
  /** The lease is gone, or the row is. */
  | { readonly kind: 'lost' }

export type FollowUpTo = { readonly record: FollowUpRecord; readonly wakeAt: number | null }

/** Compare and set: saves only what was decided on the row's present version by the worker that holds it now. */
export const saveFollowUp = (
  db: Db,
  claim: FollowUpClaim,
  to: FollowUpTo,
  leaseMs: number,
): Promise<FollowUpSaved> =>
  db.transaction().execute(async (trx): Promise<FollowUpSaved> => {
    await lockDelivery(trx, claim.deliveryId)
    const move = moveFollowUp(trx, claim.record, to)
      .set({ leased_until: leaseEnd(leaseMs) })
      .where('follow_up_id', '=', claim.followUpId)
      .where(isHeldBy(claim.fence))
      .where('version', '=', claim.version)
    const [row] = await executeMove(trx, move)
    if (row) {
      await wakeForPost(trx, claim.deliveryId, claim.record, to.record)
      await recordLink(trx, claim, to.record)
      return { kind: 'saved', claim: { ...claim, ...to, version: row.version } }
    }
    const present = await sql<FollowUpRow>`
      select ${COLUMNS} from deliveries d join (
        select * from follow_ups where follow_up_id = ${claim.followUpId} and ${isHeldBy(claim.fence)}
      ) f using (delivery_id)`.execute(trx)
    const [found] = present.rows
    return found ? { kind: 'changed', claim: openFollowUp(found) } : { kind: 'lost' }
  })

/** @returns null: the user has no such follow-up */
export async function applyUserFollowUpEvent(
  trx: Db,
  change: {
    readonly deliveryId: number
    readonly userId: number
    readonly platform: PlatformId
    readonly kind: FollowUpKind
    readonly event: FollowUpEvent
    readonly now: number
  },
): Promise<{ readonly moved: true } | { readonly refused: string } | null> {
  await lockDelivery(trx, change.deliveryId)
  const row = await trx
    .selectFrom('follow_ups')
    .selectAll()
    .where('delivery_id', '=', change.deliveryId)
    .where('user_id', '=', change.userId)
    .where('kind', '=', change.kind)
    .forUpdate()
    .executeTakeFirst()
  if (!row) return null
  const before = readFollowUp(row)
  // The first answer may have been lost, or another tab was faster: nothing is asked anew.
  if (change.event.type === 'dismiss' && isDismissed(before)) return { moved: true }
  const result = stepFollowUp(before, change.event, change.now, change.platform)
  if ('refused' in result) return result
  const move = moveFollowUp(trx, before, { record: result.to, wakeAt: result.wakeAt })
  await executeMove(trx, move.where('follow_up_id', '=', row.follow_up_id), WAKES)
  return { moved: true }
}

const isDismissed = ({ state }: FollowUpRecord): boolean => 'dismissed' in state && state.dismissed

/** A line of the timeline refers to the delivery. It is locked before the follow-up, in the order of a user's erasure. */
const lockDelivery = (trx: Db, deliveryId: number) =>
  trx
    .selectFrom('deliveries')
    .select('delivery_id')
    .where('delivery_id', '=', deliveryId)
    .forKeyShare()
    .execute()

const moveFollowUp = (trx: Db, before: FollowUpRecord, { record, wakeAt }: FollowUpTo) =>
  trx
    .updateTable('follow_ups')
    .set((eb) => ({
      ...followUpColumns(record),
      wake_at: wakeAt === null ? null : new Date(wakeAt),
      version: eb('version', '+', 1),
      updated_at: sql<Date>`now()`,
    }))
    .returning([
      'delivery_id',
      'user_id',
      'version',
      // The state of the delivery, which a follow-up never changes.
      sql<string>`'published'`.as('state'),
      asLine(findLine(before, record)),
    ])

/** The next line of the delivery's timeline. null: there is nothing new to read. */
function findLine(before: FollowUpRecord, after: FollowUpRecord): string | null {
  const line = describeFollowUp(after)
  return before.state.kind === after.state.kind && describeFollowUp(before) === line ? null : line
}

async function recordLink(trx: Db, claim: FollowUpClaim, after: FollowUpRecord): Promise<void> {
  const [was, is] = [claim.record, after]
  if (was.kind !== 'public_link' || is.kind !== 'public_link') return
  if (is.state.kind !== 'done' || is.state.url === null || was.state.kind === 'done') return
  const { deliveryId, userId } = claim
  const { post_id: postId } = await trx
    .selectFrom('deliveries')
    .select('post_id')
    .where('delivery_id', '=', deliveryId)
    .executeTakeFirstOrThrow()
  const delivery = { deliveryId, types: ['delivery.link_resolved' as const] }
  await recordPostEvents(trx, [{ userId, postId, delivery }], is.state.at)
}

/** Follow-ups that wait for the post's id go on once the platform tells it. */
async function wakeForPost(
  trx: Db,
  deliveryId: number,
  before: FollowUpRecord,
  after: FollowUpRecord,
): Promise<void> {
  if (before.kind !== 'public_link' || after.kind !== 'public_link') return
  const { state } = after
  if (before.state.postId !== null || state.postId === null) return
  const now = new Date(state.kind === 'waiting' ? state.since : state.at)
  await trx
    .updateTable('follow_ups')
    // The version keeps a worker that has just found no id from putting it off.
    .set((eb) => ({ wake_at: sql<Date>`least(wake_at, ${now})`, version: eb('version', '+', 1) }))
    .where('delivery_id', '=', deliveryId)
    .where('kind', '!=', 'public_link')
    .where('state', '=', 'waiting')
    // If the platform told the id with the publication, nothing waits for it.
    .where((eb) =>
      eb
        .selectFrom('deliveries')
        .select((one) => one('platform_post_id', 'is', null).as('unknown'))
        .where('delivery_id', '=', deliveryId),
    )
    .execute()
  await notifyWake(trx)
}

export type FollowUpRow = {
  readonly follow_up_id: number
  readonly delivery_id: number
  readonly user_id: number
  readonly account_id: number
  readonly platform: string
  readonly kind: string
  readonly state: string
  readonly data: unknown
  readonly wake_at: Date | null
  readonly version: number
  readonly fence: number
}

const COLUMNS = sql`f.follow_up_id, f.delivery_id, f.user_id, d.account_id, d.platform, f.kind, f.state, f.data, f.wake_at,
  f.version, f.fence`

/** Throws for a row that another version wrote. */
export const openFollowUp = (row: FollowUpRow): FollowUpClaim => ({
  followUpId: row.follow_up_id,
  deliveryId: row.delivery_id,
  userId: row.user_id,
  accountId: row.account_id,
  platform: PlatformId.parse(row.platform),
  record: readFollowUp(row),
  wakeAt: row.wake_at?.getTime() ?? null,
  version: row.version,
  fence: row.fence,
})
