import type { PostsToday } from '#contract/platforms/index.ts'

/** What is said of an account's posts of a day. `waits`: one more would not go out at once. */
export type Left = { readonly waits: boolean; readonly text: string }

/**
 * How many posts an account has left, as far as anybody knows; null: nothing is known that would help. `time` names a moment.
 */
export function postsLeft(today: PostsToday, platform: string, time: (at: string) => string): Left | null {
  const { sent, waiting, used, total, usual, stopped } = today
  if (stopped !== null) {
    return {
      waits: true,
      text: `${stopped.message} Next try: ${time(stopped.until)}. Other posts wait until then.`,
    }
  }
  if (total !== null && used !== null) {
    const text = `${used} of ${total} posts used in the last 24 hours${pending(waiting)}.`
    return used + waiting < total
      ? { waits: false, text }
      : { waits: true, text: `${text} The next one goes out as soon as ${platform} allows it.` }
  }
  if (usual === null) return null
  const text = `${platform} allows about ${usual} posts a day; ${sent} posted in the last 24 hours${pending(waiting)}.`
  return sent + waiting < usual
    ? { waits: false, text }
    : { waits: true, text: `${text} If ${platform} allows no more, the rest goes out later.` }
}

const pending = (waiting: number): string => (waiting === 0 ? '' : `, ${waiting} pending`)
