import type { DecidedRestored, RestoredDecision } from '#contract/deliveries.ts'
import { eventAfterRestore } from '#domain/delivery/overdue.ts'
import type { DeliveryEvent } from '#domain/delivery/state.ts'
import { REASONS } from '#domain/delivery/reasons.ts'
import { selectWithPause } from '../deliveries/find-pause.ts'
import { releaseLatePosts, releasedBy } from '../deliveries/late-posts.ts'
import type { HoldDeps } from './hold-posts.ts'

/** `moved`: the operator says at a start that no other copy of the data has posted. */
type Decision = RestoredDecision | 'moved'

/** Rows that are read at once. */
const DECIDED_AT_ONCE = 2_000

/** Those that a decision is about; null: all. */
const REASON_OF: Record<Decision, string | null> = {
  moved: null,
  resume_planned: REASONS.restoredPlanned.code,
  not_live: null,
  live: REASONS.restored.code,
  cancel: null,
}

/**
 * Decides what becomes of what is held after a restore: of a user's, or of everybody's with `null`. Late ones follow the rules of an
 * outage; paused ones stay paused. It can be repeated if its answer was lost.
 */
export async function decideRestored(
  deps: HoldDeps,
  userId: number | null,
  decision: Decision,
): Promise<DecidedRestored> {
  const reason = REASON_OF[decision]
  // Whoever says what is live is asked next when the late ones go out: another post may have brought the same video meanwhile.
  const graceMs = decision === 'not_live' ? 0 : deps.overdueGraceMs
  const taken = new Map<number, DeliveryEvent>()
  for (;;) {
    const some = await releaseLatePosts(
      deps,
      (db) =>
        selectWithPause(db)
          .where('d.state', '=', 'blocked')
          .where('d.cause', '=', 'restored')
          .$if(userId !== null, (query) => query.where('d.user_id', '=', userId))
          .$if(reason !== null, (query) => query.where('d.reason_code', '=', reason))
          // One that was moved to a time to come is not live.
          .$if(decision === 'live', (query) => query.where('d.due_at', '<=', new Date(deps.now())))
          .limit(DECIDED_AT_ONCE),
      ({ paused, due_at: dueAt }, room) => {
        switch (decision) {
          case 'moved':
          case 'resume_planned':
          case 'not_live':
            return eventAfterRestore(dueAt?.getTime() ?? room.now, { ...room, graceMs, paused })
          case 'live':
            return { type: 'resolve', outcome: 'live' }
          case 'cancel':
            return { type: 'cancel' }
        }
      },
    )
    if (some.size === 0) break
    for (const [deliveryId, event] of some) taken.set(deliveryId, event)
  }
  const { missed, missed_post_ids } = await releasedBy(deps.db, taken)
  return { decided: taken.size, missed, missed_post_ids }
}
