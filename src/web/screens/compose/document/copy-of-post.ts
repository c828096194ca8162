import type { Delivery } from '#contract/deliveries.ts'
import type { DeliveryId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { PostDetail } from '#contract/posts.ts'
import { OPTION_PANELS, type StoredOptions } from '#web/platforms/option-panels.tsx'
import type { ComposeState, Target } from './compose-state.ts'

/** A post to make again, now. What its other accounts had of their own comes back where they are selected. */
export function copyOfPost(
  post: PostDetail,
  to: 'all' | 'failed' | DeliveryId | readonly DeliveryId[],
): ComposeState {
  const shared: Partial<Record<PlatformId, Record<string, unknown>>> = {}
  const isChosen = ({ status, delivery_id }: Delivery) =>
    to === 'all' ||
    (to === 'failed'
      ? status === 'failed'
      : typeof to === 'object'
        ? to.includes(delivery_id)
        : delivery_id === to)
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
  }
  return { content, aside }
}

const isSame = (one: StoredOptions, other: StoredOptions): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
