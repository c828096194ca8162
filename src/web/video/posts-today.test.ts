import { expect, test } from 'vitest'
import type { PostsToday } from '#contract/platforms/index.ts'
import { postsLeft } from './posts-today.ts'

const nothing: PostsToday = { sent: 0, waiting: 0, used: null, total: null, usual: null, stopped: null }
const said = (change: Partial<PostsToday>) => postsLeft({ ...nothing, ...change }, 'Nile', () => 'at noon')

test('a limit that the platform reports is shown in its figures', () => {
  expect(said({ used: 12, total: 50 })).toEqual({
    waits: false,
    text: '12 of 50 posts used in the last 24 hours.',
  })
  expect(said({ used: 12, total: 50, waiting: 3 })?.text).toBe(
    '12 of 50 posts used in the last 24 hours, 3 pending.',
  )
})

test('a post over the limit is said to wait, before it is sent', () => {
  expect(said({ used: 50, total: 50 })).toEqual({
    waits: true,
    text: '50 of 50 posts used in the last 24 hours. The next one goes out as soon as Nile allows it.',
  })
  expect(said({ used: 12, total: 50, waiting: 38 })?.waits).toBe(true)
  expect(said({ used: 12, total: 50, waiting: 37 })?.waits).toBe(false)
})

test('without a figure from the platform, the usual limit is shown with the posts sent', () => {
  expect(said({ usual: 15, sent: 12 })).toEqual({
    waits: false,
    text: 'Nile allows about 15 posts a day; 12 posted in the last 24 hours.',
  })
  expect(said({ usual: 15, sent: 12, waiting: 3 })?.waits).toBe(true)
  expect(said({})).toBeNull()
})

test('a paused platform is quoted, with the time of the next try', () => {
  const stopped = { message: 'Nile says it is enough.', until: '2026-11-21T12:00:00.000Z' }
  expect(said({ usual: 15, stopped })).toEqual({
    waits: true,
    text: 'Nile says it is enough. Next try: at noon. Other posts wait until then.',
  })
})
