import type { Post } from '#contract/posts.ts'
import { momentOf } from '#web/posts/post.ts'
import { dayOf } from '#web/ui/moments.ts'

export type Day = { readonly day: string; readonly posts: readonly Post[] }

/**
 * Posts by the day of the user's zone: today first, then what is to come, soonest first, then what was, latest first.
 * `today` as `2026-11-18`.
 */
export function byDay(posts: readonly Post[], zone: string, today: string): Day[] {
  const days = Map.groupBy(posts, (post) => dayOf(momentOf(post), zone))
  return [...days]
    .map(([day, own]) => ({
      day,
      posts: own.toSorted((a, b) =>
        day > today ? compare(momentOf(a), momentOf(b)) : compare(momentOf(b), momentOf(a)),
      ),
    }))
    .toSorted((a, b) => (a.day >= today && b.day >= today ? compare(a.day, b.day) : compare(b.day, a.day)))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
