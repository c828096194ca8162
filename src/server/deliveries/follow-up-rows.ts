import { sql } from 'kysely'
import { z } from 'zod'
import { type FollowUp, FollowUpKind } from '#contract/deliveries.ts'
import {
  LINK_ASKED_S,
  LOOKED_AT_LATER,
  PICTURE_OPTIONS,
  PICTURE_SET_LATER,
  type PlatformId,
  tellsLink,
} from '#contract/platforms/index.ts'
import type { DeliveryState } from '#domain/delivery/state.ts'
import { heldComment, initialComment } from '#domain/follow-up/comment-state.ts'
import { type FollowUpRecord, needsAttentionSince } from '#domain/follow-up/follow-up.ts'
import { initialAsAsked } from '#domain/follow-up/as-asked.ts'
import { initialLink } from '#domain/follow-up/link.ts'
import { initialSetting } from '#domain/follow-up/setting.ts'
import { viewFollowUp } from '#domain/follow-up/view.ts'
import type { Db } from '#base/db/open.ts'
import { tellWake } from '../db/bus.ts'
import { StoredReason, withoutWords } from '../db/stored-reason.ts'
import { warnOfUnreadable } from '../db/unreadable.ts'

const time = z.number()
const count = z.int().min(0)
const StoredComment = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('waiting'),
    since: time,
    tries: count,
    calledAt: time.nullable(),
    renewed: z.boolean(),
    reason: StoredReason.nullable(),
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
    reason: StoredReason,
    dismissed: z.boolean().default(false),
  }),
  z.object({ kind: z.literal('done'), at: time, commentId: z.string().nullable() }),
  z.object({
    kind: z.literal('failed'),
    at: time,
    calledAt: time.nullable(),
    reason: StoredReason,
    dismissed: z.boolean().default(false),
  }),
])

const StoredLink = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('waiting'),
    since: time,
    asks: count,
    postId: z.string().nullable(),
    reason: StoredReason.nullable(),
  }),
  z.object({
    kind: z.literal('done'),
    at: time,
    postId: z.string().nullable(),
    url: z.string().nullable(),
  }),
  z.object({ kind: z.literal('failed'), at: time, postId: z.string().nullable(), reason: StoredReason }),
])

const StoredSetting = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('waiting'), since: time, tries: count, reason: StoredReason.nullable() }),
  z.object({ kind: z.literal('done'), at: time }),
  z.object({ kind: z.literal('failed'), at: time, reason: StoredReason, dismissed: z.boolean() }),
])

const StoredAsAsked = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('waiting'), since: time, looks: count, tries: count }),
  z.object({ kind: z.literal('done'), at: time, seen: z.boolean() }),
  z.object({ kind: z.literal('failed'), at: time, reason: StoredReason, dismissed: z.boolean() }),
])

type Stored = { readonly kind: string; readonly state: string; readonly data: unknown }

/** Throws for a row that another version wrote. */
export function readFollowUp(row: Stored): FollowUpRecord {
  const stored = { kind: row.state, ...z.record(z.string(), z.unknown()).parse(row.data) }
  const kind = FollowUpKind.parse(row.kind)
  switch (kind) {
    case 'first_comment':
      return { kind, state: StoredComment.parse(stored) }
    case 'public_link':
      return { kind, state: StoredLink.parse(stored) }
    case 'comments_off':
    case 'cover':
      return { kind, state: StoredSetting.parse(stored) }
    case 'as_asked':
      return { kind, state: StoredAsAsked.parse(stored) }
  }
}

export function followUpColumns(record: FollowUpRecord) {
  const { kind: state, ...data } = record.state
  const since = needsAttentionSince(record)
  return {
    state,
    data: JSON.stringify(withoutWords(data)),
    attention_at: since === null ? null : new Date(since),
  }
}

type Wanted = { readonly record: FollowUpRecord; readonly wakeAt: number | null }

export function wantedFollowUps(
  delivery: { readonly platform: PlatformId; readonly options: Readonly<Record<string, unknown>> },
  before: DeliveryState,
  after: DeliveryState,
): readonly Wanted[] {
  if (after.kind !== 'published' || before.kind === 'published') return []
  const wanted: Wanted[] = []
  if (typeof delivery.options['first_comment'] === 'string') {
    const doubtedSince = findDoubtedSince(before)
    wanted.push(
      doubtedSince === null
        ? { record: { kind: 'first_comment', state: initialComment(after.at) }, wakeAt: after.at }
        : { record: { kind: 'first_comment', state: heldComment(doubtedSince, after.at) }, wakeAt: null },
    )
  }
  if (delivery.options['comment_enabled'] === false) {
    wanted.push({ record: { kind: 'comments_off', state: initialSetting(after.at) }, wakeAt: after.at })
  }
  const picture = PICTURE_OPTIONS[delivery.platform]
  if (PICTURE_SET_LATER[delivery.platform] && picture !== null && delivery.options[picture] !== undefined) {
    wanted.push({ record: { kind: 'cover', state: initialSetting(after.at) }, wakeAt: after.at })
  }
  // A post that the user found by hand, without an id, cannot be looked at.
  if (LOOKED_AT_LATER[delivery.platform] && after.postId !== null) {
    wanted.push({ record: { kind: 'as_asked', state: initialAsAsked(after.at) }, wakeAt: after.at })
  }
  // A post that the user found by hand, and that leaves nothing to ask by, has no link.
  const canAsk = after.session !== null || after.postId !== null
  if (after.url === null && canAsk && tellsLink[delivery.platform](delivery.options)) {
    const wakeAt = after.at + (LINK_ASKED_S[delivery.platform][0] ?? 0) * 1000
    wanted.push({ record: { kind: 'public_link', state: initialLink(after.at) }, wakeAt })
  }
  return wanted
}

/** The time (epoch ms) since which another copy of the data may have published the post and added its comment; null: none did. */
function findDoubtedSince(state: DeliveryState): number | null {
  if (state.kind === 'unconfirmed' && state.restored) return state.since
  return state.kind === 'blocked' && state.cause === 'restored' ? (state.dueAt ?? 0) : null
}

/**
 * Part of the save that makes a delivery published, so that there is never one without the other.
 * @param it.goesOutAt null: its post was deleted here. A draft in an inbox may be posted there after that.
 */
export async function addFollowUps(
  trx: Db,
  delivery: { readonly deliveryId: number; readonly userId: number; readonly goesOutAt: Date | null },
  wanted: readonly Wanted[],
): Promise<void> {
  if (wanted.length === 0 || delivery.goesOutAt === null) return
  const adds = trx
    .insertInto('follow_ups')
    .values(
      wanted.map(({ record, wakeAt }) => ({
        delivery_id: delivery.deliveryId,
        user_id: delivery.userId,
        kind: record.kind,
        ...followUpColumns(record),
        wake_at: wakeAt === null ? null : new Date(wakeAt),
      })),
    )
    .onConflict((oc) => oc.columns(['delivery_id', 'kind']).doNothing())
  await sql`with added as (${adds}) select ${tellWake}`.execute(trx)
}

/** Part of the deletion of a post: follow-ups that wait are not begun. Those that may be public are still looked for. */
export async function deleteWaitingFollowUps(trx: Db, postId: number): Promise<void> {
  // A save locks its delivery, then one follow-up after another: without this lock the two could wait for each other.
  const deliveries = await trx
    .selectFrom('deliveries')
    .select('delivery_id')
    .where('post_id', '=', postId)
    .orderBy('delivery_id')
    .forUpdate()
    .execute()
  await trx
    .deleteFrom('follow_ups')
    .where('state', '=', 'waiting')
    .where(
      'delivery_id',
      'in',
      deliveries.map(({ delivery_id }) => delivery_id),
    )
    .execute()
}

/** Selects the follow-ups of a delivery's row, as `toFollowUps` reads them. */
export const followUpsOfDelivery = sql`
  (select jsonb_agg(jsonb_build_object('kind', kind, 'state', state, 'data', data) order by kind)
   from follow_ups where follow_ups.delivery_id = deliveries.delivery_id)`

const Aggregated = z
  .array(
    z.object({ kind: FollowUpKind, state: z.string(), data: z.looseObject({ url: z.string().nullish() }) }),
  )
  .nullable()
  .transform((rows) => rows ?? [])

export const toFollowUps = (deliveryId: number, aggregated: unknown): FollowUp[] =>
  Aggregated.parse(aggregated).map((row): FollowUp => {
    try {
      return viewFollowUp(readFollowUp(row))
    } catch (error) {
      // A schema says no by throwing; the delivery is shown all the same.
      warnOfUnreadable('follow-up', deliveryId, error)
      return { kind: row.kind, ...UNREADABLE }
    }
  })

/** The link that was told after the publication. */
export const linkToldLater = (aggregated: unknown): string | null =>
  Aggregated.parse(aggregated).find(({ kind }) => kind === 'public_link')?.data['url'] ?? null

const UNREADABLE: Omit<FollowUp, 'kind'> = {
  status: 'unconfirmed',
  message: 'This version of Reelay cannot read what became of it.',
  remedy: 'Look at the post, and contact the person who runs this server.',
  needs_attention: true,
  actions: [],
}
