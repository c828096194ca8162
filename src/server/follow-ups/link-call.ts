import type { LinkEvent, LinkState } from '#domain/follow-up/link.ts'
import type { Encrypter } from '#base/encryption.ts'
import { openClaim } from '../deliveries/store.ts'
import {
  callRepeatable,
  failureOfResult,
  postponement,
  type PublishDeps,
} from '../deliveries/worker/platform-call.ts'
import type { FollowUpRun } from './comment-call.ts'
import type { FollowUpClaim } from './store.ts'

export type LinkDeps = PublishDeps & { readonly encrypter: Encrypter }

/** Asks the platform for the address of the live post, read-only. */
export async function nextLinkEvent(
  deps: LinkDeps,
  claim: FollowUpClaim,
  state: LinkState,
  { signal }: FollowUpRun,
): Promise<LinkEvent> {
  if (state.kind !== 'waiting') {
    throw new Error(`A link that is "${state.kind}" has nothing to do, yet it was due.`)
  }
  const row = await deps.db
    .selectFrom('deliveries')
    .selectAll()
    .where('delivery_id', '=', claim.deliveryId)
    .executeTakeFirstOrThrow()
  const delivery = openClaim(row, deps.encrypter)
  if (delivery.state.kind !== 'published') throw new Error('A delivery with a follow-up is not published.')
  const { session } = delivery.state
  const postId = state.postId ?? delivery.state.postId
  const postponed = await postponement(deps, claim, 'locate')
  if (postponed !== null) return postponed
  const found = await callRepeatable(
    deps,
    delivery,
    signal,
    ({ platform, job }) => platform.locate(job, session, postId),
    failureOfResult,
  )
  if (!found.ok) return { type: 'unreadable', failure: found.failure }
  const { url, complete } = found.value
  if (url !== null) return { type: 'link_found', postId: found.value.postId, url }
  return complete ? { type: 'no_link' } : { type: 'link_unknown', postId: found.value.postId }
}
