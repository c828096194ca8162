import type { Result } from '#domain/delivery/failure.ts'
import type { CommentsOffEvent, CommentsOffState } from '#domain/follow-up/comments-off.ts'
import { FOLLOW_UP_REASONS } from '#domain/follow-up/reasons.ts'
import { PLATFORM_OFF } from '../deliveries/account-access.ts'
import {
  callAndRecord,
  failureOfResult,
  postponement,
  type PublishDeps,
} from '../deliveries/worker/platform-call.ts'
import type { FollowUpRun } from './comment-call.ts'
import { type FollowUpClaim, readLivePost } from './store.ts'

/** Turns off the comments of the live post, which may be repeated. */
export async function nextCommentsOffEvent(
  deps: PublishDeps,
  claim: FollowUpClaim,
  state: CommentsOffState,
  { signal }: FollowUpRun,
): Promise<CommentsOffEvent> {
  if (state.kind !== 'waiting') {
    throw new Error(`A turning off of comments that is "${state.kind}" has nothing to do, yet it was due.`)
  }
  const { postId, searching } = await readLivePost(deps.db, claim.deliveryId)
  if (postId === null) return { type: 'post_unknown', searching }
  const adapter = deps.platforms[claim.platform]
  if (!adapter) return { type: 'setback', failure: PLATFORM_OFF }
  const { turnOffComments } = adapter
  if (!turnOffComments) {
    return { type: 'setback', failure: { kind: 'rejected', reason: FOLLOW_UP_REASONS.closingNotSupported } }
  }
  const postponed = await postponement(deps, claim, 'comment')
  if (postponed !== null) return postponed
  const result = await callAndRecord<Result<void>>(
    deps,
    claim,
    (account, onUsage) => turnOffComments({ account, postId, signal, onUsage }),
    failureOfResult,
  )
  return result.ok ? { type: 'turned_off' } : { type: 'setback', failure: result.failure }
}
