import { sql } from 'kysely'
import { z } from 'zod'
import { type FollowUp, FollowUpKind, Reason } from '#contract/deliveries.ts'
import type { DeliveryState } from '#domain/delivery/state.ts'
import { type FollowUpState, initialFollowUp, needsAttentionSince } from '#domain/follow-up/state.ts'
import { viewFollowUp } from '#domain/follow-up/view.ts'
import type { Db } from '#base/db/open.ts'
import { notifyWake } from '../db/bus.ts'
import { warnOfUnreadable } from '../db/unreadable.ts'

const time = z.number()
const count = z.int().min(0)
const Stored = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('waiting'),
    since: time,
    tries: count,
    calledAt: time.nullable(),
    renewed: z.boolean(),
    reason: Reason.nullable(),
  }),
  z.object({
    kind: z.literal('commenting'),
    since: time,
    tries: count,
    calledAt: time.nullable(),
    renewed: z.boolean(),
    at: time,
  }),
  z.object({
    kind: z.literal('unconfirmed'),
    calledAt: time,
    checks: count,
    asking: z.boolean(),
    reason: Reason,
    dismissed: z.boolean().default(false),
  }),
  z.object({ kind: z.literal('done'), at: time, commentId: z.string().nullable() }),
  z.object({
    kind: z.literal('failed'),
    at: time,
    calledAt: time.nullable(),
    reason: Reason,
    dismissed: z.boolean().default(false),
  }),
])

/** Throws for a row that another version wrote. */
export const readFollowUp = (row: { readonly state: string; readonly data: unknown }): FollowUpState =>
  Stored.parse({ kind: row.state, ...z.record(z.string(), z.unknown()).parse(row.data) })

export function followUpColumns(followUp: FollowUpState) {
  const { kind, ...data } = followUp
  const since = needsAttentionSince(followUp)
  return {
    state: kind,
    data: JSON.stringify(data),
    attention_at: since === null ? null : new Date(since),
  }
}

/**
 * Part of the save that makes a delivery published: what its options ask for after that, so that there is never one without
 * the other. Once the id of the post becomes known, what waits for it goes on.
 */
export async function addFollowUps(
  trx: Db,
  deliveryId: number,
  before: DeliveryState | null,
  after: DeliveryState,
): Promise<void> {
  if (after.kind !== 'published') return
  if (before?.kind !== 'published') {
    const { state, data } = followUpColumns(initialFollowUp(after.at))
    const added = await sql`
      insert into follow_ups (delivery_id, user_id, kind, state, data, wake_at)
      select delivery_id, user_id, ${FollowUpKind.enum.first_comment}, ${state}, ${data}::jsonb, ${new Date(after.at)}
      from deliveries where delivery_id = ${deliveryId} and options ->> 'first_comment' is not null
      on conflict (delivery_id, kind) do nothing`.execute(trx)
    if ((added.numAffectedRows ?? 0n) > 0n) await notifyWake(trx)
  } else if (before.postId === null && after.postId !== null) {
    await trx
      .updateTable('follow_ups')
      // The version keeps a worker that has just found no id from putting it off.
      .set((eb) => ({ wake_at: new Date(after.at), version: eb('version', '+', 1) }))
      .where('delivery_id', '=', deliveryId)
      .where('state', '=', 'waiting')
      .execute()
    await notifyWake(trx)
  }
}

/** Part of the deletion of a post: what was not begun is not begun any more. What may be out ends by what comes of it. */
export async function deleteWaitingFollowUps(trx: Db, postId: number): Promise<void> {
  await trx
    .deleteFrom('follow_ups')
    .where('state', '=', 'waiting')
    .where('delivery_id', 'in', (eb) =>
      eb.selectFrom('deliveries').select('deliveries.delivery_id').where('deliveries.post_id', '=', postId),
    )
    .execute()
}

/** Of a delivery's row: its follow-ups, as `toFollowUps` takes them. */
export const followUpsOfDelivery = sql`
  (select jsonb_agg(jsonb_build_object('kind', kind, 'state', state, 'data', data) order by kind)
   from follow_ups where follow_ups.delivery_id = deliveries.delivery_id)`

const Aggregated = z
  .array(z.object({ kind: FollowUpKind, state: z.string(), data: z.unknown() }))
  .nullable()
  .transform((rows) => rows ?? [])

export const toFollowUps = (deliveryId: number, aggregated: unknown): FollowUp[] =>
  Aggregated.parse(aggregated).map((row): FollowUp => {
    try {
      return { kind: row.kind, ...viewFollowUp(readFollowUp(row)) }
    } catch (error) {
      // A schema says no by throwing; the delivery is shown all the same.
      warnOfUnreadable('follow-up', deliveryId, error)
      return { kind: row.kind, ...UNREADABLE }
    }
  })

const UNREADABLE: Omit<FollowUp, 'kind'> = {
  status: 'unconfirmed',
  message: 'This version of Reelay cannot read what became of the first comment.',
  remedy: 'Look at the post, and contact the person who runs this server.',
  needs_attention: true,
  actions: [],
}
