import { expect, test } from 'vitest'
import type { PostsToday } from '#contract/platforms/index.ts'
import { postsLeft } from './posts-today.ts'

const nothing: PostsToday = { sent: 0, waiting: 0, used: null, total: null, usual: null, stopped: null }
const said = (change: Partial<PostsToday>) => postsLeft({ ...nothing, ...change }, 'Nile', () => 'at noon')

test('what a platform tells of its limit is said in its figures', () => {
  expect(said({ used: 12, total: 50 })).toEqual({
    waits: false,
    text: '12 of 50 posts in 24 hours are used.',
  })
  expect(said({ used: 12, total: 50, waiting: 3 })?.text).toBe(
    '12 of 50 posts in 24 hours are used, 3 more to come.',
  )
})

test('a post that would be one too many is said to wait, before it is sent', () => {
  expect(said({ used: 50, total: 50 })).toEqual({
    waits: true,
    text: '50 of 50 posts in 24 hours are used. The next one waits by itself until Nile takes it.',
  })
  expect(said({ used: 12, total: 50, waiting: 38 })?.waits).toBe(true)
  expect(said({ used: 12, total: 50, waiting: 37 })?.waits).toBe(false)
})

test('where a platform tells nothing, what is usual stands beside what went out from here', () => {
  expect(said({ usual: 15, sent: 12 })).toEqual({
    waits: false,
    text: 'Nile takes about 15 posts a day; 12 went out from here in the last 24 hours.',
  })
  expect(said({ usual: 15, sent: 12, waiting: 3 })?.waits).toBe(true)
  expect(said({})).toBeNull()
})

test('a platform that said stop is quoted, with the time of the next try', () => {
  const stopped = { message: 'Nile says it is enough.', until: '2026-11-21T12:00:00.000Z' }
  expect(said({ usual: 15, stopped })).toEqual({
    waits: true,
    text: 'Nile says it is enough. The next post is tried at noon; others wait for that.',
  })
})
