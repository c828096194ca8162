import type { WaitingPosts } from '#contract/waiting-posts.ts'
import { dateOf } from './moments.ts'

/** "225 posts due from 3 Dec 2026 to 20 Jan 2027 will not be posted." `null`: none. Held posts count too. */
export function waitingPostsText({ posts, first_at, last_at }: WaitingPosts, zone: string): string | null {
  if (posts === 0 || first_at === null || last_at === null) return null
  const [first, last] = [dateOf(first_at, zone), dateOf(last_at, zone)]
  if (posts === 1) return `The post due on ${first} will not be posted.`
  const when = first === last ? `on ${first}` : `from ${first} to ${last}`
  return `${posts.toLocaleString('en')} posts due ${when} will not be posted.`
}
