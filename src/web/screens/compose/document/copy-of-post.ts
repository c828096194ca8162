import type { Delivery } from '#contract/deliveries.ts'
import type { DeliveryId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { PostDetail } from '#contract/posts.ts'
import { OPTION_PANELS, type StoredOptions } from '#web/platforms/option-panels.tsx'
import { isOpenFailure } from '#web/posts/post.ts'
import type { ComposeState, Target } from './compose-state.ts'

/** A post to make again, now; for what failed of it, in its place. What its other accounts had of their own comes back where they are selected. */
export function copyOfPost(
  post: PostDetail,
  to: 'all' | 'failed' | DeliveryId | readonly DeliveryId[],
): ComposeState {
  const shared: Partial<Record<PlatformId, Record<string, unknown>>> = {}
  const isChosen = (one: Delivery) =>
    to === 'all' ||
    (to === 'failed'
      ? isOpenFailure(one)
      : typeof to === 'object'
        ? to.includes(one.delivery_id)
        : one.delivery_id === to)
  const [chosen, others] = [post.deliveries.filter(isChosen), post.deliveries.filter((one) => !isChosen(one))]
  const targetOf = ({ account_id, platform, delivery_id, to_inbox }: Delivery): Target => {
    const sent = post.targets.find((one) => one.delivery_id === delivery_id)
    const options = { ...OPTION_PANELS[platform].fromOptions(sent?.options) }
    // What the first account of a platform has is shared; only others differ from it.
    const common = (shared[platform] ??= options)
    return {
      account_id,
      // A draft for an inbox went out without a caption.
      text: sent === undefined || to_inbox || sent.text === post.text ? null : sent.text,
      options: isSame(options, common) ? null : options,
    }
  }
  const targets = chosen.map(targetOf)
  const aside = Object.fromEntries(others.map((one) => [one.account_id, targetOf(one)]))
  const content = {
    video_id: post.video.video_id,
    text: post.text,
    platform_options: shared,
    targets,
    publish_at: null,
    ...((to === 'failed' || typeof to === 'number') && {
      // Also for the accounts that may be chosen as well: the server settles what the new post goes to.
      replaces: post.deliveries
        .filter((one) => isChosen(one) || isOpenFailure(one))
        .map(({ delivery_id }) => delivery_id),
    }),
  }
  return { content, aside }
}

const isSame = (one: StoredOptions, other: StoredOptions): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
