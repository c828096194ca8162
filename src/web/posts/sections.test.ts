import { expect, test } from 'vitest'
import type { Post } from '#contract/posts.ts'
import { withoutRepeats } from './sections.ts'

const post = (post_id: number) => ({ post_id }) as Post // the rest does not matter here
const idsOf = (posts: readonly Post[]) => posts.map(({ post_id }) => post_id)

test('a post that moves between two sections is shown in the first of them only', () => {
  const { attention, upcoming, past } = withoutRepeats({
    attention: [post(1), post(2), post(1)],
    upcoming: [post(3), post(2)],
    past: [post(4), post(3), post(1)],
  })
  expect([attention, upcoming, past].map(idsOf)).toEqual([[1, 2], [3], [4]])
})
