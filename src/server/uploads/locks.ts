import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { Logger } from 'pino'
import { Problem } from '#base/problem.ts'

/**
 * One writer per upload, across processes: advisory locks of one connection per process. PostgreSQL frees them the moment
 * that connection ends, so a killed server delays nobody.
 */
export type UploadLocks = {
  /**
   * Asks the present holder to let go and waits for it. `onWanted` is called when somebody else asks, or the lock was lost.
   * @throws Problem locked
   */
  acquire(
    uploadId: string,
    by: { readonly gone: AbortSignal; readonly onWanted: () => void },
  ): Promise<Release>
  /** Null: another request has it, and is not interrupted. */
  tryAcquire(uploadId: string): Promise<Release | null>
  close(): Promise<void>
}
export type Release = () => Promise<void>

type Held = { readonly onWanted: () => void; readonly freed: Promise<void>; readonly free: () => void }
type Session = { readonly client: Client; isOpen: boolean }

const WANTED = 'reelay_upload_wanted'
/** The last bytes are synced and the video is looked at while the lock is held. */
const WAIT_MS = 20_000
/** The interval of attempts for a lock that another process has; each asks it again to give way. */
const RETRY_MS = 100
const CONNECT_MAX_MS = 10_000
/** A machine that lost its power or its network loses its locks within half a minute. */
const KEEPALIVES =
  'set tcp_keepalives_idle = 15; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3'

export function createUploadLocks(databaseUrl: string, log: Pick<Logger, 'warn'>): UploadLocks {
  const held = new Map<string, Held>()
  const openSession = lazySession(databaseUrl, {
    onWanted: (uploadId) => held.get(uploadId)?.onWanted(),
    onLost: () => {
      if (held.size > 0) log.warn({ uploads: held.size }, 'lost the database connection that locks uploads')
      for (const { onWanted } of held.values()) onWanted()
    },
  })

  /** Null: another request has it. */
  const take = async (uploadId: string, onWanted: () => void): Promise<Release | null> => {
    const { promise: freed, resolve: free } = Promise.withResolvers<void>()
    const mine: Held = { onWanted, freed, free }
    held.set(uploadId, mine)
    const letGo = () => {
      held.delete(uploadId)
      free()
    }
    try {
      const session = await openSession.get()
      if (await lockRow(session.client, uploadId))
        return async () => {
          try {
            // A lost connection freed it already.
            if (session.isOpen) await unlockRow(session.client, uploadId)
          } finally {
            letGo()
          }
        }
    } catch (error) {
      letGo()
      throw error
    }
    letGo()
    return null
  }

  return {
    async acquire(uploadId, { gone, onWanted }) {
      const end = performance.now() + WAIT_MS
      while (performance.now() < end && !gone.aborted) {
        const holder = held.get(uploadId)
        if (holder) {
          holder.onWanted()
          await Promise.race([holder.freed, sleep(RETRY_MS)])
          continue
        }
        const release = await take(uploadId, onWanted)
        if (release) return release
        await openSession.notify(uploadId)
        await sleep(RETRY_MS)
      }
      throw locked()
    },
    tryAcquire: async (uploadId) => (held.has(uploadId) ? null : take(uploadId, () => {})),
    close: () => openSession.close(),
  }
}

export const locked = () =>
  new Problem('locked', 'This upload is going on over another connection.', { retryAfterS: 2 })

/** Locks by the whole id: two uploads that met in fewer digits would wait for each other. */
const lockRow = async (client: Client, uploadId: string): Promise<boolean> => {
  const { rows } = await client.query<{ got: boolean }>(
    'select pg_try_advisory_lock(hashtextextended($1, 0)) as got',
    [`upload ${uploadId}`],
  )
  return rows[0]?.got === true
}
const unlockRow = (client: Client, uploadId: string) =>
  client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [`upload ${uploadId}`])

type Listeners = { readonly onWanted: (uploadId: string) => void; readonly onLost: () => void }

/** Connects at the first lock, and again after the connection was lost. */
function lazySession(databaseUrl: string, { onWanted, onLost }: Listeners) {
  let opening: Promise<Session> | null = null
  const open = async (): Promise<Session> => {
    const client = new Client({
      connectionString: databaseUrl,
      application_name: 'reelay uploads',
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MAX_MS,
    })
    const session: Session = { client, isOpen: true }
    client.on('notification', ({ payload }) => onWanted(payload ?? ''))
    // `end` follows.
    client.on('error', () => {})
    client.once('end', () => {
      session.isOpen = false
      opening = null
      onLost()
    })
    await client.connect()
    await client.query(`${KEEPALIVES}; listen ${WANTED}`)
    return session
  }
  return {
    get: () =>
      (opening ??= open().catch((error: unknown) => {
        opening = null
        throw error
      })),
    async notify(uploadId: string) {
      const { client } = await this.get()
      await client.query('select pg_notify($1, $2)', [WANTED, uploadId])
    },
    async close() {
      const session = await opening?.catch(() => null)
      await session?.client.end()
    },
  }
}
