import { z } from 'zod'
import type { Result } from '#domain/delivery/failure.ts'
import type { AsAskedEvent, AsAskedState } from '#domain/follow-up/as-asked.ts'
import type { Standing } from '#platforms/kit/platform.ts'
import { PLATFORM_OFF } from '../deliveries/account-access.ts'
import {
  callAndRecord,
  failureOfResult,
  postponement,
  type PublishDeps,
} from '../deliveries/worker/platform-call.ts'
import type { FollowUpRun } from './comment-call.ts'
import { type FollowUpClaim, readLivePost } from './store.ts'

const Options = z.record(z.string(), z.unknown())

/** Asks the platform, read-only, whether the post is live as it was asked for. */
export async function nextAsAskedEvent(
  deps: PublishDeps,
  claim: FollowUpClaim,
  state: AsAskedState,
  { signal }: FollowUpRun,
): Promise<AsAskedEvent> {
  if (state.kind !== 'waiting') {
    throw new Error(`A look that is "${state.kind}" has nothing to do, yet it was due.`)
  }
  const { postId, searching, options } = await readLivePost(deps.db, claim.deliveryId)
  if (postId === null) return { type: 'post_unknown', searching }
  const adapter = deps.platforms[claim.platform]
  if (!adapter) return { type: 'unreadable', failure: PLATFORM_OFF }
  const { inspect } = adapter
  if (!inspect) return { type: 'as_asked' }
  const postponed = await postponement(deps, claim, 'check')
  if (postponed !== null) return postponed
  const { looks, tries } = state
  const result = await callAndRecord<Result<Standing>>(
    deps,
    claim,
    (account, onUsage) =>
      inspect({ account, postId, signal, onUsage, options: Options.parse(options), looks, tries }),
    failureOfResult,
  )
  if (!result.ok) return { type: 'unreadable', failure: result.failure }
  return result.value.kind === 'as_asked'
    ? { type: 'as_asked' }
    : { type: 'differs', reason: result.value.reason }
}
