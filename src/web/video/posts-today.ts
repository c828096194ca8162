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
      text: `${stopped.message} The next post is tried ${time(stopped.until)}; others wait for that.`,
    }
  }
  if (total !== null && used !== null) {
    const text = `${used} of ${total} posts in 24 hours are used${inLine(waiting)}.`
    return used + waiting < total
      ? { waits: false, text }
      : { waits: true, text: `${text} The next one waits by itself until ${platform} takes it.` }
  }
  if (usual === null) return null
  const text = `${platform} takes about ${usual} posts a day; ${sent} went out from here in the last 24 hours${inLine(waiting)}.`
  return sent + waiting < usual
    ? { waits: false, text }
    : { waits: true, text: `${text} If ${platform} takes no more, the rest waits by itself.` }
}

const inLine = (waiting: number): string => (waiting === 0 ? '' : `, ${waiting} more to come`)
