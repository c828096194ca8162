import type { DraftContent } from '#contract/drafts.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { PostDetail } from '#contract/posts.ts'
import { OPTION_PANELS, type StoredOptions } from '#web/platforms/option-panels.tsx'

/** A post's content to post again, now. `onlyFailed`: to the accounts that have not got it. */
export function contentOfPost(post: PostDetail, onlyFailed: boolean): DraftContent {
  const shared: Partial<Record<PlatformId, Record<string, unknown>>> = {}
  const deliveries = post.deliveries.filter(({ status }) => !onlyFailed || status === 'failed')
  const targets = deliveries.map(({ account_id, platform, delivery_id }) => {
    const sent = post.targets.find((one) => one.delivery_id === delivery_id)
    const options = { ...OPTION_PANELS[platform].fromOptions(sent?.options) }
    // What the first account of a platform has is shared; only others differ from it.
    const common = (shared[platform] ??= options)
    return {
      account_id,
      text: sent === undefined || sent.text === post.text ? null : sent.text,
      options: isSame(options, common) ? null : options,
    }
  })
  return {
    video_id: post.video.video_id,
    text: post.text,
    platform_options: shared,
    targets,
    publish_at: null,
  }
}

const isSame = (one: StoredOptions, other: StoredOptions): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
