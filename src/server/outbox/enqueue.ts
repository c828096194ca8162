import { sql } from 'kysely'
import type { Db } from '#base/db/open.ts'

/** Trouble that heals within this time causes no notification. */
const HEAL_MS = 15 * 60_000
/** New trouble postpones the check of a post, but not beyond this time after the first. */
const CHECK_WITHIN_MS = 3_600_000

/**
 * Part of the transaction in which a delivery of this post gets into trouble: enqueues one check of the post for all of its
 * accounts. The row stays locked until that transaction ends, so that no check misses what it did.
 */
export async function enqueuePostCheck(
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
        not_before: sql<Date>`least(excluded.not_before, outbox.created_at + ${CHECK_WITHIN_MS} * interval '1 millisecond')`,
        leased_until: null,
      }),
    )
    .execute()
}

/** Part of the transaction in which an account loses its access; the notification also counts the posts that wait for it. */
export async function enqueueAccountCheck(
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

/** The user's next digest, sent at `at` or earlier if it was due earlier. @returns its id */
export async function addToDigest(
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
