import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { DraftContent } from '#contract/drafts.ts'
import type { DraftId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { PostDetail } from '#contract/posts.ts'
import { saveDraft } from '../../drafts/save-draft.ts'
import type { PostDeps } from '../create-post.ts'
import { getPostDetail } from '../read.ts'

/**
 * Makes a draft with what a post was made of, for no time.
 * @throws Problem not_found; conflict where there are too many drafts
 */
export async function duplicatePost(deps: PostDeps, userId: number, postId: number): Promise<DraftId> {
  const content = contentOf(await getPostDetail(deps.db, userId, postId))
  const draftId = randomUUID()
  const key = { userId, draftId, now: deps.now() }
  return (await saveDraft(deps, key, { version: 0, content })).draft_id
}

/** What the first account of a platform has is shared; only others differ from it. */
function contentOf(post: PostDetail): DraftContent {
  const shared: Partial<Record<PlatformId, object>> = {}
  const targets = post.deliveries.map(({ account_id, delivery_id, platform, to_inbox }) => {
    const made = post.targets.find((one) => one.delivery_id === delivery_id)
    const options = made?.options ?? {}
    const common = (shared[platform] ??= options)
    return {
      account_id,
      // A draft for an inbox takes no caption.
      text: made === undefined || to_inbox || made.text === post.text ? null : made.text,
      options: isDeepStrictEqual(options, common) ? null : { posted: options },
    }
  })
  const platform_options = Object.fromEntries(
    Object.entries(shared).map(([platform, options]) => [platform, { posted: options }]),
  )
  return { video_id: post.video.video_id, text: post.text, platform_options, targets, publish_at: null }
}
