import type { FollowUpEvent } from '#domain/follow-up/follow-up.ts'
import { type FollowUpRun, nextCommentEvent } from './comment-call.ts'
import { nextCommentsOffEvent } from './comments-off-call.ts'
import { type LinkDeps, nextLinkEvent } from './link-call.ts'
import type { FollowUpClaim } from './store.ts'

/** Makes the one call that the follow-up's state asks for, and returns what happened as an event. Decides nothing. */
export function nextFollowUpEvent(
  deps: LinkDeps,
  claim: FollowUpClaim,
  run: FollowUpRun,
): Promise<FollowUpEvent> {
  const { kind, state } = claim.record
  switch (kind) {
    case 'first_comment':
      return nextCommentEvent(deps, claim, state, run)
    case 'public_link':
      return nextLinkEvent(deps, claim, state, run)
    case 'comments_off':
      return nextCommentsOffEvent(deps, claim, state, run)
  }
}
