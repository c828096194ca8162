import type { InfiniteData, useInfiniteQuery } from '@tanstack/react-query'
import type { Api } from '#contract/api/api.ts'
import type { Reply } from '#contract/http/endpoint.ts'
import type { Post } from '#contract/posts.ts'
import { dayOf } from '#web/lib/moments.ts'

export type PostPages = ReturnType<
  typeof useInfiniteQuery<Reply<Api['listPosts']>, Error, InfiniteData<Reply<Api['listPosts']>>>
>

/** The posts of one list of the server. */
export type Section = {
  readonly id: string
  readonly title: string
  /** The only section: the filter above it already names it. */
  readonly isAlone: boolean
  /** Grouped by day, or in one list where each post shows its day. */
  readonly isGrouped: boolean
  readonly posts: readonly Post[]
  readonly query: Pick<PostPages, 'hasNextPage' | 'isFetchingNextPage' | 'isError' | 'fetchNextPage'>
}

/** One line of the screen's list; `day` as `2026-11-18`, null in a section without days. */
export type Entry = { readonly key: string; readonly section: Section; readonly day: string | null } & (
  | { readonly kind: 'heading' | 'day' | 'more' }
  | { readonly kind: 'post'; readonly post: Post; readonly isFirst: boolean; readonly isLast: boolean }
)

/** Sections one after the other: heading, days with their posts in the server's order, and a button for more. */
export function listEntries(sections: readonly Section[], zone: string): Entry[] {
  return sections.flatMap((section) => {
    const { id, posts, isGrouped, query } = section
    if (posts.length === 0) return []
    const entries: Entry[] = [{ kind: 'heading', key: id, section, day: null }]
    const days = isGrouped
      ? [...Map.groupBy(posts, (post) => dayOf(post.goes_out_at, zone))]
      : [[null, posts] as const]
    for (const [day, own] of days) {
      if (day !== null) entries.push({ kind: 'day', key: `${id} ${day}`, section, day })
      for (const [i, post] of own.entries()) {
        const edges = { isFirst: i === 0, isLast: i === own.length - 1 }
        entries.push({ kind: 'post', key: `${id} ${post.post_id}`, section, day, post, ...edges })
      }
    }
    if (query.hasNextPage) entries.push({ kind: 'more', key: `${id} more`, section, day: null })
    return entries
  })
}

/** The lists of the sections. A post that moves between two is in both until both are refetched. */
type Sections = {
  readonly attention: readonly Post[]
  readonly upcoming: readonly Post[]
  readonly past: readonly Post[]
}

/** Keeps each post in its first place only: pages of one list may overlap, too, where a post moved in between. */
export function withoutRepeats({ attention, upcoming, past }: Sections): Sections {
  const shown = new Set<number>()
  const keepNew = (posts: readonly Post[]) =>
    posts.filter(({ post_id }) => !shown.has(post_id) && shown.add(post_id))
  return { attention: keepNew(attention), upcoming: keepNew(upcoming), past: keepNew(past) }
}
