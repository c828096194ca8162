import type { Kysely } from 'kysely'
import type { PlatformId } from '#contract/platforms/index.ts'
import type {
  Committing,
  DeliveryEvent,
  Earlier,
  Processing,
  Published,
  Session,
  Unconfirmed,
} from '#domain/delivery/state.ts'
import type { Failure, Result } from '#domain/delivery/failure.ts'
import { hasTakenTooLong } from '#domain/delivery/step.ts'
import { eventOfCheck, eventOfCommit, eventOfOpen, eventOfSend } from '#platforms/kit/events.ts'
import type {
  CommitOutcome,
  LimitedCall,
  Platform,
  Progress,
  PublishJob,
  Usage,
} from '#platforms/kit/platform.ts'
import type { DB } from '#base/db/tables.ts'
import type { Storage } from '../storage/storage.ts'
import { factsOf } from '../videos/store.ts'
import {
  type Access,
  type AccountAccess,
  callWithAccess,
  endAccess,
  type NoAccess,
  PLATFORM_OFF,
  renewAccess,
} from './account-access.ts'
import { othersOf } from './siblings.ts'
import { askForTurn, heedFailure, heedUsage, keepAllowance, letThrough } from './pace.ts'
import type { Claim } from './store.ts'

export type PublishDeps = AccountAccess & {
  readonly db: Kysely<DB>
  readonly storage: Storage
  readonly platforms: Record<PlatformId, Platform | null>
  /** A public, expiring address of a video. */
  readonly mediaAddress: (videoId: number) => Promise<string>
  /** Called at named points, so that a test can stop the world there. */
  readonly probe: (point: string) => Promise<void>
  /** Epoch ms. */
  readonly now: () => number
}

/**
 * Whether the irreversible call may be made. `elsewhere`: this run did not save `committing`, so whoever did may have made
 * the call. `no`: this very run saved it and has not made the call, and it may not begin it any more.
 */
type Leave = 'yes' | 'no' | 'elsewhere'

/** How a call is made: `signal` ends repeatable calls early. */
export type Run = {
  readonly signal: AbortSignal
  readonly mayCommit: () => Leave
  readonly report: (progress: Progress) => Promise<void>
  /** Its leave to open a post was given in this very run, and not used yet. */
  readonly hasLeave: boolean
  /** Done once the event is saved. */
  readonly afterwards: (work: () => Promise<void>) => void
}

/** Makes the one call that the delivery's state asks for, and says what happened as an event. Decides nothing. */
export async function nextEvent(deps: PublishDeps, claim: Claim, run: Run): Promise<DeliveryEvent> {
  const { state } = claim
  switch (state.kind) {
    case 'scheduled':
      return (
        (await heldFor(deps, claim, 'open')) ??
        (state.earlier === null ? { type: 'due' } : lastLook(deps, claim, run, state.earlier))
      )
    case 'blocked':
      return { type: 'due' }
    case 'preparing':
      return state.session === null ? open(deps, claim, run) : send(deps, claim, run, state.session)
    case 'committing':
      return commit(deps, claim, run, state)
    case 'processing':
    case 'unconfirmed':
      return check(deps, claim, run, state)
    case 'published':
      return locate(deps, claim, run, state)
    case 'failed':
    case 'cancelled':
      throw new Error(`A delivery that is "${state.kind}" has nothing to do, yet it was due.`)
  }
}

/** The user said that nothing came of the session before; only what the platform is sure of says otherwise. */
async function lastLook(
  deps: PublishDeps,
  claim: Claim,
  run: Run,
  { session, since }: Earlier,
): Promise<DeliveryEvent> {
  const held = await heldFor(deps, claim, 'check')
  if (held !== null) return held
  const seen = await calling(
    deps,
    claim,
    run.signal,
    async ({ platform, job }) => platform.check(job, session),
    (outcome) => (outcome.kind === 'unreadable' ? outcome.failure : null),
  )
  if ('ok' in seen) {
    // Nobody can be asked, nor anything be sent.
    if (isGone(seen.failure)) return { type: 'due' }
    // It cannot be sent before the account is linked again, and by then it can be asked about.
    return seen.failure.kind === 'account'
      ? { type: 'relink', reason: seen.failure.reason }
      : { type: 'unreadable', failure: seen.failure }
  }
  switch (seen.kind) {
    case 'live':
    case 'unreadable':
      return eventOfCheck(seen)
    case 'accepted':
      return hasTakenTooLong(since, deps.now()) ? { type: 'due' } : eventOfCheck(seen)
    case 'pending':
    case 'uncommitted':
    case 'rejected':
      return { type: 'due' }
  }
}

async function open(deps: PublishDeps, claim: Claim, run: Run): Promise<DeliveryEvent> {
  const held = run.hasLeave ? null : await heldFor(deps, claim, 'open')
  if (held !== null) return held
  const opened = await calling(
    deps,
    claim,
    run.signal,
    async ({ platform, job }) => platform.open(job),
    failureOfResult,
  )
  return eventOfOpen(opened)
}

async function send(deps: PublishDeps, claim: Claim, run: Run, session: Session): Promise<DeliveryEvent> {
  const held = await heldFor(deps, claim, 'send')
  if (held !== null) return held
  const sent = await calling(
    deps,
    claim,
    run.signal,
    async ({ platform, job }) => platform.send(job, session, run.report),
    (outcome) => (outcome.kind === 'setback' ? outcome.failure : null),
  )
  if ('ok' in sent) return { type: 'setback', failure: sent.failure, session }
  return eventOfSend(sent)
}

/** The irreversible call: once, and never repeated here whatever comes back. */
async function commit(deps: PublishDeps, claim: Claim, run: Run, state: Committing): Promise<DeliveryEvent> {
  if (run.mayCommit() === 'elsewhere') return { type: 'interrupted' }
  // Nothing ends this call early: an answer that we do not wait for is an outcome that we do not know.
  const ready = await prepare(deps, claim, new AbortController().signal)
  if (!ready.ok) return { type: 'unsent', failure: ready.failure }
  await deps.probe('before commit')
  // Asked right before the call: access may have had to be renewed, and the lease may have run out meanwhile.
  if (run.mayCommit() !== 'yes') return { type: 'unsent', failure: null }
  const { platform, job } = ready.value
  const outcome = await platform.commit(job, state.session)
  await deps.probe('after commit')
  // What became of it is saved before anything else is.
  run.afterwards(() => heedCommit(deps, claim, ready.value, outcome))
  if (outcome.kind !== 'refused' || outcome.failure.kind !== 'account') return eventOfCommit(outcome)
  // Refused with access that was renewed for this very call: only the account's owner can mend that.
  if (state.renewed) {
    await endAccess(deps, claim.accountId, job.account, outcome.failure)
    return eventOfCommit(outcome)
  }
  const access = await renewAccess(deps, claim.accountId, job.account, outcome.failure)
  // Refused for its token alone and not executed: with a new one the same session may commit.
  return access.ok && outcome.session !== null
    ? { type: 'not_ready', session: outcome.session, reason: outcome.failure.reason, renewed: true }
    : { type: 'refused', failure: access.ok ? outcome.failure : access.failure, session: outcome.session }
}

async function check(
  deps: PublishDeps,
  claim: Claim,
  run: Run,
  state: Processing | Unconfirmed,
): Promise<DeliveryEvent> {
  const held = await heldFor(deps, claim, 'check')
  if (held !== null) return held
  const seen = await calling(
    deps,
    claim,
    run.signal,
    async ({ platform, job }) => ({ job, outcome: await platform.check(job, state.session) }),
    ({ outcome }) => (outcome.kind === 'unreadable' ? outcome.failure : null),
  )
  if ('ok' in seen) return { type: 'unreadable', failure: seen.failure }
  const { job, outcome } = seen
  if (outcome.kind === 'rejected') await heedFailure(deps.db, aboutOf(deps, claim), outcome.failure)
  // A post that failed because its access was taken away: no other can go out before the account is linked again.
  if (outcome.kind === 'rejected' && outcome.failure.kind === 'account') {
    await endAccess(deps, claim.accountId, job.account, outcome.failure)
  }
  return eventOfCheck(outcome)
}

async function locate(deps: PublishDeps, claim: Claim, run: Run, state: Published): Promise<DeliveryEvent> {
  // A post that the user found by hand, with nothing to ask by.
  if (state.session === null && state.postId === null)
    return { type: 'located', postId: null, url: null, complete: true }
  // Where the address is known already there is nothing to ask.
  const held = state.url === null ? await heldFor(deps, claim, 'locate') : null
  if (held !== null) return held
  const found = await calling(
    deps,
    claim,
    run.signal,
    async ({ platform, job }) => platform.locate(job, state.session, state.postId),
    failureOfResult,
  )
  return found.ok
    ? { type: 'located', ...found.value }
    : { type: 'located', postId: null, url: null, complete: isGone(found.failure) }
}

const isGone = (failure: Failure): boolean => failure.kind === 'account' && failure.gone === true

/** Its turn at a call that the platform limits: `null` when that is now, else until when it is held. */
async function heldFor(deps: PublishDeps, claim: Claim, call: LimitedCall): Promise<DeliveryEvent | null> {
  const platform = deps.platforms[claim.platform]
  if (!platform) return null
  if (call === 'open') {
    // Without access there will be no call, and the user should hear of that at once.
    const access = await deps.accessOf(claim.accountId)
    if (!access.ok && access.failure.kind === 'account') return null
  }
  const delivery = { id: claim.deliveryId, promised: claim.wakeAt }
  const asking = { platform, accountId: claim.accountId, call, delivery }
  const turn = await askForTurn(deps.db, { ...asking, now: deps.now() })
  switch (turn.kind) {
    case 'go':
      return null
    case 'wait':
      return { type: 'held', until: turn.until, reason: turn.reason }
    case 'ask':
      await askAllowance(deps, claim, platform)
      return heldFor(deps, claim, call)
  }
}

async function askAllowance(deps: PublishDeps, claim: Claim, platform: Platform): Promise<void> {
  const heard: Usage[] = []
  const access = await deps.accessOf(claim.accountId)
  // Before it is asked: a post that becomes live meanwhile is counted twice rather than not at all.
  const now = deps.now()
  const told =
    access.ok && platform.allowance !== null
      ? await platform.allowance({ ...access.value, heard: (usage) => heard.push(usage) })
      : null
  await heed(deps, claim, heard, told === null || told.ok ? null : told.failure)
  const { accountId } = claim
  const allowance = told?.ok === true ? told.value : null
  await keepAllowance(deps.db, { platform: platform.id, accountId, allowance, now })
}

const aboutOf = (deps: PublishDeps, { platform, accountId }: Claim) => ({
  platform,
  accountId,
  now: deps.now(),
})

const throughOf = (deps: PublishDeps, { deliveryId }: Claim) => ({ deliveryId, now: deps.now() })

/** What an answer says of the platform's limits is kept for all. */
async function heed(
  deps: PublishDeps,
  claim: Claim,
  heard: readonly Usage[],
  failure: Failure | null,
): Promise<void> {
  const usage = heard.at(-1)
  if (failure === null) await letThrough(deps.db, { ...throughOf(deps, claim), posts: false })
  else await heedFailure(deps.db, aboutOf(deps, claim), failure)
  if (usage !== undefined) await heedUsage(deps.db, aboutOf(deps, claim), usage)
}

async function heedCommit(
  deps: PublishDeps,
  claim: Claim,
  { heard }: Ready,
  outcome: CommitOutcome,
): Promise<void> {
  await heed(deps, claim, heard, 'failure' in outcome ? outcome.failure : null)
  if (outcome.kind === 'accepted' || outcome.kind === 'live') {
    await letThrough(deps.db, { ...throughOf(deps, claim), posts: true })
  }
}

type Ready = { readonly platform: Platform; readonly job: PublishJob; readonly heard: readonly Usage[] }

/** A call that may be repeated. What its answer says of the platform's limits is kept for all. */
async function calling<T>(
  deps: PublishDeps,
  claim: Claim,
  signal: AbortSignal,
  call: (ready: Ready) => Promise<T>,
  failureOf: (outcome: T) => Failure | null,
): Promise<T | NoAccess> {
  const platform = deps.platforms[claim.platform]
  if (!platform) return { ok: false, failure: PLATFORM_OFF }
  const prepareAndCall = async (access: Access): Promise<T> => {
    const ready = await jobFor(deps, claim, { platform, access, signal })
    await deps.probe(`before ${claim.state.kind} call`)
    const outcome = await call(ready)
    await deps.probe(`after ${claim.state.kind} call`)
    await heed(deps, claim, ready.heard, failureOf(outcome))
    return outcome
  }
  return callWithAccess(deps, claim.accountId, prepareAndCall, failureOf)
}

async function prepare(deps: PublishDeps, claim: Claim, signal: AbortSignal): Promise<Result<Ready>> {
  const platform = deps.platforms[claim.platform]
  if (!platform) return { ok: false, failure: PLATFORM_OFF }
  const access = await deps.accessOf(claim.accountId)
  if (!access.ok) return access
  return { ok: true, value: await jobFor(deps, claim, { platform, access: access.value, signal }) }
}

async function jobFor(
  deps: PublishDeps,
  claim: Claim,
  it: { readonly platform: Platform; readonly access: Access; readonly signal: AbortSignal },
): Promise<Ready> {
  const video = await deps.db
    .selectFrom('posts')
    .innerJoin('videos', 'videos.video_id', 'posts.video_id')
    .select([
      'posts.text',
      'videos.video_id',
      'videos.storage_key',
      'videos.size',
      'videos.mime',
      'videos.facts',
    ])
    .where('posts.post_id', '=', claim.postId)
    .executeTakeFirstOrThrow()
  const heard: Usage[] = []
  const job: PublishJob = {
    account: it.access,
    text: video.text,
    options: claim.options,
    video: {
      size: video.size,
      mime: video.mime,
      // 0 where it cannot be read: then only the platform judges it.
      durationS: factsOf(video).duration_s,
      read: (first, last) => deps.storage.read(video.storage_key, first, last),
      address: () => deps.mediaAddress(video.video_id),
    },
    others: (sinceMs) => othersOf(deps.db, claim, sinceMs),
    signal: it.signal,
    heard: (usage) => heard.push(usage),
  }
  return { platform: it.platform, job, heard }
}

const failureOfResult = (result: Result<unknown>): Failure | null => (result.ok ? null : result.failure)
