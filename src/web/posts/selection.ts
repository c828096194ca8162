import type { PostId } from '#contract/ids.ts'
import { POSTS_AT_ONCE_MAX } from '#contract/limits.ts'
import type { Post } from '#contract/posts.ts'

/** The selected posts in the order in which they were selected; `anchor`: where a range begins. */
export type Selection = { readonly posts: ReadonlyMap<PostId, Post>; readonly anchor: PostId | null }

export const NOTHING_SELECTED: Selection = { posts: new Map(), anchor: null }

/** Selects or deselects a post; a range begins there. */
export function toggle({ posts }: Selection, post: Post): Selection {
  const next = new Map(posts)
  if (!next.delete(post.post_id)) next.set(post.post_id, post)
  return { posts: bounded(next), anchor: post.post_id }
}

/** Selects the range of the list from the anchor to this post; without an anchor, toggles the post. */
export function extend(selection: Selection, list: readonly Post[], to: Post): Selection {
  const placeOf = (postId: PostId | null) => list.findIndex(({ post_id }) => post_id === postId)
  const from = placeOf(selection.anchor)
  if (from < 0) return toggle(selection, to)
  const [start, end] = [from, placeOf(to.post_id)].toSorted((a, b) => a - b)
  const range = list.slice(start, (end ?? from) + 1).map((post) => [post.post_id, post] as const)
  return { posts: bounded(new Map([...selection.posts, ...range])), anchor: to.post_id }
}

/** After an action on these posts: the anchor is cleared too. */
export function deselect({ posts }: Selection, done: ReadonlySet<PostId>): Selection {
  return { posts: new Map([...posts].filter(([postId]) => !done.has(postId))), anchor: null }
}

/** One call takes no more: the first ones stay. */
const bounded = (posts: Selection['posts']): Selection['posts'] =>
  posts.size <= POSTS_AT_ONCE_MAX ? posts : new Map([...posts].slice(0, POSTS_AT_ONCE_MAX))
