import type { Post } from '#contract/posts.ts'
import { momentOf } from '#web/posts/post.ts'
import { dayOf } from '#web/lib/format/moments.ts'

export type Day = { readonly day: string; readonly posts: readonly Post[] }

/** Groups posts by their day in a zone, in the server's order; days as `2026-11-18`. */
export const byDay = (posts: readonly Post[], zone: string): Day[] =>
  [...Map.groupBy(posts, (post) => dayOf(momentOf(post), zone))].map(([day, own]) => ({ day, posts: own }))
