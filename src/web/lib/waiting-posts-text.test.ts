import { expect, test } from 'vitest'
import { waitingPostsText } from './waiting-posts-text.ts'

const text = (posts: number, first_at: string | null, last_at: string | null, zone = 'UTC') =>
  waitingPostsText({ posts, first_at, last_at }, zone)

test("posts that will be cancelled are counted and dated in the profile's zone", () => {
  expect(text(0, null, null)).toBeNull()
  expect(text(1, '2026-12-03T09:00:00.000Z', '2026-12-03T09:00:00.000Z')).toBe(
    'The post due on 3 Dec 2026 will not be posted.',
  )
  expect(text(225, '2026-12-03T09:00:00.000Z', '2027-01-20T23:30:00.000Z', 'Europe/Berlin')).toBe(
    '225 posts due from 3 Dec 2026 to 21 Jan 2027 will not be posted.',
  )
  expect(text(2, '2026-12-03T09:00:00.000Z', '2026-12-03T18:00:00.000Z')).toBe(
    '2 posts due on 3 Dec 2026 will not be posted.',
  )
})
