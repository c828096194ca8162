import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { z } from 'zod'
import { WebhookBody, type WebhookEvent } from '#contract/webhooks.ts'
import type { Db } from '#base/db/open.ts'
import { notifyWake } from '../db/bus.ts'

export type EventType = WebhookBody['type']

/** The webhooks of users, by user. */
export type Listeners = ReadonlyMap<number, readonly Listener[]>
type Listener = {
  readonly webhookId: number
  readonly events: readonly string[]
  readonly isOn: boolean
}

/** One look-up for all of them, which is all that users without webhooks cost. */
export async function findListeners(db: Db, userIds: readonly number[]): Promise<Listeners> {
  const rows = await db
    .selectFrom('webhooks')
    .select(['user_id', 'webhook_id', 'events', 'off_at'])
    .where('user_id', '=', sql<number>`any(${[...new Set(userIds)]}::bigint[])`)
    .orderBy('webhook_id')
    .execute()
  return Map.groupBy(
    rows.map((row) => ({
      userId: row.user_id,
      webhookId: row.webhook_id,
      events: row.events,
      isOn: row.off_at === null,
    })),
    ({ userId }) => userId,
  )
}

const isWantedBy = ({ events }: Listener, type: EventType): boolean =>
  events.some((event) => event === type || (event === ALL_OF_DELIVERIES && type.startsWith('delivery.')))
const ALL_OF_DELIVERIES: WebhookEvent = 'delivery.*'

export const isWanted = (listeners: Listeners, userId: number, type: EventType): boolean =>
  (listeners.get(userId) ?? []).some((listener) => isWantedBy(listener, type))

/** What happened, as the body of a message without what every body has. */
type WithoutHead<B> = B extends { type: string } ? Omit<B, 'id' | 'timestamp'> : never
type Content = WithoutHead<z.input<typeof WebhookBody>>
/** The data of an event of this type. */
export type EventData<T extends EventType> = Extract<Content, { type: T }>['data']
export type NewEvent = Content & { readonly userId: number }

/**
 * Part of the transaction that changes what the events tell of, so that there is never one without the other. A webhook that is off
 * gets them into its log, from which its user can send them later.
 */
export async function recordEvents(
  trx: Db,
  listeners: Listeners,
  events: readonly NewEvent[],
  now: number,
): Promise<void> {
  const at = new Date(now)
  const rows = events.flatMap(({ userId, ...event }) => {
    const wanting = (listeners.get(userId) ?? []).filter((listener) => isWantedBy(listener, event.type))
    if (wanting.length === 0) return []
    const eventId = randomUUID()
    // Parsing drops what the contract does not name.
    const body = JSON.stringify(WebhookBody.parse({ id: eventId, timestamp: at.toISOString(), ...event }))
    return wanting.map(({ webhookId, isOn }) => ({
      webhook_id: webhookId,
      event_id: eventId,
      type: event.type,
      body,
      created_at: at,
      tried_since: at,
      wake_at: isOn ? at : null,
      failure: isOn ? null : 'off',
    }))
  })
  if (rows.length === 0) return
  await trx.insertInto('webhook_messages').values(rows).execute()
  await notifyWake(trx)
}

/** Records one event of a user. `read` is called if a webhook wants it. */
export async function recordEvent(
  trx: Db,
  { userId, type, now }: { readonly userId: number; readonly type: EventType; readonly now: number },
  read: () => Content,
): Promise<void> {
  const listeners = await findListeners(trx, [userId])
  if (isWanted(listeners, userId, type)) await recordEvents(trx, listeners, [{ userId, ...read() }], now)
}
