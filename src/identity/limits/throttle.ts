import { createHash } from 'node:crypto'
import { CompiledQuery } from 'kysely'
import { RateLimiterPostgres } from 'rate-limiter-flexible'
import type { Db } from '#base/db/open.ts'

/** `points` of a kind in `windowS` seconds, counted from the first one. */
type Limit = { readonly points: number; readonly windowS: number }

/**
 * What is counted, across all processes. Of passwords, codes and tokens only the wrong ones; of questions, who has an
 * address.
 */
const LIMITS = {
  // One account from one address. The two limits after it do not apply at addresses where the account has logged in before.
  wrongPasswordByPair: { points: 10, windowS: 900 },
  wrongPasswordByIp: { points: 100, windowS: 900 },
  // One account from all addresses together: little more in an hour than a single address may try (40).
  wrongPasswordByAccount: { points: 50, windowS: 3600 },
  signUpByIp: { points: 50, windowS: 3600 },
  askedByIp: { points: 100, windowS: 900 },
  resetMailByAccount: { points: 5, windowS: 3600 },
  resetMailByIp: { points: 50, windowS: 3600 },
  linkMailByAccount: { points: 10, windowS: 3600 },
  linkMailByUser: { points: 20, windowS: 3600 },
  linkMailByIp: { points: 50, windowS: 3600 },
  wrongCodeByIp: { points: 50, windowS: 900 },
  wrongRefreshByIp: { points: 100, windowS: 900 },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof LIMITS

export type Throttle = {
  /**
   * Reserves one attempt for each key until it is released; `null`: a limit is reached. Attempts under way in this process
   * count as used, so that parallel guesses cannot pass a limit. Asks the keys in their order, and stops at the first refusal.
   */
  reserve(keys: Counted): Promise<Release | null>
  /** Counts one for each, and says whether all are still within their limits. */
  count(keys: Counted): Promise<boolean>
}
export type Release = () => void
type Counted = { readonly [N in LimitName]?: string | null }

/** Windows follow the real clock: the library asks nobody else for the time. */
export function createThrottle(db: Db): Throttle {
  const limiters = new Map<string, RateLimiterPostgres>()
  for (const [name, { points, windowS }] of Object.entries(LIMITS)) {
    limiters.set(
      name,
      new RateLimiterPostgres({
        storeClient: clientOf(db),
        storeType: 'client',
        tableName: 'identity_throttle',
        tableCreated: true,
        clearExpiredByTimeout: false, // `sweep` does it, without timers
        keyPrefix: name,
        points,
        duration: windowS,
      }),
    )
  }

  const each = async (
    keys: Counted,
    ask: (limiter: RateLimiterPostgres, key: string) => Promise<boolean>,
  ) => {
    const asked = Object.entries(keys).map(async ([name, key]) => {
      const limiter = limiters.get(name)
      return !limiter || key === null ? true : ask(limiter, key)
    })
    return (await Promise.all(asked)).every(Boolean)
  }

  /** Attempts that are reserved and not released, by limit and key. */
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
    // Not `consume`, which rejects with a value where the limit is reached.
    count: (keys) =>
      each(keys, async (limiter, key) => {
        const seen = await limiter.penalty(key)
        return (seen.consumedPoints ?? 0) <= limiter.points
      }),
  }
}

/**
 * An account by its e-mail address, known or not, and more that sets its counters apart. Hashed: the table must not be a list
 * of who was tried.
 */
export const accountKey = (email: string, ...more: readonly string[]): string =>
  createHash('sha256')
    .update([email, ...more].join('\n'))
    .digest('base64url')

/** The library takes a `pg` client; ours speaks through Kysely, so that it uses the same pool. */
function clientOf(db: Db) {
  return {
    async query({ text, values = [] }: { text: string; values?: unknown[] }) {
      const { rows } = await db.executeQuery(CompiledQuery.raw(text, values))
      return { rows, rowCount: rows.length }
    },
  }
}
