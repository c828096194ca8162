import { expect, test } from 'vitest'
import type { PostsToday } from '#contract/platforms/index.ts'
import { describeRemainingPosts } from './remaining-posts-text.ts'

const nothing: PostsToday = { sent: 0, waiting: 0, used: null, total: null, usual: null, stopped: null }
const described = (change: Partial<PostsToday>) =>
  describeRemainingPosts({ ...nothing, ...change }, 'Nile', () => 'at noon')

test('a limit that the platform reports is shown in its figures', () => {
  expect(described({ used: 12, total: 50 })).toEqual({
    isLimitReached: false,
    text: '12 of 50 posts used in the last 24 hours.',
  })
  expect(described({ used: 12, total: 50, waiting: 3 })?.text).toBe(
    '12 of 50 posts used in the last 24 hours, 3 pending.',
  )
})

test('a post over the limit is announced to wait', () => {
  expect(described({ used: 50, total: 50 })).toEqual({
    isLimitReached: true,
    text: '50 of 50 posts used in the last 24 hours. The next one goes out as soon as Nile allows it.',
  })
  expect(described({ used: 12, total: 50, waiting: 38 })?.isLimitReached).toBe(true)
  expect(described({ used: 12, total: 50, waiting: 37 })?.isLimitReached).toBe(false)
})

test('without a figure from the platform, the usual limit is shown with the posts sent', () => {
  expect(described({ usual: 15, sent: 12 })).toEqual({
    isLimitReached: false,
    text: 'About 15 posts a day; 12 posted in the last 24 hours.',
  })
  expect(described({ usual: 15, sent: 12, waiting: 3 })?.isLimitReached).toBe(true)
  expect(described({})).toBeNull()
})

test('a paused platform is quoted, with the time of the next try', () => {
  const stopped = { message: 'Nile says it is enough.', until: '2026-11-21T12:00:00.000Z', limit: true }
  expect(described({ usual: 15, stopped })).toEqual({
    isLimitReached: true,
    text: 'Nile says it is enough. Next try: at noon. Other posts wait until then.',
  })
})
