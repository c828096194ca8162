import { z } from 'zod'
import type { Failure, Result } from '#domain/delivery/failure.ts'
import { FOLLOW_UP_REASONS } from '#domain/follow-up/reasons.ts'
import type {
  Calling,
  CommentEvent,
  CommentState,
  Unconfirmed,
  Waiting,
} from '#domain/follow-up/comment-state.ts'
import type { CommentJob, FirstComment, Usage } from '#platforms/kit/platform.ts'
import { type Access, PLATFORM_OFF, renewAccessOnce } from '../deliveries/account-access.ts'
import { beginUnlessDisabled, isUserDisabled } from '../deliveries/find-pause.ts'
import type { Run } from '../deliveries/worker/publish.ts'
import {
  callAndRecord,
  failureOfResult,
  postponement,
  type PublishDeps,
  recordAnswer,
} from '../deliveries/worker/platform-call.ts'
import { type FollowUpClaim, readLivePost } from './store.ts'

export type FollowUpRun = Pick<Run, 'signal' | 'mayCall' | 'afterwards'>

/** Makes the one call that the state of a first comment asks for, and returns what happened as an event. Decides nothing. */
export async function nextCommentEvent(
  deps: PublishDeps,
  claim: FollowUpClaim,
  state: CommentState,
  run: FollowUpRun,
): Promise<CommentEvent> {
  switch (state.kind) {
    case 'waiting':
      return prepare(deps, claim, run, state)
    case 'commenting':
      return comment(deps, claim, run, state)
    case 'unconfirmed':
      return lookFor(deps, claim, run, state)
    case 'done':
    case 'failed':
      throw new Error(`A first comment that is "${state.kind}" has nothing to do, yet it was due.`)
  }
}

/** Enabling the user wakes what waits for it; this is for a server that stopped in between. */
const DISABLED_LOOK_MS = 3_600_000

/** Makes all checks that are possible before the irreversible call. */
async function prepare(
  deps: PublishDeps,
  claim: FollowUpClaim,
  run: FollowUpRun,
  { calledAt }: Waiting,
): Promise<CommentEvent> {
  if (await isUserDisabled(deps.db, claim.userId)) {
    return { type: 'postponed', until: deps.now() + DISABLED_LOOK_MS, reason: FOLLOW_UP_REASONS.userDisabled }
  }
  const post = await readLivePost(deps.db, claim.deliveryId)
  if (post.postId === null) return { type: 'post_unknown', searching: post.searching }
  const ability = abilityOf(deps, claim)
  if (!ability.ok) return { type: 'setback', failure: ability.failure }
  const postponed = await postponement(deps, claim, 'comment')
  if (postponed !== null) return postponed
  if (calledAt === null) return { type: 'ready' }
  // The platform refused an earlier call. A second question confirms that before another call is made.
  const found = await find(deps, claim, run, calledAt)
  if (!found.ok) return { type: 'setback', failure: found.failure }
  return found.value === null ? { type: 'ready' } : { type: 'found', commentId: found.value }
}

/** The irreversible call: made once, and never repeated here whatever comes back. */
async function comment(
  deps: PublishDeps,
  claim: FollowUpClaim,
  run: FollowUpRun,
  state: Calling,
): Promise<CommentEvent> {
  if (run.mayCall() === 'not_ours') return { type: 'interrupted' }
  const ability = abilityOf(deps, claim)
  if (!ability.ok) return { type: 'unsent', failure: ability.failure }
  const access = await deps.getAccess(claim.accountId)
  if (!access.ok) return { type: 'unsent', failure: access.failure }
  const usages: Usage[] = []
  // Nothing ends this call early: an answer that we do not wait for is an outcome that we do not know.
  const job = await jobFor(deps, claim, access.value, {
    signal: new AbortController().signal,
    onUsage: (usage) => usages.push(usage),
  })
  await deps.crashPoint('before comment')
  // Asked right before the call: renewing access may have outlasted the lease.
  const begin = () => (run.mayCall() === 'yes' ? ability.value.comment(job) : null)
  const begun = await beginUnlessDisabled(deps.db, claim.userId, begin).catch((error: unknown) => {
    // Thrown once it is saved that nothing was called.
    run.afterwards(() => Promise.reject(error))
    return null
  })
  if (begun === null) return { type: 'unsent', failure: null }
  const outcome = await begun.outcome
  await deps.crashPoint('after comment')
  const failure = 'failure' in outcome ? outcome.failure : null
  run.afterwards(() => recordAnswer(deps, claim, usages, failure))
  switch (outcome.kind) {
    case 'commented':
      return { type: 'commented', commentId: outcome.commentId }
    case 'unanswered':
    case 'unsent':
      return { type: outcome.kind, failure: outcome.failure }
    case 'refused':
      return afterRefusal(deps, claim, access.value, { failure: outcome.failure, renewed: state.renewed })
  }
}

async function afterRefusal(
  deps: PublishDeps,
  { accountId }: FollowUpClaim,
  access: Access,
  { failure, renewed }: { readonly failure: Failure; readonly renewed: boolean },
): Promise<CommentEvent> {
  if (failure.kind !== 'account') return { type: 'refused', failure, renewed: false }
  const again = await renewAccessOnce(deps, accountId, access, failure, renewed)
  return { type: 'refused', failure: again.ok ? failure : again.failure, renewed: again.ok }
}

async function lookFor(
  deps: PublishDeps,
  claim: FollowUpClaim,
  run: FollowUpRun,
  { calledAt }: Unconfirmed,
): Promise<CommentEvent> {
  const postponed = await postponement(deps, claim, 'check')
  if (postponed !== null) return postponed
  const found = await find(deps, claim, run, calledAt)
  if (!found.ok) return { type: 'unreadable', failure: found.failure }
  return found.value === null ? { type: 'missing' } : { type: 'found', commentId: found.value }
}

/** Asks, read-only, for the comment's id. null: it is not there. */
async function find(
  deps: PublishDeps,
  claim: FollowUpClaim,
  { signal }: FollowUpRun,
  sinceMs: number,
): Promise<Result<string | null>> {
  const ability = abilityOf(deps, claim)
  if (!ability.ok) return ability
  const call = async (access: Access, onUsage: (usage: Usage) => void) =>
    ability.value.findComment(await jobFor(deps, claim, access, { signal, onUsage }), sinceMs)
  return callAndRecord(deps, claim, call, failureOfResult)
}

function abilityOf({ platforms }: PublishDeps, { platform }: FollowUpClaim): Result<FirstComment> {
  const adapter = platforms[platform]
  if (!adapter) return { ok: false, failure: PLATFORM_OFF }
  return adapter.firstComment
    ? { ok: true, value: adapter.firstComment }
    : { ok: false, failure: { kind: 'rejected', reason: FOLLOW_UP_REASONS.notSupported } }
}

const CommentOptions = z.object({ first_comment: z.string() })

async function jobFor(
  deps: PublishDeps,
  claim: FollowUpClaim,
  account: Access,
  how: Pick<CommentJob, 'signal' | 'onUsage'>,
): Promise<CommentJob> {
  const { options, postId } = await readLivePost(deps.db, claim.deliveryId)
  if (postId === null) throw new Error('A published post has lost its id.')
  const text = CommentOptions.parse(options).first_comment
  return { account, postId, text, ...how }
}
