import { expect, test } from 'vitest'
import type { Post } from '#contract/posts.ts'
import { byDay } from './days.ts'

const post = (created_at: string, publish_at: string | null = null) => ({ created_at, publish_at }) as Post // the rest does not matter here

test('today comes first, then what is to come, then what was', () => {
  const posts = [
    post('2026-11-18T09:00:00.000Z', '2026-11-20T09:00:00.000Z'),
    post('2026-11-18T08:00:00.000Z', '2026-11-19T09:00:00.000Z'),
    post('2026-11-18T07:00:00.000Z'),
    post('2026-11-17T07:00:00.000Z'),
    post('2026-11-16T07:00:00.000Z'),
  ]
  expect(byDay(posts, 'UTC', '2026-11-18').map(({ day }) => day)).toEqual([
    '2026-11-18',
    '2026-11-19',
    '2026-11-20',
    '2026-11-17',
    '2026-11-16',
  ])
})

test('within a day to come the soonest is first, otherwise the latest', () => {
  const early = post('2026-11-18T07:00:00.000Z')
  const late = post('2026-11-18T09:00:00.000Z')
  expect(byDay([early, late], 'UTC', '2026-11-18')[0]?.posts).toEqual([late, early])
  expect(byDay([late, early], 'UTC', '2026-11-17')[0]?.posts).toEqual([early, late])
})
