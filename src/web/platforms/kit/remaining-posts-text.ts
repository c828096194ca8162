import type { PostsToday } from '#contract/platforms/index.ts'

/** `isLimitReached`: one more post would have to wait. */
export type RemainingPosts = { readonly isLimitReached: boolean; readonly text: string }

/** null: nothing useful is known. `time` formats a moment. */
export function describeRemainingPosts(
  today: PostsToday,
  platform: string,
  time: (at: string) => string,
): RemainingPosts | null {
  const { sent, waiting, used, total, usual, stopped } = today
  if (stopped !== null) {
    return {
      isLimitReached: true,
      text: `${stopped.message} Next try: ${time(stopped.until)}. Other posts wait until then.`,
    }
  }
  const pending = waiting === 0 ? '' : `, ${waiting} pending`
  if (total !== null && used !== null) {
    const text = `${used} of ${total} posts used in the last 24 hours${pending}.`
    return used + waiting < total
      ? { isLimitReached: false, text }
      : { isLimitReached: true, text: `${text} The next one goes out as soon as ${platform} allows it.` }
  }
  if (usual === null) return null
  // Short enough for one line of a form: the button below it does not move as posts become pending.
  const text = `About ${usual} posts a day; ${sent} posted in the last 24 hours${pending}.`
  return sent + waiting < usual
    ? { isLimitReached: false, text }
    : { isLimitReached: true, text: `${text} If ${platform} allows no more, the rest goes out later.` }
}
