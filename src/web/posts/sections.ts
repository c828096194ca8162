import type { Post } from '#contract/posts.ts'

/** The lists of the sections. A post that moves between two is in both until both are refetched. */
export type Sections = {
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
