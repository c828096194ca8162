import { expect, test } from 'vitest'
import type { OverviewDay } from '#contract/overview.ts'
import { numbersOf, summaryOf } from './numbers.ts'

const day = (name: string, published = 0, failed = 0): OverviewDay => ({ day: name, published, failed })

test("a day's text leaves out zero counts", () => {
  expect(numbersOf({ published: 3, failed: 1 })).toBe('3 published, 1 failed')
  expect(numbersOf({ published: 0, failed: 2 })).toBe('2 failed')
  expect(numbersOf({ published: 0, failed: 0 })).toBe('nothing')
})

test('the summary names the day with most posts', () => {
  expect(summaryOf([day('2026-11-16', 4, 1), day('2026-11-17', 2), day('2026-11-18')])).toBe(
    '6 published, 1 failed in 3 days. Busiest day: Monday 16 November, with 4.',
  )
  expect(summaryOf([day('2026-11-17', 1), day('2026-11-18', 2)])).toBe(
    '3 published in 2 days. Busiest day: today, with 2.',
  )
  expect(summaryOf([day('2026-11-17'), day('2026-11-18', 2)])).toBe('2 published in 2 days.')
  expect(summaryOf([day('2026-11-17'), day('2026-11-18')])).toBe(
    'No posts published or failed in the last 2 days.',
  )
})
