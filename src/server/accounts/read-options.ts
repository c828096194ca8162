import { accountName } from '#contract/accounts.ts'
import { type AccountNow, PlatformId } from '#contract/platforms/index.ts'
import type { Failure } from '#domain/delivery/failure.ts'
import type { Platform } from '#platforms/kit/platform.ts'
import type { Db } from '#base/db/open.ts'
import { Problem, platformOff } from '#base/problem.ts'
import { recordFailure } from '../rate-limit/circuit-breaker.ts'
import { recordAllowance } from '../rate-limit/daily-quota.ts'
import { postsToday } from '../rate-limit/posts-today.ts'
import { reserveCall, type Reservation } from '../rate-limit/reserve-call.ts'
import { type AccessDeps, withAccess } from './access.ts'
import { explain } from './access-failures.ts'
import { findAccount, keepProfile } from './store.ts'

export async function readOptions(deps: AccessDeps, userId: number, accountId: number): Promise<AccountNow> {
  const account = await findAccount(deps.db, userId, accountId)
  const platformId = PlatformId.parse(account.platform)
  const platform = deps.platforms[platformId]
  if (!platform) throw platformOff(platformId)
  // The platform would answer as if all access had ended.
  if (!account.can_publish) throw new Problem('conflict', `${accountName(account)} did not allow posting.`)
  const about = { platform: platformId, accountId, now: deps.now() }
  const request = { platform, accountId, call: 'options', delivery: null, now: about.now } as const
  const reservation = await reserveCall(deps.db, request)
  if (reservation.kind === 'wait') throw new Problem('platform_failed', tooOften(reservation, about.now))
  const options = await withAccess(deps, accountId, (access) => platform.options(access))
  if (!options.ok) {
    await recordFailure(deps.db, about, options.failure, { keepsRunning: true })
    throw await refusal(deps.db, { ...about, platform }, options.failure)
  }
  await keepProfile(deps.db, accountId, options.value)
  const { value } = options
  if ('quota_total' in value && value.quota_used !== null) {
    const allowance = { used: value.quota_used, total: value.quota_total }
    await recordAllowance(deps.db, { ...about, allowance })
  }
  return { ...options.value, today: await postsToday(deps.db, { ...about, platform }) }
}

/** For a stopped account the user needs the platform's reason, not the failed question. */
async function refusal(
  db: Db,
  about: { readonly platform: Platform; readonly accountId: number; readonly now: number },
  failure: Failure,
): Promise<Problem> {
  switch (failure.kind) {
    case 'rejected':
    case 'account':
      return new Problem('platform_refused', explain(failure))
    case 'throttled': {
      if (!failure.limit) return new Problem('platform_failed', explain(failure))
      const { stopped } = await postsToday(db, about)
      const leftS = stopped ? (Date.parse(stopped.until) - about.now) / 1000 : failure.retryAfterS
      return new Problem('platform_refused', `${explain(failure)} ${nextTry(leftS)}`)
    }
    case 'unreachable':
    case 'unexpected':
      return new Problem('platform_failed', explain(failure))
  }
}

const nextTry = (leftS: number): string => {
  const hours = Math.max(1, Math.ceil(leftS / 3600))
  return `The next post is tried within ${hours === 1 ? 'an hour' : `${hours} hours`}.`
}

const tooOften = ({ until, reason }: Extract<Reservation, { kind: 'wait' }>, now: number): string =>
  `${reason.message} Try again in ${Math.ceil((until - now) / 1000)} seconds.`
