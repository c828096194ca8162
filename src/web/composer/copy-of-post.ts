import type { Delivery } from '#contract/deliveries.ts'
import type { DeliveryId } from '#contract/ids.ts'
import { PLATFORM_IDS, type PlatformId } from '#contract/platforms/index.ts'
import type { Post, PostDetail, SavedZonedTime } from '#contract/posts.ts'
import { findSharedOptions, withoutProposed } from '#domain/drafts/shared-options.ts'
import { knownZone, nextDayAt } from '#domain/schedule/days.ts'
import { OPTION_PANELS, type StoredOptions, type StoredPanel } from '#web/platforms/option-panels.tsx'
import { isOpenFailure } from '#web/posts/post.ts'
import type { ComposeState, Target } from './compose-state.ts'

/** A post to make again, for no time; for what failed of it, in its place. What its other accounts had of their own comes back where they are selected. */
export function copyOfPost(
  post: PostDetail,
  to: 'all' | 'failed' | DeliveryId | readonly DeliveryId[],
): ComposeState {
  const shared = sharedOptionsOf(post)
  const isResend = to === 'failed' || typeof to === 'number'
  const isChosen = (one: Delivery) =>
    to === 'all' ||
    (to === 'failed'
      ? isOpenFailure(one)
      : typeof to === 'object'
        ? to.includes(one.delivery_id)
        : one.delivery_id === to)
  const after = ({ delivery_id }: Delivery) =>
    post.targets.find((one) => one.delivery_id === delivery_id)?.after_minutes ?? 0
  // In the order in which they get it, as the composer spreads them.
  const ordered = post.deliveries.toSorted((one, other) => after(one) - after(other))
  const [chosen, others] = [ordered.filter(isChosen), ordered.filter((one) => !isChosen(one))]
  const targetOf = ({ account_id, platform, delivery_id, to_inbox }: Delivery): Target => {
    const sent = post.targets.find((one) => one.delivery_id === delivery_id)
    const options = { ...chosenOptions(platform, sent) }
    return {
      account_id,
      // A draft for an inbox went out without a caption.
      text: sent === undefined || to_inbox || sent.text === post.text ? null : sent.text,
      options: isSame(options, shared[platform] ?? null) ? null : options,
      // What failed is sent again as soon as possible.
      ...(!isResend && sent && sent.after_minutes > 0 && { after_minutes: sent.after_minutes }),
    }
  }
  const made = chosen.map(targetOf)
  const texts = findSharedTexts(chosen, made)
  const targets = made.map((target, at) => {
    const platform = chosen[at]?.platform
    return platform && target.text === texts[platform] ? { ...target, text: null } : target
  })
  const aside = Object.fromEntries(others.map((one) => [one.account_id, targetOf(one)]))
  const content = {
    video_id: post.video.video_id,
    text: post.text,
    ...(Object.keys(texts).length > 0 && { platform_texts: texts }),
    platform_options: shared,
    targets,
    publish_at: null,
    ...(isResend && {
      // Also for the accounts that may be chosen as well: the server settles what the new post goes to.
      replaces: post.deliveries
        .filter((one) => isChosen(one) || isOpenFailure(one))
        .map(({ delivery_id }) => delivery_id),
    }),
  }
  return { content, aside }
}

/** A copy of a post with a time is planned for a day later. */
export const timeOfCopy = ({ publish_at, timezone }: Post, now: number): SavedZonedTime | null =>
  publish_at === null || timezone === null
    ? null
    : nextDayAt(Date.parse(publish_at), knownZone(timezone), now)

/** The caption that several accounts of a platform have, all of them. */
function findSharedTexts(chosen: readonly Delivery[], targets: readonly Target[]) {
  const texts: Partial<Record<PlatformId, string>> = {}
  for (const platform of PLATFORM_IDS) {
    const [first, ...others] = targets.filter((_, at) => chosen[at]?.platform === platform)
    if (first?.text != null && others.length > 0 && others.every(({ text }) => text === first.text))
      texts[platform] = first.text
  }
  return texts
}

/** Options that most accounts of a platform have are shared. If each has its own, only the cover is shared: it is the video's. */
function sharedOptionsOf({ deliveries, targets }: PostDetail) {
  const shared: Partial<Record<PlatformId, Record<string, unknown>>> = {}
  for (const platform of PLATFORM_IDS) {
    const panel = OPTION_PANELS[platform]
    const all = deliveries
      .filter((one) => one.platform === platform)
      .map(({ delivery_id }) =>
        chosenOptions(
          platform,
          targets.find((one) => one.delivery_id === delivery_id),
        ),
      )
    if (all.length > 0) shared[platform] = { ...(findSharedOptions(all) ?? coverOnly(panel, all)) }
  }
  return shared
}

const chosenOptions = (platform: PlatformId, sent: PostDetail['targets'][number] | undefined) =>
  OPTION_PANELS[platform].fromOptions(sent && withoutProposed(platform, sent))

/** The moment of the first account that has one, and the picture that all have. */
function coverOnly(panel: StoredPanel, all: readonly StoredOptions[]): StoredOptions {
  const moment = panel.withCover(null, all.map(panel.coverMs).find((ms) => ms > 0) ?? 0)
  const [picture = null, ...others] = all.map(panel.pictureId)
  return panel.withPicture && others.every((one) => one === picture)
    ? panel.withPicture(moment, picture)
    : moment
}

const isSame = (one: StoredOptions, other: StoredOptions | null): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
