import { PlatformId } from '#contract/platforms/index.ts'
import type { PostChange } from '#contract/posts.ts'
import type { Db } from '#base/db/open.ts'
import { notFound } from '#base/problem.ts'
import { minutesAfter } from '#domain/schedule/schedule.ts'
import type { AccountRow } from '../../accounts/store.ts'
import { assertWaitingRoom, insertDelivery, type UserEvent } from '../../deliveries/store.ts'
import { insertDeliveryPicture, usePictures as lockPictures } from '../../pictures/store.ts'
import { insertPostedBrands } from '../../videos/store.ts'
import { factsOf, type VideoRow } from '../../videos/video.ts'
import { type CheckedTarget, checkPost, pictureOf } from '../check-post.ts'
import type { PostDeps } from '../create-post.ts'
import { applyEdits, type EditedDelivery, started } from './edited-delivery.ts'
import { isSameOptions, planEdit } from './plan-edit.ts'
import { deleteDeliveries, deletePicture, updateContent, updatePost } from './store.ts'

export type ContentEdit = {
  readonly userId: number
  readonly post: { readonly postId: number; readonly text: string; readonly videoId: number }
  readonly deliveries: readonly EditedDelivery[]
  /** The user's linked accounts that the change may need, locked. */
  readonly accounts: readonly AccountRow[]
  readonly video: VideoRow
  readonly change: PostChange
  /** The post's time (epoch ms), from which those of added accounts are counted. */
  readonly postAt: number
  readonly now: number
}

/**
 * Changes the text, the video or the accounts of what has not started. An account that is left out was sent nothing: its delivery
 * is deleted, so that lists, brands and accounts no longer count it.
 * @throws Problem in_flight; invalid; not_found for an account; platform_off
 */
export async function editContent(trx: Db, deps: PostDeps, edit: ContentEdit): Promise<void> {
  const { post, video, change } = edit
  const plan = planEdit(post, edit.deliveries, change)
  if (plan.concerned.length > 0) throw started(plan.concerned)
  const targets = plan.asked.map(({ target }) => {
    const account = edit.accounts.find(({ account_id }) => account_id === target.accountId)
    if (!account) throw notFound('account')
    return { target, account }
  })
  const named = targets.map(({ target, account }) =>
    pictureOf(PlatformId.parse(account.platform), target.options),
  )
  const pictureIds = named.filter((pictureId) => pictureId !== null)
  const checked = checkPost(deps.platforms, {
    videoField: 'video_id',
    video: { facts: factsOf(video), size: video.size },
    targets,
    pictures: await lockPictures(trx, edit.userId, pictureIds, edit.now),
  })
  const more = plan.asked.filter(({ present }) => present === null).length - plan.removed.length
  if (more > 0) await assertWaitingRoom(trx, { userId: edit.userId, more, field: 'targets' })
  const isOtherVideo = video.video_id !== post.videoId
  const edits: UserEvent[] = []
  for (const [i, { present }] of plan.asked.entries()) {
    const one = checked[i]
    if (!one) throw new Error('A target was lost while it was checked.')
    if (present === null) await addDelivery(trx, deps, edit, one)
    else edits.push(...(await changeDelivery(trx, edit.userId, { present, to: one, isOtherVideo })))
  }
  await applyEdits(trx, deps, edits, edit.now)
  await deleteDeliveries(
    trx,
    plan.removed.map(({ deliveryId }) => deliveryId),
  )
  await updatePost(trx, post.postId, { text: change.text ?? post.text, videoId: video.video_id })
  const brandIds = checked.map(({ account }) => account.brand_id)
  if (brandIds.length > 0) await insertPostedBrands(trx, [{ videoId: video.video_id, brandIds }])
}

async function addDelivery(trx: Db, deps: PostDeps, edit: ContentEdit, to: CheckedTarget): Promise<void> {
  const { userId, now } = edit
  const { platform, text, options, pictureId } = to
  const accountId = to.account.account_id
  const { postId } = edit.post
  const afterMinutes = to.afterMinutes ?? 0
  const goesOutAt = Math.max(minutesAfter(edit.postAt, afterMinutes), now)
  const made = { postId, userId, accountId, platform, text, options, goesOutAt, afterMinutes }
  const deliveryId = await insertDelivery(trx, deps.encrypter, made)
  if (pictureId !== null) await insertDeliveryPicture(trx, deliveryId, pictureId)
}

type Change = {
  readonly present: EditedDelivery
  readonly to: CheckedTarget
  readonly isOtherVideo: boolean
}

/** @returns what is to be noted of it; nothing where it stays as it is */
async function changeDelivery(
  trx: Db,
  userId: number,
  { present, to, isOtherVideo }: Change,
): Promise<UserEvent[]> {
  const parts = [
    isOtherVideo && 'video',
    to.text !== present.text && 'text',
    !isSameOptions(present, to.options) && 'options',
  ].filter((part) => part !== false)
  if (parts.length === 0) return []
  const { deliveryId } = present
  await updateContent(trx, deliveryId, to)
  await deletePicture(trx, deliveryId)
  if (to.pictureId !== null) await insertDeliveryPicture(trx, deliveryId, to.pictureId)
  return [{ deliveryId, userId, event: { type: 'edited' }, line: `Changed: ${parts.join(', ')}.` }]
}
