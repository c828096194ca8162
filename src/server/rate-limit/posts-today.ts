import type { PostsToday } from '#contract/platforms/index.ts'
import type { Platform } from '#platforms/kit/platform.ts'
import type { Db } from '#base/db/open.ts'
import { externalIdOf } from './account-id.ts'
import { findCooldowns, longestCooldown } from './circuit-breaker.ts'
import { countDay } from './post-counts.ts'

const DAY_MS = 86_400_000

/** How many posts of a day an account has used and has left, for users. */
export async function postsToday(
  db: Db,
  {
    platform,
    accountId,
    now,
  }: { readonly platform: Platform; readonly accountId: number; readonly now: number },
): Promise<PostsToday> {
  const externalId = await externalIdOf(db, accountId)
  const [own, report, cooldowns] = await Promise.all([
    countDay(db, { platform: platform.id, externalId, now }),
    db
      .selectFrom('platform_allowances')
      .selectAll()
      .where('platform', '=', platform.id)
      .where('external_id', '=', externalId)
      .where('reported_at', '>', new Date(now - DAY_MS))
      .executeTakeFirst(),
    findCooldowns(db, { platform: platform.id, call: 'open', now }, externalId),
  ])
  const running = longestCooldown(cooldowns, { now })
  const isKnown = report !== undefined && report.total !== null
  return {
    ...own,
    used: isKnown ? report.used : null,
    total: isKnown ? report.total : null,
    usual: platform.capabilities.usualPostsPerDay,
    stopped: running
      ? { message: running.reason.message, until: new Date(running.until).toISOString() }
      : null,
  }
}
