import { sql } from 'kysely'
import { z } from 'zod'
import { concernsAccount, mayHeal, type Trouble } from '#domain/notifications/compose.ts'
import type { Db } from '#base/db/open.ts'
import { notifyWake } from '../db/bus.ts'

const Stage = z.enum(['gathering', 'closed', 'handed_over'])
export type DigestStage = z.infer<typeof Stage>

type ClaimedEvent = {
  readonly eventId: string
  readonly userId: number
  /** Includes this claim; also the fencing token. */
  readonly attempts: number
  readonly createdAt: Date
}
export type PostCheck = ClaimedEvent & { readonly kind: 'post'; readonly postId: number }
export type AccountCheck = ClaimedEvent & { readonly kind: 'account'; readonly accountId: number }
export type WebhookCheck = ClaimedEvent & { readonly kind: 'webhook'; readonly webhookId: number }
/** `stage` `handed_over`: an earlier process handed it to the mail server without recording the result. */
export type DigestEvent = ClaimedEvent & { readonly kind: 'mail'; readonly stage: DigestStage }
export type Check = PostCheck | AccountCheck | WebhookCheck
export type OutboxEvent = Check | DigestEvent

/** Claims the next due event, checks before mails: a slow mail server must not delay notifications in the app. */
export async function claimEvent(
  db: Db,
  { now, leaseMs }: { readonly now: number; readonly leaseMs: number },
): Promise<OutboxEvent | null> {
  const at = new Date(now)
  const row = await db
    .updateTable('outbox')
    .set((event) => ({ leased_until: new Date(now + leaseMs), attempts: event('attempts', '+', 1) }))
    .where('event_id', '=', (select) =>
      select
        .selectFrom('outbox')
        .select('event_id')
        .where('not_before', '<=', at)
        .where((event) => event.or([event('leased_until', 'is', null), event('leased_until', '<=', at)]))
        .orderBy(sql`kind = 'mail'`)
        .orderBy('not_before')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .executeTakeFirst()
  if (!row) return null
  const claimed = {
    eventId: row.event_id,
    userId: row.user_id,
    attempts: row.attempts,
    createdAt: row.created_at,
  }
  if (row.post_id !== null) return { ...claimed, kind: 'post', postId: row.post_id }
  if (row.account_id !== null) return { ...claimed, kind: 'account', accountId: row.account_id }
  if (row.webhook_id !== null) return { ...claimed, kind: 'webhook', webhookId: row.webhook_id }
  return { ...claimed, kind: 'mail', stage: Stage.parse(row.stage) }
}

/** The next time (epoch ms) at which a future event becomes due. */
export async function nextEventAt(db: Db, now: number): Promise<number | null> {
  const { next } = await db
    .selectFrom('outbox')
    .select((event) => event.fn.min('not_before').as('next'))
    .where('not_before', '>', new Date(now))
    .executeTakeFirstOrThrow()
  return next?.getTime() ?? null
}

/** Selects the row unless another process claimed it. */
const ownClaim = ({ eventId, attempts }: ClaimedEvent) => ({ event_id: eventId, attempts })

/**
 * Begins a check by deleting its row, which waits for transactions that enqueue it again: the check then sees their
 * trouble. @returns false if the row was postponed or claimed by another process
 */
export async function consumeCheck(trx: Db, check: Check, now: number): Promise<boolean> {
  const row = await trx
    .deleteFrom('outbox')
    .where((event) => event.and(ownClaim(check)))
    .where('not_before', '<=', new Date(now))
    .returning('event_id')
    .executeTakeFirst()
  return row !== undefined
}

/** @returns false if another process claimed it meanwhile */
export async function setDigestStage(db: Db, mail: DigestEvent, stage: DigestStage): Promise<boolean> {
  const row = await db
    .updateTable('outbox')
    .set({ stage })
    .where((event) => event.and(ownClaim(mail)))
    .returning('event_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function postponeEvent(db: Db, event: OutboxEvent, until: number): Promise<void> {
  await db
    .updateTable('outbox')
    .set({ not_before: new Date(until), leased_until: null })
    .where((row) => row.and(ownClaim(event)))
    .execute()
}

export async function deleteEvent(db: Db, event: OutboxEvent): Promise<void> {
  await db
    .deleteFrom('outbox')
    .where((row) => row.and(ownClaim(event)))
    .execute()
}

/** The least time between two notifications about the same post or account: accounts of a post often fail together. */
const APART_MS = 10_000
/** Trouble that may heal, and does within this time, causes no notification. */
const HEAL_MS = 15 * 60_000
/** New trouble that may heal postpones the check, but not beyond this time after the first. */
const CHECK_WITHIN_MS = 3_600_000

/**
 * Runs in the transaction that brings a delivery into trouble: enqueues one check of its post for all its accounts, or of
 * its account for all its posts. The row stays locked until that transaction ends, so that no check misses the trouble.
 */
export const enqueueTroubleCheck = (
  trx: Db,
  trouble: {
    readonly userId: number
    readonly postId: number
    readonly accountId: number
    readonly trouble: Trouble
    readonly now: number
  },
): Promise<void> =>
  enqueueCheck(trx, {
    userId: trouble.userId,
    about: concernsAccount(trouble.trouble)
      ? { kind: 'account', account_id: trouble.accountId }
      : { kind: 'post', post_id: trouble.postId },
    healMs: mayHeal(trouble.trouble) ? HEAL_MS : 0,
    now: trouble.now,
  })

/** Runs in the transaction in which an account loses its access, or when that is about to happen. */
export const enqueueAccountCheck = (
  trx: Db,
  account: { readonly userId: number; readonly accountId: number; readonly now: number },
): Promise<void> =>
  enqueueCheck(trx, {
    userId: account.userId,
    about: { kind: 'account', account_id: account.accountId },
    healMs: 0,
    now: account.now,
  })

/** Runs in the transaction in which a webhook is switched off. */
export const enqueueWebhookCheck = (
  trx: Db,
  webhook: { readonly userId: number; readonly webhookId: number; readonly now: number },
): Promise<void> =>
  enqueueCheck(trx, {
    userId: webhook.userId,
    about: { kind: 'webhook', webhook_id: webhook.webhookId },
    healMs: 0,
    now: webhook.now,
  })

type NewCheck = {
  readonly userId: number
  readonly about:
    | { readonly kind: 'post'; readonly post_id: number }
    | { readonly kind: 'account'; readonly account_id: number }
    | { readonly kind: 'webhook'; readonly webhook_id: number }
  readonly healMs: number
  readonly now: number
}

async function enqueueCheck(trx: Db, { userId, about, healMs, now }: NewCheck): Promise<void> {
  const { kind, ...subject } = about
  const last = await trx
    .selectFrom('notifications')
    .select(({ fn }) => fn.max('at').as('at'))
    .where((row) => row.and(subject))
    .executeTakeFirst()
  const soonest = Math.max(now, (last?.at?.getTime() ?? 0) + APART_MS)
  await trx
    .insertInto('outbox')
    .values({
      kind,
      user_id: userId,
      ...subject,
      not_before: new Date(Math.max(soonest, now + healMs)),
      created_at: new Date(now),
    })
    .onConflict((conflict) =>
      conflict.column(`${kind}_id`).doUpdateSet({
        not_before: sql<Date>`case when outbox.not_before <= ${new Date(soonest)} then outbox.not_before
          else least(excluded.not_before, outbox.created_at + ${CHECK_WITHIN_MS} * interval '1 millisecond') end`,
        leased_until: null,
      }),
    )
    .execute()
  await notifyWake(trx)
}

/** The user's next digest is sent at `at`, or earlier if it was due earlier. @returns its id */
export async function addToDigest(
  trx: Db,
  input: { readonly userId: number; readonly at: number; readonly now: number },
): Promise<string> {
  const row = await trx
    .insertInto('outbox')
    .values({
      kind: 'mail',
      user_id: input.userId,
      not_before: new Date(input.at),
      created_at: new Date(input.now),
    })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        // A prepared statement uses a partial index only if its condition is literal.
        .where(sql<boolean>`kind = 'mail' and stage = 'gathering'`)
        .doUpdateSet({ not_before: sql<Date>`least(outbox.not_before, excluded.not_before)` }),
    )
    .returning('event_id')
    .executeTakeFirstOrThrow()
  return row.event_id
}
