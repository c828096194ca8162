import { Client } from 'pg'
import type { Logger } from 'pino'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#base/db/open.ts'

/**
 * A changed delivery, sent between processes. `eventId: null`: only its progress changed. `deliveryId: null`: the user's
 * sessions changed, so their event streams must authenticate again; with `notifications`, their notifications changed.
 */
export type DeliveryNews = {
  readonly deliveryId: number | null
  readonly userId: number
  readonly eventId: number | null
  readonly notifications?: true
}

/** Messages between processes over LISTEN/NOTIFY. They only shorten polling: a notification during a lost connection is lost. */
export type Bus = {
  onWake(listener: () => void): () => void
  onNews(listener: (news: DeliveryNews) => void): () => void
  /** Called when the connection is back and news may have been lost. */
  onGap(listener: () => void): () => void
  close(): Promise<void>
}

const WAKE = 'reelay_wake'
const NEWS = 'reelay_news'
const RECONNECT_MS = 1000
const CONNECT_MAX_MS = 10_000

/** Within a transaction it is sent on commit, never after a rollback. */
export async function notifyWake(db: Db): Promise<void> {
  await sql`select pg_notify(${WAKE}, '')`.execute(db)
}
export async function notifyNews(db: Db, news: DeliveryNews): Promise<void> {
  await sql`select pg_notify(${NEWS}, ${JSON.stringify(news)})`.execute(db)
}

export const tellWake = sql`pg_notify(${sql.lit(WAKE)}, '')`
export const tellNews = (
  deliveryId: RawBuilder<number>,
  userId: RawBuilder<number>,
  eventId: RawBuilder<number>,
) =>
  sql`pg_notify(${sql.lit(NEWS)}, json_build_object('deliveryId', ${deliveryId}, 'userId', ${userId}, 'eventId', ${eventId})::text)`

export const notifyNotifications = (db: Db, userId: number): Promise<void> =>
  notifyNews(db, { userId, deliveryId: null, eventId: null, notifications: true })

export async function openBus(url: string, log: Logger): Promise<Bus> {
  const wakeListeners = new Set<() => void>()
  const newsListeners = new Set<(news: DeliveryNews) => void>()
  const gapListeners = new Set<() => void>()
  let closed = false
  let client: Client | null = null
  let retry: NodeJS.Timeout | null = null

  const connect = async () => {
    const next = new Client({
      connectionString: url,
      application_name: 'reelay bus',
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MAX_MS,
    })
    next.on('notification', ({ channel, payload }) => {
      if (channel === WAKE) wakeListeners.forEach((listener) => listener())
      // `notifyNews` wrote the payload.
      if (channel === NEWS && payload) {
        const news = JSON.parse(payload) as DeliveryNews
        newsListeners.forEach((listener) => listener(news))
      }
    })
    next.on('error', () => next.removeAllListeners('notification'))
    next.on('end', () => {
      // A connection that never listened ends too; its opener gets the error.
      if (client !== next) return
      client = null
      if (closed) return
      log.warn('lost the database connection for notifications; reconnecting')
      retry = setTimeout(reconnect, RECONNECT_MS)
    })
    await next
      .connect()
      .then(() => next.query(`listen ${WAKE}; listen ${NEWS}`))
      .catch(async (error: unknown) => {
        await next.end()
        throw error
      })
    if (closed) return next.end()
    client = next
    wakeListeners.forEach((listener) => listener())
    gapListeners.forEach((listener) => listener())
  }
  const reconnect = () => {
    connect().catch((error: unknown) => {
      log.warn({ err: error }, 'cannot connect for notifications; trying again')
      if (!closed) retry = setTimeout(reconnect, RECONNECT_MS)
    })
  }

  await connect()
  return {
    onWake: (listener) => subscribe(wakeListeners, listener),
    onNews: (listener) => subscribe(newsListeners, listener),
    onGap: (listener) => subscribe(gapListeners, listener),
    async close() {
      closed = true
      if (retry) clearTimeout(retry)
      await client?.end()
    },
  }
}

function subscribe<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
