import type { Post } from '#contract/posts.ts'

/** The lists of the sections, in their order: a post that is on its way from one to the next is in both until both are fetched again. */
export type Sections = {
  readonly attention: readonly Post[]
  readonly upcoming: readonly Post[]
  readonly past: readonly Post[]
}

/** Each post in the first of its sections only. */
export function withoutRepeats({ attention, upcoming, past }: Sections): Sections {
  const shown = new Set(attention.map(({ post_id }) => post_id))
  const isNew = ({ post_id }: Post) => !shown.has(post_id)
  const coming = upcoming.filter(isNew)
  for (const { post_id } of coming) shown.add(post_id)
  return { attention, upcoming: coming, past: past.filter(isNew) }
}
