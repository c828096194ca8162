import { expect, test } from 'vitest'
import type { PostId } from '#contract/ids.ts'
import { POSTS_AT_ONCE_MAX } from '#contract/limits.ts'
import type { Post } from '#contract/posts.ts'
import { extend, NOTHING_SELECTED, type Selection, toggle, deselect } from './selection.ts'

const posts = Array.from({ length: POSTS_AT_ONCE_MAX + 20 }, (_, i) => ({ post_id: i + 1 }) as Post) // the rest does not matter here
const at = (id: number): Post => posts[id - 1] ?? expect.unreachable()
const idsOf = (selection: Selection) => [...selection.posts.keys()]

test('a post is selected and deselected', () => {
  const two = toggle(toggle(NOTHING_SELECTED, at(3)), at(1))
  expect(idsOf(two)).toEqual([3, 1])
  expect(idsOf(toggle(two, at(3)))).toEqual([1])
})

test('a range goes from its anchor in either direction; without one the post is toggled', () => {
  const first = toggle(NOTHING_SELECTED, at(4))
  expect(idsOf(extend(first, posts, at(6)))).toEqual([4, 5, 6])
  expect(idsOf(extend(first, posts, at(2)))).toEqual([4, 2, 3])
  expect(idsOf(extend(NOTHING_SELECTED, posts, at(2)))).toEqual([2])
})

test('no more posts are selected than one call takes', () => {
  const all = extend(toggle(NOTHING_SELECTED, at(1)), posts, at(posts.length))
  expect(all.posts.size).toBe(POSTS_AT_ONCE_MAX)
  expect(toggle(all, at(posts.length)).posts.size).toBe(POSTS_AT_ONCE_MAX)
})

test('posts that an action is done with are deselected', () => {
  const some = extend(toggle(NOTHING_SELECTED, at(1)), posts, at(3))
  expect(idsOf(deselect(some, new Set([at(2).post_id] as PostId[])))).toEqual([1, 3])
})
