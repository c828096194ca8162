import { accountName } from '#contract/accounts.ts'
import type { ConfirmRepeat, Delivery } from '#contract/deliveries.ts'
import { goesToInbox, PlatformId } from '#contract/platforms/index.ts'
import { REASONS } from '#domain/delivery/reasons.ts'
import type { DeliveryEvent } from '#domain/delivery/state.ts'
import { isErased } from './erased-account.ts'
import type { Db } from '#base/db/open.ts'
import type { Handlers } from '../http/mount.ts'
import { notFound, Problem } from '#base/problem.ts'
import type { Encrypter } from '#base/encryption.ts'
import { requestTrial } from '../rate-limit/circuit-breaker.ts'
import { lockPlatformAccounts } from './late-posts.ts'
import { getDelivery } from './read.ts'
import { refuseRepeats } from './repeats.ts'
import { applyUserEvent } from './store.ts'

type DeliveryDeps = { readonly db: Db; readonly encrypter: Encrypter; readonly now: () => number }

export const deliveryRoutes = (
  deps: DeliveryDeps,
): Handlers<'retryDelivery' | 'dismissDelivery' | 'cancelDelivery' | 'resolveDelivery'> => ({
  retryDelivery: ({ user, params, body }) =>
    move(deps, user.user_id, params.deliveryId, { type: 'retry' }, body),
  dismissDelivery: ({ user, params }) => move(deps, user.user_id, params.deliveryId, { type: 'dismiss' }),
  cancelDelivery: ({ user, params }) => move(deps, user.user_id, params.deliveryId, { type: 'cancel' }),
  resolveDelivery: ({ user, params, body }) =>
    move(deps, user.user_id, params.deliveryId, { type: 'resolve', outcome: body.outcome }, body),
})

async function move(
  { db, encrypter, now }: DeliveryDeps,
  userId: number,
  deliveryId: number,
  event: DeliveryEvent,
  { confirm_repeat: isConfirmed = false }: ConfirmRepeat = {},
): Promise<Delivery> {
  return db.transaction().execute(async (trx) => {
    const around = await lockPostAndAccount(trx, userId, deliveryId)
    if (!around) throw notFound('delivery')
    refuseInVain(event, around)
    const asks = sendsAgain(event) && !isConfirmed
    // Two requests that send the same video to the account run one after the other: the second sees the first's effect.
    if (asks) await lockPlatformAccounts(trx, [around.account_id])
    if (event.type === 'retry') await requestTrial(trx, deliveryId)
    const result = await applyUserEvent(trx, encrypter, { deliveryId, userId, event, now: now() })
    if (result === null) throw notFound('delivery')
    if ('refused' in result)
      throw new Problem('conflict', 'The post has changed in the meantime, so this is no longer possible.')
    if (asks) await refuseRepeats(trx, [deliveryId], 'others')
    const delivery = await getDelivery(trx, userId, deliveryId)
    if (!delivery) throw new Error('A delivery vanished while it was locked.')
    return delivery
  })
}

/** Locks the post, video and account of a delivery, so that none is deleted before the transaction ends. */
const lockPostAndAccount = (trx: Db, userId: number, deliveryId: number) =>
  trx
    .selectFrom('deliveries')
    .innerJoin('posts', 'posts.post_id', 'deliveries.post_id')
    .innerJoin('videos', 'videos.video_id', 'posts.video_id')
    .innerJoin('accounts', 'accounts.account_id', 'deliveries.account_id')
    .select([
      'deliveries.platform',
      'deliveries.options',
      'videos.deleted_at',
      'accounts.account_id',
      'accounts.external_id',
      'accounts.unlinked_at',
      'accounts.username',
      'accounts.display_name',
    ])
    .where('deliveries.delivery_id', '=', deliveryId)
    .where('deliveries.user_id', '=', userId)
    .where('posts.deleted_at', 'is', null)
    .forKeyShare('accounts')
    .forShare(['videos', 'posts'])
    .executeTakeFirst()

const isForInbox = ({ platform, options }: Around): boolean =>
  goesToInbox(PlatformId.parse(platform), options)

const sendsAgain = (event: DeliveryEvent): boolean =>
  event.type === 'retry' || (event.type === 'resolve' && event.outcome === 'not_live')

type Around = NonNullable<Awaited<ReturnType<typeof lockPostAndAccount>>>

/**
 * Refuses to resend a post that cannot go out, rather than let it wait for ever. Saying that an open outcome is live is
 * always allowed, because there is no other way out of it.
 */
function refuseInVain(event: DeliveryEvent, around: Around): void {
  if (event.type === 'resolve' && event.outcome === 'in_inbox' && !isForInbox(around))
    throw new Problem('conflict', 'This post was not sent to an inbox. Say whether it is live.')
  if (event.type === 'retry' && isErased(around)) {
    const { message, remedy } = REASONS.accountErased
    throw new Problem('conflict', `${message} ${remedy}`)
  }
  if (sendsAgain(event) && !isErased(around) && around.deleted_at !== null)
    throw new Problem('conflict', 'The video was deleted. Upload it again and make a new post.')
  if (event.type === 'retry' && around.unlinked_at !== null) {
    throw new Problem(
      'conflict',
      `${accountName(around)} is no longer linked. Link it again in its brand and retry, or make a new post.`,
    )
  }
}
