import type { PostId } from '#contract/ids.ts'
import { POSTS_AT_ONCE_MAX } from '#contract/limits.ts'
import type { Post } from '#contract/posts.ts'

/** The selected posts in the order in which they were selected; `last`: where a range begins. */
export type Selection = { readonly posts: ReadonlyMap<PostId, Post>; readonly last: PostId | null }

export const NOTHING_SELECTED: Selection = { posts: new Map(), last: null }

/** Selects a post or lets it go. */
export function toggle({ posts }: Selection, post: Post): Selection {
  const next = new Map(posts)
  if (!next.delete(post.post_id)) next.set(post.post_id, post)
  return { posts: bounded(next), last: post.post_id }
}

/** Selects all of the list from where the last selection was to this post. */
export function extend(selection: Selection, list: readonly Post[], to: Post): Selection {
  const placeOf = (postId: PostId | null) => list.findIndex(({ post_id }) => post_id === postId)
  const from = placeOf(selection.last)
  if (from < 0) return toggle(selection, to)
  const [start, end] = [from, placeOf(to.post_id)].toSorted((a, b) => a - b)
  const range = list.slice(start, (end ?? from) + 1).map((post) => [post.post_id, post] as const)
  return { posts: bounded(new Map([...selection.posts, ...range])), last: to.post_id }
}

/** After something was done with these. */
export function without({ posts }: Selection, done: ReadonlySet<PostId>): Selection {
  return { posts: new Map([...posts].filter(([postId]) => !done.has(postId))), last: null }
}

/** One call takes no more: the first ones stay. */
const bounded = (posts: Selection['posts']): Selection['posts'] =>
  posts.size <= POSTS_AT_ONCE_MAX ? posts : new Map([...posts].slice(0, POSTS_AT_ONCE_MAX))
