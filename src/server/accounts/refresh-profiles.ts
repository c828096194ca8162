import { sql } from 'kysely'
import { PLATFORM_IDS, PlatformId } from '#contract/platforms/index.ts'
import type { Db } from '#base/db/open.ts'
import { recordFailure } from '../rate-limit/circuit-breaker.ts'
import { reserveCall } from '../rate-limit/reserve-call.ts'
import { type AccessDeps, withAccess } from './access.ts'
import { type AccountRow, keepProfile } from './store.ts'

const DAY_MS = 86_400_000
/** Some platforms want stored details to be at most 30 days old (docs/platforms); so a missed turn does no harm. */
const APART_DAYS = 10

/**
 * Reads the names and pictures of a tenth of the accounts again, another tenth each day: nobody else reads them while no one opens
 * the composer. What fails waits for its next turn.
 */
export async function refreshProfiles(deps: AccessDeps, stopping: AbortSignal): Promise<void> {
  for (const account of await findTodaysAccounts(deps.db, deps.now())) {
    if (stopping.aborted) return
    await refreshProfile(deps, account)
  }
}

type Named = Pick<AccountRow, 'account_id' | 'platform' | 'scopes'>

/** Linking read the details of newer ones. */
const findTodaysAccounts = (db: Db, now: number): Promise<Named[]> =>
  db
    .selectFrom('accounts')
    .select(['account_id', 'platform', 'scopes'])
    .where('unlinked_at', 'is', null)
    .where('relink_reason', 'is', null)
    .where('can_publish', '=', true)
    .where('linked_at', '<', new Date(now - APART_DAYS * DAY_MS))
    .where('platform', 'in', PLATFORM_IDS)
    .where(sql<boolean>`account_id % ${APART_DAYS} = ${Math.floor(now / DAY_MS) % APART_DAYS}`)
    .orderBy('account_id')
    .execute()

async function refreshProfile(deps: AccessDeps, { account_id: accountId, ...account }: Named): Promise<void> {
  const platformId = PlatformId.parse(account.platform)
  const platform = deps.platforms[platformId]
  if (!platform) return
  const about = { platform: platformId, accountId, now: deps.now() }
  const request = { platform, accountId, call: 'options', delivery: null, now: about.now } as const
  if ((await reserveCall(deps.db, request)).kind === 'wait') return
  const profile = await withAccess(deps, accountId, (access) =>
    platform.profile({ ...access, scopes: account.scopes }),
  )
  if (!profile.ok) return recordFailure(deps.db, about, profile.failure, { keepsRunning: true })
  const { username, displayName, avatarUrl } = profile.value
  await keepProfile(deps.db, accountId, { username, avatar_url: avatarUrl, display_name: displayName })
}
