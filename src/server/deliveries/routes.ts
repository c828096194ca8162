import type { Delivery } from '#contract/deliveries.ts'
import type { DeliveryEvent } from '#domain/delivery/state.ts'
import type { Db } from '../db/open.ts'
import type { Handlers } from '../mount.ts'
import { notFound, Problem } from '../problem.ts'
import type { Sealer } from '../seal.ts'
import { isVideoDeleted } from '../videos/store.ts'
import { getDelivery } from './read.ts'
import { applyUserEvent } from './store.ts'

type DeliveryDeps = { readonly db: Db; readonly sealer: Sealer; readonly now: () => number }

export const deliveryRoutes = (
  deps: DeliveryDeps,
): Handlers<'retryDelivery' | 'cancelDelivery' | 'resolveDelivery'> => ({
  retryDelivery: ({ user, params }) => move(deps, user.user_id, params.deliveryId, { type: 'retry' }),
  cancelDelivery: ({ user, params }) => move(deps, user.user_id, params.deliveryId, { type: 'cancel' }),
  resolveDelivery: ({ user, params, body }) =>
    move(deps, user.user_id, params.deliveryId, { type: 'resolve', outcome: body.outcome }),
})

async function move(
  { db, sealer, now }: DeliveryDeps,
  userId: number,
  deliveryId: number,
  event: DeliveryEvent,
): Promise<Delivery> {
  return db.transaction().execute(async (trx) => {
    if (sendsAgain(event) && (await isVideoDeleted(trx, userId, deliveryId))) {
      throw new Problem('conflict', 'The video was deleted. Upload it again and make a new post.')
    }
    const result = await applyUserEvent(trx, sealer, { deliveryId, userId, event, now: now() })
    if (result === null) throw notFound('delivery')
    if ('refused' in result)
      throw new Problem('conflict', 'That is not possible any more: the post has moved on in the meantime.')
    const delivery = await getDelivery(trx, userId, deliveryId)
    if (!delivery) throw new Error('A delivery vanished while it was locked.')
    return delivery
  })
}

const sendsAgain = (event: DeliveryEvent): boolean =>
  event.type === 'retry' || (event.type === 'resolve' && event.outcome === 'not_live')
