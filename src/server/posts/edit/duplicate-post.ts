import { randomUUID } from 'node:crypto'
import type { DraftContent } from '#contract/drafts.ts'
import type { DraftId } from '#contract/ids.ts'
import { COVER_OPTIONS, PICTURE_OPTIONS, type PlatformId } from '#contract/platforms/index.ts'
import type { PostDetail } from '#contract/posts.ts'
import { knownZone, nextDayAt } from '#domain/schedule/days.ts'
import { findSharedOptions, withoutProposed } from '#domain/drafts/shared-options.ts'
import { saveDraft } from '../../drafts/save-draft.ts'
import type { PostDeps } from '../create-post.ts'
import { getPostDetail } from '../read.ts'

/**
 * Makes a draft with what a post was made of; where it had a time, for a day later.
 * @throws Problem not_found; conflict where there are too many drafts
 */
export async function duplicatePost(deps: PostDeps, userId: number, postId: number): Promise<DraftId> {
  const content = toDraftContent(await getPostDetail(deps.db, userId, postId), deps.now())
  const draftId = randomUUID()
  const key = { userId, draftId, now: deps.now() }
  return (await saveDraft(deps, key, { version: 0, content })).draft_id
}

/** Values that most accounts of a platform have are shared, others are the account's own. The cover belongs to the video, so it is shared. */
function toDraftContent(post: PostDetail, now: number): DraftContent {
  const madeFor = (deliveryId: number) => post.targets.find((one) => one.delivery_id === deliveryId)
  const chosenFor = ({ platform, delivery_id }: PostDetail['deliveries'][number]) => {
    const made = madeFor(delivery_id)
    return made ? withoutProposed(platform, made) : {}
  }
  const byPlatform = new Map<PlatformId, object[]>()
  for (const delivery of post.deliveries) {
    const { platform } = delivery
    byPlatform.set(platform, [...(byPlatform.get(platform) ?? []), chosenFor(delivery)])
  }
  const shared = new Map([...byPlatform].map(([platform, all]) => [platform, findSharedOptions(all)]))
  const after = (deliveryId: number) => madeFor(deliveryId)?.after_minutes ?? 0
  // In the order in which they get it, as the composer spreads them.
  const ordered = post.deliveries.toSorted((one, other) => after(one.delivery_id) - after(other.delivery_id))
  const targets = ordered.map((delivery) => {
    const { account_id, delivery_id, platform, to_inbox } = delivery
    const made = madeFor(delivery_id)
    const options = chosenFor(delivery)
    const isShared = JSON.stringify(options) === JSON.stringify(shared.get(platform))
    return {
      account_id,
      // A draft for an inbox takes no caption.
      text: made === undefined || to_inbox || made.text === post.text ? null : made.text,
      options: isShared ? null : { posted: options },
      ...(made && made.after_minutes > 0 && { after_minutes: made.after_minutes }),
    }
  })
  const platform_options = Object.fromEntries(
    [...byPlatform].flatMap(([platform, all]) => {
      const common = shared.get(platform)
      const options = common ? { posted: common } : findCover(platform, all)
      return Object.keys(options).length > 0 ? [[platform, options]] : []
    }),
  )
  const { publish_at: at, timezone } = post
  const publish_at =
    at === null || timezone === null ? null : nextDayAt(Date.parse(at), knownZone(timezone), now)
  return { video_id: post.video.video_id, text: post.text, platform_options, targets, publish_at }
}

/** The composer has one cover: the moment of the first account that has one, and a picture if all have the same. */
function findCover(platform: PlatformId, all: readonly object[]): Record<string, unknown> {
  const valuesOf = (name: string) => all.map((options) => Reflect.get(options, name) as unknown)
  const moment = COVER_OPTIONS[platform]
  const coverMs =
    moment === null ? undefined : valuesOf(moment).find((ms) => typeof ms === 'number' && ms > 0)
  const name = PICTURE_OPTIONS[platform]
  const [picture, ...others] = name === null ? [] : valuesOf(name)
  return {
    ...(coverMs !== undefined && { coverMs }),
    ...(name !== null &&
      picture !== undefined &&
      others.every((one) => one === picture) && { [name]: picture }),
  }
}
