import type { Post } from '#contract/posts.ts'

/** The lists of the sections. A post that moves between two is in both until both are refetched. */
export type Sections = {
  readonly attention: readonly Post[]
  readonly upcoming: readonly Post[]
  readonly past: readonly Post[]
}

/** Keeps each post in its first section only. */
export function withoutRepeats({ attention, upcoming, past }: Sections): Sections {
  const shown = new Set(attention.map(({ post_id }) => post_id))
  const isNew = ({ post_id }: Post) => !shown.has(post_id)
  const coming = upcoming.filter(isNew)
  for (const { post_id } of coming) shown.add(post_id)
  return { attention, upcoming: coming, past: past.filter(isNew) }
}
