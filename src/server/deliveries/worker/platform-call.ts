import type { Reason } from '#domain/delivery/reasons.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { Failure, Result } from '#domain/delivery/failure.ts'
import type { CommitOutcome, LimitedCall, Platform, PublishJob, Usage } from '#platforms/kit/platform.ts'
import type { Db } from '#base/db/open.ts'
import { platformAnswers } from '#base/metrics.ts'
import { recordFailure, recordSuccess, recordUsage } from '../../rate-limit/circuit-breaker.ts'
import { recordAllowance } from '../../rate-limit/daily-quota.ts'
import { reserveCall } from '../../rate-limit/reserve-call.ts'
import type { Storage } from '../../storage/storage.ts'
import { factsOf, servedMime } from '../../videos/video.ts'
import {
  type Access,
  type AccountAccess,
  callWithAccess,
  type NoAccess,
  PLATFORM_OFF,
} from '../account-access.ts'
import type { Claim } from '../store.ts'
import { findSiblings } from './siblings.ts'

export type PublishDeps = AccountAccess & {
  readonly db: Db
  readonly storage: Storage
  readonly platforms: Record<PlatformId, Platform | null>
  /** A public, expiring address of a video. */
  readonly mediaAddress: (videoId: number) => Promise<string>
  /** A public, expiring address of a user's picture. null: it was deleted. */
  readonly pictureAddress: (owned: {
    readonly userId: number
    readonly pictureId: number
  }) => Promise<string | null>
  /** Awaited at named points, so that a test can stop the process there. */
  readonly crashPoint: (name: string) => Promise<void>
  /** A post that is later than this (ms) does not go out by itself. */
  readonly overdueGraceMs: number
  /** Epoch ms. */
  readonly now: () => number
}

type Call = { readonly platform: Platform; readonly job: PublishJob }

/** `usages`: the limits that the platform reports during the call. */
export type Prepared = Call & { readonly usages: readonly Usage[] }

/** Makes a call that may be repeated, and records its answer for the limits that all calls share. */
export const callAndRecord = <T>(
  deps: PublishDeps,
  claim: CallFor,
  call: (access: Access, onUsage: (usage: Usage) => void) => Promise<T>,
  failureOf: (outcome: T) => Failure | null,
): Promise<T | NoAccess> => {
  const callOnce = async (access: Access): Promise<T> => {
    const usages: Usage[] = []
    const outcome = await call(access, (usage) => usages.push(usage))
    await recordAnswer(deps, claim, usages, failureOf(outcome))
    return outcome
  }
  return callWithAccess(deps, claim.accountId, callOnce, failureOf)
}

/** Makes such a call with the delivery's text and video. */
export async function callRepeatable<T>(
  deps: PublishDeps,
  claim: Claim,
  signal: AbortSignal,
  call: (ready: Call) => Promise<T>,
  failureOf: (outcome: T) => Failure | null,
): Promise<T | NoAccess> {
  const platform = deps.platforms[claim.platform]
  if (!platform) return { ok: false, failure: PLATFORM_OFF }
  const prepareAndCall = async (access: Access, onUsage: (usage: Usage) => void): Promise<T> => {
    const job = await jobFor(deps, claim, { access, signal, onUsage })
    await deps.crashPoint(`before ${claim.state.kind} call`)
    const outcome = await call({ platform, job })
    await deps.crashPoint(`after ${claim.state.kind} call`)
    return outcome
  }
  return callAndRecord(deps, claim, prepareAndCall, failureOf)
}

export const failureOfResult = (result: Result<unknown>): Failure | null =>
  result.ok ? null : result.failure

export async function prepareCall(
  deps: PublishDeps,
  claim: Claim,
  signal: AbortSignal,
): Promise<Result<Prepared>> {
  const platform = deps.platforms[claim.platform]
  if (!platform) return { ok: false, failure: PLATFORM_OFF }
  const access = await deps.getAccess(claim.accountId)
  if (!access.ok) return access
  const usages: Usage[] = []
  const onUsage = (usage: Usage) => usages.push(usage)
  const job = await jobFor(deps, claim, { access: access.value, signal, onUsage })
  return { ok: true, value: { platform, job, usages } }
}

async function jobFor(
  deps: PublishDeps,
  claim: Claim,
  call: {
    readonly access: Access
    readonly signal: AbortSignal
    readonly onUsage: (usage: Usage) => void
  },
): Promise<PublishJob> {
  const video = await deps.db
    .selectFrom('posts')
    .innerJoin('videos', 'videos.video_id', 'posts.video_id')
    .select(['videos.video_id', 'videos.storage_key', 'videos.size', 'videos.mime', 'videos.facts'])
    .where('posts.post_id', '=', claim.postId)
    .executeTakeFirst()
  if (!video) throw new Error(`Post ${claim.postId} has no video.`)
  return {
    account: call.access,
    text: claim.text,
    options: claim.options,
    video: {
      size: video.size,
      mime: servedMime(video.mime),
      // 0 where it cannot be read: then only the platform judges it.
      durationS: factsOf(video).duration_s,
      read: (first, last) => deps.storage.read(video.storage_key, first, last),
      address: () => deps.mediaAddress(video.video_id),
    },
    pictureAddress: (pictureId) => deps.pictureAddress({ userId: claim.userId, pictureId }),
    siblings: (sinceMs) => findSiblings(deps.db, claim, sinceMs),
    signal: call.signal,
    onUsage: call.onUsage,
  }
}

/** The parts of a delivery's or follow-up's claim that its calls need. */
type CallFor = Pick<Claim, 'platform' | 'accountId' | 'deliveryId' | 'wakeAt'>

/** Reserves a call that the platform limits. `null`: it may be made now; otherwise it is postponed. */
export async function postponement(
  deps: PublishDeps,
  claim: CallFor,
  call: LimitedCall,
): Promise<{ readonly type: 'postponed'; readonly until: number; readonly reason: Reason } | null> {
  const platform = deps.platforms[claim.platform]
  if (!platform) return null
  if (call === 'open') {
    // Without access there will be no call, and the user should hear of that at once.
    const access = await deps.getAccess(claim.accountId)
    if (!access.ok && access.failure.kind === 'account') return null
  }
  const reservation = await reserveCall(deps.db, {
    platform,
    accountId: claim.accountId,
    call,
    delivery: { id: claim.deliveryId, reservedAt: claim.wakeAt },
    now: deps.now(),
  })
  switch (reservation.kind) {
    case 'allowed':
      return null
    case 'wait':
      return { type: 'postponed', until: reservation.until, reason: reservation.reason }
    case 'query_quota':
      await queryQuota(deps, claim, platform)
      return postponement(deps, claim, call)
  }
}

async function queryQuota(deps: PublishDeps, claim: CallFor, platform: Platform): Promise<void> {
  const usages: Usage[] = []
  const access = await deps.getAccess(claim.accountId)
  // Taken before the query: a post that becomes live meanwhile is counted twice rather than not at all.
  const now = deps.now()
  const answer =
    access.ok && platform.allowance !== null
      ? await platform.allowance({ ...access.value, onUsage: (usage) => usages.push(usage) })
      : null
  await recordAnswer(deps, claim, usages, answer === null || answer.ok ? null : answer.failure)
  const { accountId } = claim
  const allowance = answer?.ok === true ? answer.value : null
  await recordAllowance(deps.db, { platform: platform.id, accountId, allowance, now })
}

/** Records what an answer says of the platform's limits. `posts`: a post was taken, not just any call answered. */
export async function recordAnswer(
  deps: PublishDeps,
  claim: CallFor,
  usages: readonly Usage[],
  failure: Failure | null,
  posts = false,
): Promise<void> {
  platformAnswers.labels(claim.platform, failure === null ? 'ok' : failure.kind).inc()
  const usage = usages.at(-1)
  const now = deps.now()
  const about = { platform: claim.platform, accountId: claim.accountId, now }
  if (failure === null) await recordSuccess(deps.db, { deliveryId: claim.deliveryId, posts, now })
  else await recordFailure(deps.db, about, failure)
  if (usage !== undefined) await recordUsage(deps.db, about, usage)
}

export async function recordCommit(
  deps: PublishDeps,
  claim: Claim,
  usages: readonly Usage[],
  outcome: CommitOutcome,
): Promise<void> {
  const isTaken = outcome.kind === 'accepted' || outcome.kind === 'live'
  await recordAnswer(deps, claim, usages, 'failure' in outcome ? outcome.failure : null, isTaken)
}
