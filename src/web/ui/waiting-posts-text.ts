import type { WaitingPosts } from '#contract/posts.ts'
import { dateOf } from './moments.ts'

/** "225 scheduled posts, the next on 3 Dec 2026, the last on 20 Jan 2027, will not be posted." `null`: none waits. */
export function waitingPostsText({ posts, first_at, last_at }: WaitingPosts, zone: string): string | null {
  if (posts === 0 || first_at === null || last_at === null) return null
  const [first, last] = [dateOf(first_at, zone), dateOf(last_at, zone)]
  if (posts === 1) return `A post that is scheduled for ${first} will not be posted.`
  const when = first === last ? `all on ${first}` : `the next on ${first}, the last on ${last}`
  return `${posts.toLocaleString('en')} scheduled posts, ${when}, will not be posted.`
}
