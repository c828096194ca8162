import { type Selectable, sql, type Updateable } from 'kysely'
import { WEBHOOKS_MAX } from '#contract/limits.ts'
import { type NewWebhook, type Webhook, WebhookEvent } from '#contract/webhooks.ts'
import type { Db } from '#base/db/open.ts'
import type { Webhooks } from '#base/db/tables.ts'
import { notFound } from '#base/problem.ts'

type WebhookRow = Selectable<Webhooks>
export type WebhookKey = { readonly userId: number; readonly webhookId: number }

export async function listWebhooks(db: Db, userId: number, now: number): Promise<Webhook[]> {
  const rows = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('webhook_id')
    .execute()
  return rows.map((row) => toWebhook(row, now))
}

/** @throws Problem not_found */
export async function getWebhook(db: Db, { userId, webhookId }: WebhookKey, now: number): Promise<Webhook> {
  const row = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!row) throw notFound('webhook')
  return toWebhook(row, now)
}

const toWebhook = (row: WebhookRow, now: number): Webhook => ({
  webhook_id: row.webhook_id as Webhook['webhook_id'], // ids come out of the database unbranded
  address: row.address,
  // One that a later version knows is not shown.
  events: row.events.flatMap((event) => WebhookEvent.safeParse(event).data ?? []),
  status: statusOf(row),
  off_since: row.off_at?.toISOString() ?? null,
  succeeded_at: row.succeeded_at?.toISOString() ?? null,
  failed_at: row.failed_at?.toISOString() ?? null,
  rotating_until:
    row.old_secret_until && row.old_secret_until.getTime() > now ? row.old_secret_until.toISOString() : null,
  created_at: row.created_at.toISOString(),
})

function statusOf({ off_by, failed_at, succeeded_at }: WebhookRow): Webhook['status'] {
  if (off_by !== null) return off_by === 'user' ? 'off' : 'switched_off'
  return failed_at !== null && (succeeded_at === null || succeeded_at < failed_at) ? 'failing' : 'on'
}

/** No other transaction adds a webhook of the user until this one ends. @returns true at the maximum number */
export async function lockHasAllWebhooks(trx: Db, userId: number): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks ${userId}`}, 0))`.execute(trx)
  const rows = await trx
    .selectFrom('webhooks')
    .select('webhook_id')
    .where('user_id', '=', userId)
    .limit(WEBHOOKS_MAX)
    .execute()
  return rows.length === WEBHOOKS_MAX
}

export async function insertWebhook(
  trx: Db,
  webhook: NewWebhook & { readonly userId: number; readonly secret: Buffer; readonly now: number },
): Promise<number> {
  const { webhook_id: webhookId } = await trx
    .insertInto('webhooks')
    .values({
      user_id: webhook.userId,
      address: webhook.address,
      events: webhook.events,
      secret: webhook.secret,
      created_at: new Date(webhook.now),
    })
    .returning('webhook_id')
    .executeTakeFirstOrThrow()
  return webhookId
}

/** @throws Problem not_found */
export async function updateWebhook(
  db: Db,
  { userId, webhookId }: WebhookKey,
  values: Updateable<Webhooks>,
): Promise<void> {
  // Nothing to change is no error, and an update needs a value.
  const { numUpdatedRows } = await db
    .updateTable('webhooks')
    .set({ user_id: userId, ...values })
    .where('webhook_id', '=', webhookId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw notFound('webhook')
}

/** The present secret becomes the old one. @throws Problem not_found */
export async function rotateSecret(
  db: Db,
  { userId, webhookId }: WebhookKey,
  { secret, oldUntil }: { readonly secret: Buffer; readonly oldUntil: number },
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('webhooks')
    .set((webhook) => ({
      old_secret: webhook.ref('secret'),
      old_secret_until: new Date(oldUntil),
      secret,
    }))
    .where('webhook_id', '=', webhookId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw notFound('webhook')
}

export async function deleteWebhook(db: Db, { userId, webhookId }: WebhookKey): Promise<void> {
  await db.deleteFrom('webhooks').where('webhook_id', '=', webhookId).where('user_id', '=', userId).execute()
}

/** Switches a webhook off to which nothing was delivered since then. @returns its user; null: it was, or it is off */
export async function switchOff(
  trx: Db,
  { webhookId, since, now }: { readonly webhookId: number; readonly since: Date; readonly now: number },
): Promise<{ readonly userId: number } | null> {
  const row = await trx
    .updateTable('webhooks')
    .set({ off_at: new Date(now), off_by: 'failures' })
    .where('webhook_id', '=', webhookId)
    .where('off_at', 'is', null)
    .where((webhook) =>
      webhook.or([webhook('succeeded_at', 'is', null), webhook('succeeded_at', '<', since)]),
    )
    .returning('user_id')
    .executeTakeFirst()
  return row ? { userId: row.user_id } : null
}

/** For the notification: null if it is deleted or on again. */
export async function findSwitchedOff(
  db: Db,
  webhookId: number,
): Promise<{ readonly address: string; readonly offAt: Date } | null> {
  const row = await db
    .selectFrom('webhooks')
    .select(['address', 'off_at', 'off_by'])
    .where('webhook_id', '=', webhookId)
    .executeTakeFirst()
  return row?.off_at && row.off_by === 'failures' ? { address: row.address, offAt: row.off_at } : null
}
