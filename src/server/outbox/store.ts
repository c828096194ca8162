import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '#base/db/open.ts'

/** What heals within this time tells nobody. */
const HEAL_MS = 15 * 60_000
/** A post that gets into new trouble again and again is told of after this at the latest. */
const LOOK_WITHIN_MS = 3_600_000

/**
 * Part of the transaction in which a delivery of this post gets into trouble: the post is looked at later, once for all of its
 * accounts. The row stays locked until that transaction ends, so that no look misses what it did.
 */
export async function schedulePostLook(
  trx: Db,
  it: { readonly userId: number; readonly postId: number; readonly now: number },
): Promise<void> {
  await trx
    .insertInto('outbox')
    .values({
      kind: 'post',
      user_id: it.userId,
      post_id: it.postId,
      not_before: new Date(it.now + HEAL_MS),
      created_at: new Date(it.now),
    })
    .onConflict((conflict) =>
      conflict.column('post_id').doUpdateSet({
        not_before: sql<Date>`least(excluded.not_before, outbox.created_at + ${LOOK_WITHIN_MS} * interval '1 millisecond')`,
        leased_until: null,
      }),
    )
    .execute()
}

/** Part of the transaction in which an account is to be linked again; what waits for it is told with it. */
export async function scheduleAccountLook(
  trx: Db,
  it: { readonly userId: number; readonly accountId: number; readonly now: number },
): Promise<void> {
  await trx
    .insertInto('outbox')
    .values({
      kind: 'account',
      user_id: it.userId,
      account_id: it.accountId,
      not_before: new Date(it.now + HEAL_MS),
      created_at: new Date(it.now),
    })
    .onConflict((conflict) =>
      conflict
        .column('account_id')
        .doUpdateSet((row) => ({ not_before: row.ref('excluded.not_before'), leased_until: null })),
    )
    .execute()
}

/** The mail that gathers what the user is told: sent at `at`, or earlier if it was to be. @returns its id */
export async function gatherInMail(
  trx: Db,
  it: { readonly userId: number; readonly at: number; readonly now: number },
): Promise<string> {
  const row = await trx
    .insertInto('outbox')
    .values({
      kind: 'mail',
      user_id: it.userId,
      not_before: new Date(it.at),
      created_at: new Date(it.now),
    })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .where('kind', '=', 'mail')
        .where('stage', '=', 'gathering')
        .doUpdateSet({ not_before: sql<Date>`least(outbox.not_before, excluded.not_before)` }),
    )
    .returning('event_id')
    .executeTakeFirstOrThrow()
  return row.event_id
}

const Stage = z.enum(['gathering', 'closed', 'handed_over'])
export type MailStage = z.infer<typeof Stage>

type Claimed = {
  readonly eventId: string
  readonly userId: number
  /** Counts this one; also the fencing token. */
  readonly attempts: number
  readonly createdAt: Date
}
export type PostLook = Claimed & { readonly kind: 'post'; readonly postId: number }
export type AccountLook = Claimed & { readonly kind: 'account'; readonly accountId: number }
/** `stage` `handed_over`: an earlier process was at it, and did not say what came of that. */
export type MailEvent = Claimed & { readonly kind: 'mail'; readonly stage: MailStage }
export type OutboxEvent = PostLook | AccountLook | MailEvent

/** Claims what is due, looks before mails: a mail server that is slow delays nobody's list. */
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
  return { ...claimed, kind: 'mail', stage: Stage.parse(row.stage) }
}

/** When the next falls due that is not due yet (epoch ms). */
export async function nextEventAt(db: Db, now: number): Promise<number | null> {
  const { next } = await db
    .selectFrom('outbox')
    .select((event) => event.fn.min('not_before').as('next'))
    .where('not_before', '>', new Date(now))
    .executeTakeFirstOrThrow()
  return next?.getTime() ?? null
}

/** The row, while this claim still holds it. */
const held = ({ eventId, attempts }: Claimed) => ({ event_id: eventId, attempts })

/**
 * Begins a look by ending its row: it waits for transactions that have just added something, whose trouble is then seen.
 * @returns false where the row was put off or claimed by another since
 */
export async function takeLook(trx: Db, look: PostLook | AccountLook, now: number): Promise<boolean> {
  const row = await trx
    .deleteFrom('outbox')
    .where((event) => event.and(held(look)))
    .where('not_before', '<=', new Date(now))
    .returning('event_id')
    .executeTakeFirst()
  return row !== undefined
}

/** @returns false where another has claimed it since */
export async function setStage(db: Db, mail: MailEvent, stage: MailStage): Promise<boolean> {
  const row = await db
    .updateTable('outbox')
    .set({ stage })
    .where((event) => event.and(held(mail)))
    .returning('event_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function postponeEvent(db: Db, event: OutboxEvent, until: number): Promise<void> {
  await db
    .updateTable('outbox')
    .set({ not_before: new Date(until), leased_until: null })
    .where((row) => row.and(held(event)))
    .execute()
}

export async function endEvent(db: Db, event: OutboxEvent): Promise<void> {
  await db
    .deleteFrom('outbox')
    .where((row) => row.and(held(event)))
    .execute()
}

/** Whether an account is about to be told of. */
export const isAccountLookDue = (db: Db, accountId: number): Promise<boolean> =>
  db
    .selectFrom('outbox')
    .select('event_id')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
    .then((row) => row !== undefined)
