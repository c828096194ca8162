import type { DeliveryStatus } from '#contract/deliveries.ts'
import type { DraftContent } from '#contract/drafts.ts'
import type { AccountId } from '#contract/ids.ts'
import type { NewPost, Post, PostChange, PostDetail } from '#contract/posts.ts'
import { knownZone } from '#web/lib/moments.ts'
import type { ComposeState } from './compose-state.ts'
import { copyOfPost } from './copy-of-post.ts'
import { localOf } from './when.ts'

/** A post that is being changed: as it was, and the content that it had here. */
export type Edited = {
  readonly post: PostDetail
  /** The version that the changes were made to. */
  readonly version: number
  readonly before: DraftContent
  /** The content has changes that this browser had kept. */
  readonly isRestored: boolean
}

/** The accounts where the post has begun or ended, with where each is. */
export function startedIn({ deliveries }: Pick<Post, 'deliveries'>): ReadonlyMap<AccountId, DeliveryStatus> {
  const started = deliveries.filter(({ editable, status }) => !editable && status !== 'cancelled')
  return new Map(started.map(({ account_id, status }) => [account_id, status]))
}

export const canEdit = (post: Pick<Post, 'deliveries'>): boolean =>
  post.deliveries.some(({ editable }) => editable)

/** A post as the composer shows it to be changed: the accounts where it waits, and its time. */
export function editOfPost(post: PostDetail): ComposeState {
  const open = post.deliveries.filter(({ editable }) => editable)
  const { content, aside } = copyOfPost(
    post,
    open.map(({ delivery_id }) => delivery_id),
  )
  return { content: { ...content, publish_at: wallClockOfPost(post) }, aside }
}

/** Its wall clock, in UTC if this browser does not know the zone; null: as soon as possible. */
function wallClockOfPost({ publish_at: at, timezone: chosen }: Post): DraftContent['publish_at'] {
  if (at === null || chosen === null) return null
  const timezone = knownZone(chosen)
  return { local: localOf(at, timezone), timezone }
}

/** The request for the user's changes to a post; null: nothing was changed. */
export function toPostChange(
  post: PostDetail,
  { before, content }: { before: DraftContent; content: DraftContent },
  made: NewPost,
): Omit<PostChange, 'version'> | null {
  const isSame = (...parts: (keyof DraftContent)[]) =>
    parts.every((part) => JSON.stringify(before[part]) === JSON.stringify(content[part]))
  const change = {
    ...(!isSame('video_id') && { video_id: made.video_id }),
    // Captions and options are one: an account's own text is what differs from the shared one.
    ...(!isSame('text', 'platform_texts', 'targets', 'platform_options') && {
      text: made.text,
      // Left out, an account keeps its distance.
      targets: [...made.targets.map((one) => ({ after_minutes: 0, ...one })), ...startedTargets(post)],
    }),
    ...(content.schedule
      ? { schedule: content.schedule }
      : !isSame('publish_at') && { publish_at: content.publish_at }),
  }
  return Object.keys(change).length === 0 ? null : change
}

/** Accounts that have started stay in the post as they are: they are named, without text and options. */
const startedTargets = (post: PostDetail): NewPost['targets'] =>
  [...startedIn(post).keys()].map((account_id) => ({ account_id, options: {} }))
