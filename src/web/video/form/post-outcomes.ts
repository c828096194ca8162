import type { Post } from '#contract/posts.ts'
import type { Cancellation } from '#web/video/upload/upload-file.ts'

export const NOTHING_POSTED = 'Upload cancelled. Nothing was posted.'

/**
 * What the server says of a post whose upload was cancelled.
 * @param post null: none was created, and none will be
 */
export function cancellationOf(post: Post | null): Cancellation {
  if (post === null) return { message: NOTHING_POSTED, publishesNothing: true }
  return isCancelled(post)
    ? {
        message: 'The upload had already finished, so its post was cancelled too. Nothing was posted.',
        publishesNothing: true,
      }
    : {
        message:
          'The upload had already finished, and its post can no longer be cancelled. See the queue for its status.',
        publishesNothing: false,
      }
}

export const isCancelled = ({ deliveries }: Post): boolean =>
  deliveries.every(({ status }) => status === 'cancelled')

/** The message if the same submission was already sent and its post is not on its way; null: it is. */
export function earlierOutcome({ deliveries: [delivery] }: Post): string | null {
  const reason = delivery?.reason?.message ?? ''
  switch (delivery?.status) {
    case 'cancelled':
      return 'You sent this before, and its post was cancelled. Publish again to create a new post.'
    case 'failed':
      return `You sent this before, and its post failed. ${reason} It was not sent again: retry it in the queue.`
    case 'blocked':
      return `You sent this before, and its post is on hold. ${reason} It was not sent again: see the queue.`
    case 'unconfirmed':
      return 'You sent this before, and its post may be live: Reelay is checking. It was not sent again.'
    case 'scheduled':
    case 'preparing':
    case 'committing':
    case 'processing':
    case 'published':
    case 'in_inbox':
    case undefined:
      return null
  }
}
