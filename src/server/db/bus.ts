import { Client } from 'pg'
import type { Logger } from 'pino'
import { sql } from 'kysely'
import type { Db } from '#base/db/open.ts'

/**
 * A change of a delivery, as it travels between processes. `eventId: null`: only its progress moved. `deliveryId: null`: the
 * user may not be who they were, and whoever listens for them must be looked at again.
 */
export type DeliveryNews = {
  readonly deliveryId: number | null
  readonly userId: number
  readonly eventId: number | null
}

/**
 * News between processes over LISTEN/NOTIFY. It only shortens waits: whoever listens also polls or asks again, because
 * a notification sent while the connection was down is lost.
 */
export type Bus = {
  onWake(listener: () => void): () => void
  onNews(listener: (news: DeliveryNews) => void): () => void
  close(): Promise<void>
}

const WAKE = 'reelay_wake'
const NEWS = 'reelay_news'
const RECONNECT_MS = 1000
const CONNECT_MAX_MS = 10_000

/** Inside a transaction these are sent when it commits, and not at all when it does not. */
export async function notifyWake(db: Db): Promise<void> {
  await sql`select pg_notify(${WAKE}, '')`.execute(db)
}
export async function notifyNews(db: Db, news: DeliveryNews): Promise<void> {
  await sql`select pg_notify(${NEWS}, ${JSON.stringify(news)})`.execute(db)
}

export async function openBus(url: string, log: Logger): Promise<Bus> {
  const wakeListeners = new Set<() => void>()
  const newsListeners = new Set<(news: DeliveryNews) => void>()
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
      // We wrote the payload ourselves, above.
      if (channel === NEWS && payload) {
        const news = JSON.parse(payload) as DeliveryNews
        newsListeners.forEach((listener) => listener(news))
      }
    })
    next.on('error', () => next.removeAllListeners('notification'))
    next.on('end', () => {
      // One that never came to listen ends too, and whoever opened it hears of that by the failure.
      if (client !== next) return
      client = null
      if (closed) return
      log.warn('the database connection for notifications ended; opening another')
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
    // What was sent meanwhile is lost: have everyone look.
    wakeListeners.forEach((listener) => listener())
  }
  const reconnect = () => {
    connect().catch((error: unknown) => {
      log.warn({ err: error }, 'no connection for notifications yet')
      if (!closed) retry = setTimeout(reconnect, RECONNECT_MS)
    })
  }

  await connect()
  return {
    onWake: (listener) => subscribe(wakeListeners, listener),
    onNews: (listener) => subscribe(newsListeners, listener),
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
