import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import {
  WEBHOOK_LOG_DAYS,
  WEBHOOK_LOG_MAX,
  WEBHOOK_MESSAGES_PER_PAGE,
  WEBHOOK_RESEND_MAX,
} from '#contract/limits.ts'
import {
  WebhookBody,
  WebhookFailure,
  type WebhookMessage,
  type WebhookMessageDetail,
} from '#contract/webhooks.ts'
import type { Db } from '#base/db/open.ts'
import type { WebhookMessages } from '#base/db/tables.ts'
import { notFound } from '#base/problem.ts'
import { notifyWake } from '../db/bus.ts'

/** A worker's hold on a message; `attempts` includes this one and tells it from every other. */
export type MessageClaim = {
  readonly messageId: number
  readonly webhookId: number
  readonly eventId: string
  readonly type: string
  readonly body: string
  readonly triedSince: Date
  readonly attempts: number
  readonly address: string
  readonly secret: Buffer
  /** null: only one secret signs. */
  readonly oldSecret: Buffer | null
}

/** A webhook whose last attempt failed, or that never answered yet. */
const isDoubtful = sql`(w.succeeded_at is null or coalesce(w.failed_at > w.succeeded_at, false))`

/**
 * Claims due messages, none of users who are disabled, and from each webhook as many as it has room for: of each a first one before of
 * any a second one, and then those of webhooks that answer. Otherwise a few with many old messages, which answer slowly, could hold all
 * places. A claim ends by itself at `now` + `leaseMs`, when the message is due again. Only the claimed rows are locked: those that another
 * process claims meanwhile are its own.
 */
export async function claimMessages(
  db: Db,
  request: {
    readonly now: number
    readonly leaseMs: number
    readonly limit: number
    /** Messages of a webhook at a time, and of one that failed last or never answered yet. */
    readonly each: { readonly proven: number; readonly doubtful: number }
    readonly running: readonly Pick<MessageClaim, 'webhookId'>[]
  },
): Promise<MessageClaim[]> {
  const { now, leaseMs, limit, each } = request
  if (limit <= 0) return []
  const at = new Date(now)
  const running = [...Map.groupBy(request.running, ({ webhookId }) => webhookId)].map(([id, jobs]) => ({
    webhook_id: id,
    jobs: jobs.length,
  }))
  const { rows } = await sql<MessageClaim>`
    with due as (
      select found.message_id, row_number() over (partition by w.webhook_id order by found.wake_at, found.message_id)
        + coalesce(busy.jobs, 0) as nth
      from webhooks w
      join users on users.user_id = w.user_id and users.disabled_at is null
      left join json_to_recordset(${JSON.stringify(running)}) as busy (webhook_id bigint, jobs int) using (webhook_id)
      cross join lateral (
        select message_id, wake_at from webhook_messages m where m.webhook_id = w.webhook_id and m.wake_at <= ${at}
        order by wake_at, message_id
        limit greatest(0, case when ${isDoubtful} then ${each.doubtful}::int else ${each.proven}::int end - coalesce(busy.jobs, 0))
      ) found
      order by nth, ${isDoubtful}, found.wake_at, found.message_id limit ${limit}
    ), locked as (
      select message_id from webhook_messages where message_id in (select message_id from due) and wake_at <= ${at}
      for update skip locked
    )
    update webhook_messages m set wake_at = ${new Date(now + leaseMs)}, attempts = m.attempts + 1
    from locked, webhooks w where m.message_id = locked.message_id and w.webhook_id = m.webhook_id
    returning m.message_id as "messageId", m.webhook_id as "webhookId", m.event_id as "eventId", m.type, m.body,
      m.tried_since as "triedSince", m.attempts, w.address, w.secret,
      case when w.old_secret_until > ${at} then w.old_secret end as "oldSecret"`.execute(db)
  return rows
}

/** The next time at which a message falls due that is not due yet (epoch ms). */
export async function nextMessageAt(db: Db, now: number): Promise<number | null> {
  const { rows } = await sql<{ next: Date | null }>`
    select min(first.wake_at) as next from webhooks w cross join lateral (
      select wake_at from webhook_messages m where m.webhook_id = w.webhook_id and m.wake_at > ${new Date(now)}
      order by wake_at limit 1) first`.execute(db)
  return rows[0]?.next?.getTime() ?? null
}

/** The times of a webhook's last success and failure are kept to this, so that not each message writes its row. */
const NOTED_APART = sql`interval '1 minute'`

type Attempt = {
  readonly at: Date
  /** null: there was no answer. */
  readonly status: number | null
  readonly answer: string | null
}

/** Saves a success, unless the claim is over: then another attempt says what became of the message. */
export async function saveDelivered(
  db: Db,
  { messageId, attempts }: MessageClaim,
  attempt: Attempt,
): Promise<void> {
  const { at, status, answer } = attempt
  await sql`
    with done as (
      update webhook_messages set wake_at = null, delivered_at = ${at}, attempted_at = ${at}, status = ${status},
        answer = ${answer}, failure = null
      where message_id = ${messageId} and attempts = ${attempts} returning webhook_id)
    update webhooks w set succeeded_at = ${at} from done where w.webhook_id = done.webhook_id
      and (w.succeeded_at is null or w.succeeded_at < ${at}::timestamptz - ${NOTED_APART} or w.failed_at > w.succeeded_at)`.execute(
    db,
  )
}

/**
 * Saves a failed attempt. What was messages before its webhook was turned off is not tried again.
 * @param next when it is tried again (epoch ms); null: no more
 */
export async function saveFailed(
  db: Db,
  { messageId, attempts }: MessageClaim,
  {
    at,
    status,
    answer,
    failure,
    next,
  }: Attempt & { readonly failure: WebhookFailure; readonly next: number | null },
): Promise<void> {
  const wakeAt = next === null ? null : new Date(next)
  await sql`
    with done as (
      update webhook_messages m set attempted_at = ${at}, status = ${status}, answer = ${answer}, failure = ${failure},
        wake_at = case when w.off_at >= m.tried_since then null else ${wakeAt}::timestamptz end
      from webhooks w where w.webhook_id = m.webhook_id and m.message_id = ${messageId} and m.attempts = ${attempts}
      returning m.webhook_id)
    update webhooks w set failed_at = ${at} from done where w.webhook_id = done.webhook_id
      and (w.failed_at is null or w.failed_at < ${at}::timestamptz - ${NOTED_APART} or w.succeeded_at >= w.failed_at)`.execute(
    db,
  )
}

/** Ends a claim without an attempt: the message is due at once. */
export async function releaseMessage(
  db: Db,
  { messageId, attempts }: MessageClaim,
  now: number,
): Promise<void> {
  await db
    .updateTable('webhook_messages')
    .set({ wake_at: new Date(now) })
    .where('message_id', '=', messageId)
    .where('attempts', '=', attempts)
    .where('wake_at', 'is not', null)
    .execute()
}

/** Rows that one statement changes or deletes. */
const AT_ONCE = 1000

/** What waits is not sent by itself any more; it stays in the log. Call it until it returns false. @param before epoch ms */
export async function stopWaiting(
  db: Db,
  which: { readonly webhookId: number } | { readonly before: number },
  failure: 'off' | 'restored',
): Promise<boolean> {
  const waiting = db.selectFrom('webhook_messages').select('message_id').where('wake_at', 'is not', null)
  const chosen =
    'webhookId' in which
      ? waiting.where('webhook_id', '=', which.webhookId)
      : waiting.where('tried_since', '<', new Date(which.before))
  const { numUpdatedRows } = await db
    .updateTable('webhook_messages')
    .set({ wake_at: null, failure })
    .where('message_id', 'in', chosen.limit(AT_ONCE).forUpdate())
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes some of a webhook's messages. Call it until it returns false. */
export async function deleteMessages(db: Db, webhookId: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('webhook_messages')
    .where('message_id', 'in', (some) =>
      some
        .selectFrom('webhook_messages')
        .select('message_id')
        .where('webhook_id', '=', webhookId)
        .limit(AT_ONCE),
    )
    .executeTakeFirst()
  return numDeletedRows > 0n
}

const LOG_MS = WEBHOOK_LOG_DAYS * 86_400_000

/** @param max messages of each webhook that are kept */
export async function deleteOldMessages(db: Db, now: number, max: number = WEBHOOK_LOG_MAX): Promise<void> {
  const before = now - LOG_MS
  await sql`delete from webhook_messages m using webhooks w
    where m.webhook_id = w.webhook_id and m.created_at < ${new Date(before)}`.execute(db)
  await sql`delete from webhook_messages m using webhooks w cross join lateral (
      select created_at, message_id from webhook_messages where webhook_id = w.webhook_id
      order by created_at desc, message_id desc offset ${max} limit 1) first
    where m.webhook_id = w.webhook_id and m.wake_at is null
      and (m.created_at, m.message_id) <= (first.created_at, first.message_id)`.execute(db)
  // A post without a row begins anew, at a number that is higher still.
  await db.deleteFrom('webhook_posts').where('sequence', '<', before).execute()
  await db
    .updateTable('webhooks')
    .set({ old_secret: null, old_secret_until: null })
    .where('old_secret_until', '<', new Date(now))
    .execute()
}

type MessageRow = Selectable<WebhookMessages>
const LISTED = [
  'm.message_id',
  'm.event_id',
  'm.type',
  'm.created_at',
  'm.wake_at',
  'm.attempts',
  'm.attempted_at',
  'm.delivered_at',
  'm.status',
  'm.failure',
] as const

const toMessage = (
  row: Omit<MessageRow, 'body' | 'answer' | 'tried_since' | 'webhook_id'>,
): WebhookMessage => ({
  message_id: row.message_id as WebhookMessage['message_id'], // ids come out of the database unbranded
  event_id: row.event_id,
  type: row.type,
  created_at: row.created_at.toISOString(),
  status: row.wake_at !== null ? 'waiting' : row.delivered_at === null ? 'failed' : 'delivered',
  attempts: row.attempts,
  attempted_at: row.attempted_at?.toISOString() ?? null,
  next_at: row.wake_at?.toISOString() ?? null,
  delivered_at: row.delivered_at?.toISOString() ?? null,
  answer_status: row.status,
  failure: row.failure === null ? null : WebhookFailure.parse(row.failure),
})

type Own = { readonly userId: number; readonly webhookId: number }

const selectMessages = (db: Db, { userId, webhookId }: Own) =>
  db
    .selectFrom('webhook_messages as m')
    .innerJoin('webhooks as w', 'w.webhook_id', 'm.webhook_id')
    .where('m.webhook_id', '=', webhookId)
    .where('w.user_id', '=', userId)

/** The latest first. `cursor`: the time (epoch ms) and the id of the previous page's last one. */
export async function listMessages(
  db: Db,
  own: Own,
  cursor: string | undefined,
): Promise<{ readonly items: WebhookMessage[]; readonly next_cursor: string | null }> {
  const [ms, id] = cursor?.split('.').map(Number) ?? []
  const rows = await selectMessages(db, own)
    .select(LISTED)
    .$if(ms !== undefined && id !== undefined, (query) =>
      query.where(
        sql<boolean>`(m.created_at, m.message_id) < (${new Date(ms ?? 0)}::timestamptz, ${id}::bigint)`,
      ),
    )
    .orderBy('m.created_at', 'desc')
    .orderBy('m.message_id', 'desc')
    .limit(WEBHOOK_MESSAGES_PER_PAGE + 1)
    .execute()
  const shown = rows.slice(0, WEBHOOK_MESSAGES_PER_PAGE)
  const last = shown.at(-1)
  return {
    items: shown.map(toMessage),
    next_cursor:
      rows.length > shown.length && last ? `${last.created_at.getTime()}.${last.message_id}` : null,
  }
}

/** @throws Problem not_found */
export async function getMessage(db: Db, own: Own, messageId: number): Promise<WebhookMessageDetail> {
  const row = await selectMessages(db, own)
    .select([...LISTED, 'm.body', 'm.answer'])
    .where('m.message_id', '=', messageId)
    .executeTakeFirst()
  if (!row) throw notFound('message')
  return { ...toMessage(row), body: row.body, answer: row.answer }
}

export const TEST = 'webhook.test' satisfies WebhookBody['type']

/** Writes a test message. While one waits, that one is answered. */
export async function insertTest(trx: Db, own: Own, now: number): Promise<WebhookMessage> {
  const waiting = await selectMessages(trx, own)
    .select('m.message_id')
    .where('m.type', '=', TEST)
    .where('m.wake_at', 'is not', null)
    .executeTakeFirst()
  if (waiting) return getMessage(trx, own, waiting.message_id)
  const [eventId, at] = [randomUUID(), new Date(now)]
  const data = { webhook_id: own.webhookId }
  const { message_id: messageId } = await trx
    .insertInto('webhook_messages')
    .values({
      webhook_id: own.webhookId,
      event_id: eventId,
      type: TEST,
      body: JSON.stringify(WebhookBody.parse({ id: eventId, type: TEST, timestamp: at.toISOString(), data })),
      created_at: at,
      tried_since: at,
      wake_at: at,
    })
    .returning('message_id')
    .executeTakeFirstOrThrow()
  await notifyWake(trx)
  return getMessage(trx, own, messageId)
}

const triedSince = (now: number) => ({
  tried_since: new Date(now),
  wake_at: new Date(now),
  delivered_at: null,
  failure: null,
})

/** Sends a message again. One that waits is sent now. @throws Problem not_found */
export async function resendMessage(
  trx: Db,
  own: Own,
  messageId: number,
  now: number,
): Promise<WebhookMessage> {
  await getMessage(trx, own, messageId)
  await trx.updateTable('webhook_messages').set(triedSince(now)).where('message_id', '=', messageId).execute()
  await notifyWake(trx)
  return getMessage(trx, own, messageId)
}

/**
 * Sends again what was made since then, the oldest first, up to the limit of a call; what waits is left alone.
 * @returns how many, and the time (epoch ms) from which there are more; null: there are none
 */
export async function resendMessages(
  db: Db,
  webhookId: number,
  { since, undelivered, now }: { readonly since: Date; readonly undelivered: boolean; readonly now: number },
): Promise<{ readonly messages: number; readonly moreSince: Date | null }> {
  let messages = 0
  // What is sent meanwhile is newer.
  const select = (from: Date) =>
    db
      .selectFrom('webhook_messages')
      .select(['message_id', 'created_at'])
      .where('webhook_id', '=', webhookId)
      .where('created_at', '>=', from)
      .where('tried_since', '<', new Date(now))
      .where('wake_at', 'is', null)
      .where('type', '<>', TEST)
      .$if(undelivered, (query) => query.where('delivered_at', 'is', null))
      .orderBy('created_at')
      .orderBy('message_id')
  let from = since
  while (messages < WEBHOOK_RESEND_MAX) {
    const some = await select(from).limit(AT_ONCE).execute()
    const last = some.at(-1)
    if (last === undefined) break
    const { numUpdatedRows } = await db
      .updateTable('webhook_messages')
      .set(triedSince(now))
      .where('message_id', '=', sql<number>`any(${some.map(({ message_id }) => message_id)}::bigint[])`)
      .where('wake_at', 'is', null)
      .executeTakeFirst()
    messages += Number(numUpdatedRows)
    from = last.created_at
  }
  if (messages > 0) await notifyWake(db)
  const [next] = messages < WEBHOOK_RESEND_MAX ? [] : await select(from).limit(1).execute()
  return { messages, moreSince: next?.created_at ?? null }
}
