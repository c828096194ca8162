import { expect, test } from 'vitest'
import type { Post } from '#contract/posts.ts'
import { byDay } from './days.ts'

const post = (created_at: string, publish_at: string | null = null) => ({ created_at, publish_at }) as Post // the rest does not matter here

test('posts are grouped by their day in the zone, in list order', () => {
  const [first, second, third] = [
    post('2026-11-18T09:00:00.000Z', '2026-11-19T09:00:00.000Z'),
    post('2026-11-18T08:00:00.000Z', '2026-11-19T22:30:00.000Z'),
    post('2026-11-18T07:00:00.000Z', '2026-11-19T23:30:00.000Z'),
  ] as const
  expect(byDay([first, second, third], 'Europe/Berlin')).toEqual([
    { day: '2026-11-19', posts: [first, second] },
    { day: '2026-11-20', posts: [third] },
  ])
  expect(byDay([third, second, first], 'UTC')).toEqual([{ day: '2026-11-19', posts: [third, second, first] }])
})
