import { expect, test } from 'vitest'
import type { Post } from '#contract/posts.ts'
import { listEntries, withoutRepeats, type Section } from './queue-entries.ts'

const post = (post_id: number, goes_out_at: string) => ({ post_id, goes_out_at }) as Post // the rest does not matter here

const section = (
  posts: readonly Post[],
  its: Partial<Section> & { hasNextPage?: boolean } = {},
): Section => ({
  id: 'upcoming',
  title: 'Upcoming',
  isAlone: false,
  isGrouped: true,
  posts,
  query: {
    hasNextPage: its.hasNextPage ?? false,
    isFetchingNextPage: false,
    isError: false,
    fetchNextPage: () => expect.unreachable(),
  },
  ...its,
})

const keysOf = (sections: readonly Section[], zone: string) =>
  listEntries(sections, zone).map(({ key }) => key)

const [first, second, third] = [
  post(1, '2026-11-19T09:00:00.000Z'),
  post(2, '2026-11-19T22:30:00.000Z'),
  post(3, '2026-11-19T23:30:00.000Z'),
] as const

test('posts are grouped by their day in the zone, in list order', () => {
  expect(keysOf([section([first, second, third])], 'Europe/Berlin')).toEqual([
    'upcoming',
    'upcoming 2026-11-19',
    'upcoming 1',
    'upcoming 2',
    'upcoming 2026-11-20',
    'upcoming 3',
  ])
  expect(keysOf([section([third, second, first])], 'UTC')).toEqual([
    'upcoming',
    'upcoming 2026-11-19',
    'upcoming 3',
    'upcoming 2',
    'upcoming 1',
  ])
})

test('a section may have no days and a button for more; an empty one is left out', () => {
  const attention = section([first, second], { id: 'attention', isGrouped: false, hasNextPage: true })
  expect(keysOf([attention, section([])], 'UTC')).toEqual([
    'attention',
    'attention 1',
    'attention 2',
    'attention more',
  ])
})

test('the first and the last post of a card are known', () => {
  const edges = listEntries([section([first, second, third])], 'Europe/Berlin').flatMap((entry) =>
    entry.kind === 'post' ? [[entry.post.post_id, entry.isFirst, entry.isLast]] : [],
  )
  expect(edges).toEqual([
    [1, true, false],
    [2, false, true],
    [3, true, true],
  ])
})

const anyPost = (post_id: number) => post(post_id, '2026-11-19T09:00:00.000Z')
const postIds = (posts: readonly Post[]) => posts.map(({ post_id }) => post_id)

test('a post that moves between two sections is shown in the first of them only', () => {
  const { attention, upcoming, past } = withoutRepeats({
    attention: [anyPost(1), anyPost(2), anyPost(1)],
    upcoming: [anyPost(3), anyPost(2)],
    past: [anyPost(4), anyPost(3), anyPost(1)],
  })
  expect([attention, upcoming, past].map(postIds)).toEqual([[1, 2], [3], [4]])
})
