import { PLATFORM_IDS, type PlatformId, type PostsToday } from '#contract/platforms/index.ts'
import type { Reason } from '#domain/delivery/reasons.ts'
import type { Platform } from '#platforms/kit/platform.ts'
import { PLATFORM_FACTS } from '#platforms/registry.ts'
import type { Db } from '#base/db/open.ts'
import { findExternalId } from './account-id.ts'
import { findSharedCooldowns, longestCooldown } from './circuit-breaker.ts'
import { countDays } from './post-counts.ts'

const DAY_MS = 86_400_000

export async function postsToday(
  db: Db,
  {
    platform,
    accountId,
    now,
  }: { readonly platform: Platform; readonly accountId: number; readonly now: number },
): Promise<PostsToday> {
  const account = { accountId, externalId: await findExternalId(db, accountId) }
  const [only] = await readDays(db, platform, [account], now)
  if (!only) throw new Error(`account ${accountId} has no day`)
  return only.today
}

type Day = { readonly accountId: number; readonly today: PostsToday }

export async function listPostsToday(
  db: Db,
  platforms: Readonly<Record<PlatformId, Platform | null>>,
  { userId, now }: { readonly userId: number; readonly now: number },
): Promise<readonly Day[]> {
  const accounts = await db
    .selectFrom('accounts')
    .select(['account_id as accountId', 'platform', 'external_id as externalId'])
    .where('user_id', '=', userId)
    .where('unlinked_at', 'is', null)
    .execute()
  const days = await Promise.all(
    PLATFORM_IDS.map(async (id) => {
      const platform = platforms[id]
      return platform === null
        ? []
        : readDays(
            db,
            platform,
            accounts.filter((account) => account.platform === id),
            now,
          )
    }),
  )
  return days.flat()
}

type CountedAccount = { readonly accountId: number; readonly externalId: string }

async function readDays(
  db: Db,
  platform: Platform,
  accounts: readonly CountedAccount[],
  now: number,
): Promise<readonly Day[]> {
  if (accounts.length === 0) return []
  const externalIds = accounts.map(({ externalId }) => externalId)
  const [days, reports, cooldowns] = await Promise.all([
    countDays(db, { accountIds: accounts.map(({ accountId }) => accountId), now }),
    db
      .selectFrom('platform_allowances')
      .selectAll()
      .where('platform', '=', platform.id)
      .where('external_id', 'in', externalIds)
      .where('reported_at', '>', new Date(now - DAY_MS))
      .execute(),
    findSharedCooldowns(db, { platform: platform.id, call: 'open', now }, externalIds),
  ])
  return accounts.map(({ accountId, externalId }): Day => {
    const day = days.find((one) => one.accountId === accountId)
    const report = reports.find((one) => one.external_id === externalId)
    const running = longestCooldown(
      cooldowns.filter((one) => one.externalId === null || one.externalId === externalId),
      { now },
    )
    const isKnown = report !== undefined && report.total !== null
    const today: PostsToday = {
      sent: day?.sent ?? 0,
      waiting: day?.waiting ?? 0,
      used: isKnown ? report.used : null,
      total: isKnown ? report.total : null,
      usual: platform.capabilities.usualPostsPerDay,
      stopped: running
        ? {
            message: running.reason.message,
            until: new Date(running.until).toISOString(),
            limit: isLimit(platform.id, running.reason),
          }
        : null,
    }
    return { accountId, today }
  })
}

/** A limit of posts, and not of calls, a ban or an outage: the platform's own table says of which of its answers it is one. */
const isLimit = (platform: PlatformId, { text }: Reason): boolean =>
  text !== undefined &&
  PLATFORM_FACTS[platform].failures.some(
    ({ failure }) => failure.kind === 'throttled' && failure.limit && failure.reason.text?.name === text.name,
  )
