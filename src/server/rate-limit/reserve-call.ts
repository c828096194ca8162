import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { type Reason, WAITS } from '#domain/delivery/reasons.ts'
import { reserveCallTime, type Rate } from '#domain/rate-limit/sliding-window.ts'
import type { LimitedCall, Platform } from '#platforms/kit/platform.ts'
import type { Db } from '#base/db/open.ts'
import {
  beginTrial,
  type Cooldown,
  findCooldowns,
  longestCooldown,
  waitingReason,
} from './circuit-breaker.ts'
import { checkDailyQuota } from './daily-quota.ts'
import { lockCallTimes, saveCallTimes } from './sliding-window.ts'

/** `delivery: null`: a user is looking, and does not wait. */
export type CallRequest = {
  readonly platform: Platform
  readonly accountId: number
  readonly call: LimitedCall
  readonly delivery: { readonly id: number; readonly reservedAt: number | null } | null
  readonly now: number
}

export type Reservation =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'wait'; readonly until: number; readonly reason: Reason }
  /** Ask the platform for the remaining posts, call `recordAllowance`, and reserve again. */
  | { readonly kind: 'query_quota' }

const ALLOWED: Reservation = { kind: 'allowed' }
const UNLIMITED: Rate = { most: Number.MAX_SAFE_INTEGER, perS: 0 }
/** Applies while a platform reports that calls run short. */
const SLOW: Rate = { most: 2, perS: 10 }
/** Replaces the platform's account id where all accounts share one limit. */
const ALL_ACCOUNTS = ''
const TRIAL_TAKEN_RETRY_MS = 5000
const OTHERS_FIRST = 'other posts to this account come first.'

/**
 * Allows a limited call now, or reserves a later moment for it. A row lock makes all workers share one count; nothing stays
 * locked while a caller waits.
 */
export async function reserveCall(db: Db, request: CallRequest): Promise<Reservation> {
  const { platform, call, now, delivery } = request
  const about = { platform: platform.id, call, now }
  const isLimited = platform.capabilities.rates[call] !== undefined || countsAgainstQuota(request)
  if (!isLimited && (await findCooldowns(db, about, request.accountId)).length === 0) return ALLOWED
  return db.transaction().execute(async (trx) => {
    const locked = await lockCallTimes(trx, platform.id, request, call)
    const cooldowns = await findCooldowns(trx, about, request.accountId)
    const rate = platform.capabilities.rates[call]
    const own = rate ?? UNLIMITED
    const reservedAt = delivery?.reservedAt ?? null
    const running = longestCooldown(cooldowns, { now, deliveryId: delivery?.id ?? null })
    let notBefore = running?.until ?? now
    // Behind others, it may wait for their reason rather than for the rate.
    const alone = { ...locked.times, reserved: [] }
    const byRate = reserveCallTime(alone, own, { reservedAt: null, notBefore: now, now }).at > now
    let reason = running
      ? waitingReason(running)
      : WAITS.rateLimit(rate && byRate ? rate.words : OTHERS_FIRST)

    if (
      countsAgainstQuota(request) &&
      reserveCallTime(locked.times, own, { reservedAt, notBefore, now }).at <= now
    ) {
      const asked = {
        platform: platform.id,
        externalId: locked.externalId,
        deliveryId: request.delivery.id,
        now,
      }
      const quota = await checkDailyQuota(trx, asked)
      if (quota.kind === 'query') return { kind: 'query_quota' }
      if (quota.kind === 'full') {
        notBefore = quota.until
        reason = WAITS.quota(PLATFORM_NAMES[platform.id], quota.total)
      }
    }

    const reserved = reserveCallTime(locked.times, own, { reservedAt, notBefore, now })
    if (reserved.at > now) {
      if (delivery !== null) await saveCallTimes(trx, locked, reserved.times)
      return { kind: 'wait', until: reserved.at, reason }
    }
    const delayed = (await slowDown(trx, request, cooldowns)) ?? (await tryCooldowns(trx, request, cooldowns))
    if (delayed !== null) return delayed
    if (delivery !== null && call === 'open') await recordReservation(trx, delivery.id, now)
    await saveCallTimes(trx, locked, reserved.times)
    return ALLOWED
  })
}

type PostRequest = CallRequest & { readonly delivery: NonNullable<CallRequest['delivery']> }

const countsAgainstQuota = (request: CallRequest): request is PostRequest =>
  request.call === 'open' && request.platform.allowance !== null && request.delivery !== null

/** Under a `slow` cool-down, all calls share a few call times. */
async function slowDown(
  trx: Db,
  { platform, delivery, now }: CallRequest,
  cooldowns: readonly Cooldown[],
): Promise<Reservation | null> {
  const reservedAt = delivery?.reservedAt ?? null
  for (const { externalId, reason } of cooldowns.filter(({ what }) => what === 'slow')) {
    const shared = await lockCallTimes(trx, platform.id, { externalId: externalId ?? ALL_ACCOUNTS }, 'slow')
    const reserved = reserveCallTime(shared.times, SLOW, { reservedAt, notBefore: now, now })
    if (reserved.at <= now || delivery !== null) await saveCallTimes(trx, shared, reserved.times)
    if (reserved.at > now) return { kind: 'wait', until: reserved.at, reason }
  }
  return null
}

/** The first delivery after a cool-down makes the trial request. */
async function tryCooldowns(
  trx: Db,
  { delivery, now }: CallRequest,
  cooldowns: readonly Cooldown[],
): Promise<Reservation | null> {
  if (delivery === null) return null
  for (const cooldown of cooldowns.filter(({ what }) => what !== 'slow')) {
    if (await beginTrial(trx, cooldown, delivery.id, now)) continue
    return { kind: 'wait', until: now + TRIAL_TAKEN_RETRY_MS, reason: waitingReason(cooldown) }
  }
  return null
}

/** Until the delivery saves its next state, only this row shows that its call was allowed. */
const recordReservation = (trx: Db, deliveryId: number, now: number) =>
  trx
    .updateTable('deliveries')
    .set({ reserved_at: new Date(now) })
    .where('delivery_id', '=', deliveryId)
    .execute()
