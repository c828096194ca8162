import type { Post } from '#contract/posts.ts'
import type { Stopped } from './carry.ts'

export const STOPPED_EARLY = 'Upload cancelled. Nothing was posted.'

/**
 * What became of a form's post that was cancelled while it was on its way, by the server's word.
 * @param post null: nothing was made of it, and nothing will be
 */
export function whatWasStopped(post: Post | null): Stopped {
  if (post === null) return { what: STOPPED_EARLY, isGone: true }
  return post.deliveries.every(({ status }) => status === 'cancelled')
    ? {
        what: 'It had arrived before you cancelled, so its post was cancelled too: nothing went out.',
        isGone: true,
      }
    : {
        what: 'It had arrived before you cancelled, and is past cancelling: the queue says what becomes of it.',
        isGone: false,
      }
}

/**
 * Who sends the same again after a lost answer hears of the post that was made then. Null: it is on its way, as asked.
 */
export function earlierOutcome({ deliveries: [delivery] }: Post): string | null {
  switch (delivery?.status) {
    case 'cancelled':
      return 'This was sent before, and its post has been cancelled since. Send it once more to make a new post.'
    case 'failed':
      return `This was sent before, and its post failed. ${delivery.reason?.message ?? ''} It was not sent again: retry it in the queue.`
    case 'blocked':
      return `This was sent before, and its post is held. ${delivery.reason?.message ?? ''} It was not sent again: see the queue.`
    case 'unconfirmed':
      return 'This was sent before, and its post may be live: that is being found out. It was not sent again.'
    case 'scheduled':
    case 'preparing':
    case 'committing':
    case 'processing':
    case 'published':
    case undefined:
      return null
  }
}
