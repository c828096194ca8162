import { createHash } from 'node:crypto'
import { CompiledQuery } from 'kysely'
import { RateLimiterPostgres } from 'rate-limiter-flexible'
import type { Db } from '#base/db/open.ts'

/** At most `points` in `windowS` seconds, counted from the first one. */
type Limit = { readonly points: number; readonly windowS: number }

/** Shared by all processes. Passwords, codes and tokens are counted only when wrong. */
const LIMITS = {
  // One account from one address. The next two limits do not apply where the account logged in before.
  wrongPasswordByPair: { points: 10, windowS: 900 },
  wrongPasswordByIp: { points: 100, windowS: 900 },
  // The limit holds for all addresses together: slightly more in an hour than one address may try (40).
  wrongPasswordByAccount: { points: 50, windowS: 3600 },
  signUpByIp: { points: 50, windowS: 3600 },
  askedByIp: { points: 100, windowS: 900 },
  resetMailByAccount: { points: 5, windowS: 3600 },
  resetMailByIp: { points: 50, windowS: 3600 },
  linkMailByAccount: { points: 10, windowS: 3600 },
  linkMailByUser: { points: 20, windowS: 3600 },
  linkMailByIp: { points: 50, windowS: 3600 },
  wrongCodeByIp: { points: 50, windowS: 900 },
  // Each asks a provider.
  providerByIp: { points: 100, windowS: 900 },
  wrongRefreshByIp: { points: 100, windowS: 900 },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof LIMITS

export type Throttle = {
  /**
   * Reserves an attempt per key until release, so that parallel guesses cannot pass a limit. Checks keys in
   * order; `null` at the first reached limit.
   */
  reserve(keys: LimitKeys): Promise<Release | null>
  consume(keys: LimitKeys): Promise<boolean>
}
export type Release = () => void
type LimitKeys = { readonly [N in LimitName]?: string | null }

/** Uses the real clock: the library takes no other. */
export function createThrottle(db: Db): Throttle {
  const limiters = new Map<string, RateLimiterPostgres>()
  for (const [name, { points, windowS }] of Object.entries(LIMITS)) {
    limiters.set(
      name,
      new RateLimiterPostgres({
        storeClient: createPgClient(db),
        storeType: 'client',
        tableName: 'identity_throttle',
        tableCreated: true,
        clearExpiredByTimeout: false, // `deleteExpired` does it, without timers
        keyPrefix: name,
        points,
        duration: windowS,
      }),
    )
  }

  const each = async (
    keys: LimitKeys,
    ask: (limiter: RateLimiterPostgres, key: string) => Promise<boolean>,
  ) => {
    const asked = Object.entries(keys).map(async ([name, key]) => {
      const limiter = limiters.get(name)
      return !limiter || key === null ? true : ask(limiter, key)
    })
    return (await Promise.all(asked)).every(Boolean)
  }

  /** Reserved attempts of this process, by limit and key. */
  const pending = new Map<string, number>()
  const addPending = (id: string): Release => {
    pending.set(id, (pending.get(id) ?? 0) + 1)
    return () => {
      const left = (pending.get(id) ?? 1) - 1
      if (left > 0) pending.set(id, left)
      else pending.delete(id)
    }
  }

  return {
    async reserve(keys) {
      const added: Release[] = []
      const release = () => {
        for (const remove of added.splice(0)) remove()
      }
      try {
        for (const [name, key] of Object.entries(keys)) {
          const limiter = limiters.get(name)
          if (!limiter || key === null) continue
          const id = `${name}:${key}`
          const ahead = pending.get(id) ?? 0
          added.push(addPending(id))
          const seen = await limiter.get(key)
          if ((seen?.consumedPoints ?? 0) + ahead < limiter.points) continue
          release()
          return null
        }
        return release
      } catch (error) {
        release()
        throw error
      }
    },
    // `limiter.consume` rejects with a plain value at the limit.
    consume: (keys) =>
      each(keys, async (limiter, key) => {
        const seen = await limiter.penalty(key)
        return (seen.consumedPoints ?? 0) <= limiter.points
      }),
  }
}

/** Key of an account by address, known or not. Hashed, so that the table does not list addresses. */
export const accountKey = (email: string, ...more: readonly string[]): string =>
  createHash('sha256')
    .update([email, ...more].join('\n'))
    .digest('base64url')

/** Lets the library use our pool: it expects a `pg` client. */
function createPgClient(db: Db) {
  return {
    async query({ text, values = [] }: { text: string; values?: unknown[] }) {
      const { rows } = await db.executeQuery(CompiledQuery.raw(text, values))
      return { rows, rowCount: rows.length }
    },
  }
}
