import type { FollowUpKind } from '#contract/deliveries.ts'
import type { Db } from '#base/db/open.ts'
import { notFound, Problem } from '#base/problem.ts'
import { getDelivery } from '../deliveries/read.ts'
import type { Handlers } from '../http/mount.ts'
import { applyUserFollowUpEvent } from './store.ts'

type Deps = { readonly db: Db; readonly now: () => number }

type Call = {
  readonly user: { readonly user_id: number }
  readonly params: { readonly deliveryId: number; readonly kind: FollowUpKind }
}

export const followUpRoutes = (deps: Deps): Handlers<'retryFollowUp' | 'dismissFollowUp'> => ({
  retryFollowUp: (call) => apply(deps, call, 'retry'),
  dismissFollowUp: (call) => apply(deps, call, 'dismiss'),
})

const apply = ({ db, now }: Deps, { user, params: { deliveryId, kind } }: Call, type: 'retry' | 'dismiss') =>
  db.transaction().execute(async (trx) => {
    const userId = user.user_id
    // Nothing is done to follow-ups of a deleted post.
    const found = await getDelivery(trx, userId, deliveryId)
    if (found === null) throw notFound('delivery')
    const it = { deliveryId, userId, platform: found.platform, kind, event: { type }, now: now() } as const
    const result = await applyUserFollowUpEvent(trx, it)
    if (result === null) throw notFound('follow-up')
    if ('refused' in result) {
      throw new Problem('conflict', 'It has changed in the meantime, so this is no longer possible.')
    }
    const delivery = await getDelivery(trx, userId, deliveryId)
    if (!delivery) throw new Error('A delivery vanished while its follow-up was locked.')
    return delivery
  })
