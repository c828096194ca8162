import { describe, expect, test } from 'vitest'
import { Report } from '#contract/reports.ts'
import { report, reportNumbers, reportPost } from '#web/testing/reports.ts'
import {
  addMonths,
  againstUsual,
  captionStart,
  monthSpan,
  differenceOf,
  summarizeReport,
  monthOfAddress,
  monthTitle,
} from './report.ts'

const parsed = (its: Parameters<typeof report>[0]) => Report.parse(report(its))
const likesOf = (its: Parameters<typeof report>[0]) => summarizeReport(parsed(its)).answers[0]
const followersOf = (numbers: ReturnType<typeof reportNumbers>, last = numbers) =>
  summarizeReport(parsed({ numbers, last_month: last })).followers.map(({ platform, value }) => [
    platform,
    value,
  ])
const bestOf = (its: Parameters<typeof reportPost>[0]) => {
  const { best } = parsed({ best: reportPost(its) })
  if (!best) throw new Error('no best post')
  return best
}

describe('months', () => {
  test('months are counted over the turn of the year', () => {
    expect(addMonths('2026-01', -1)).toBe('2025-12')
    expect(addMonths('2026-12', 1)).toBe('2027-01')
    expect(monthTitle('2025-12')).toBe('December 2025')
  })

  test('a month ends with its last day', () => {
    expect(monthSpan('2028-02')).toEqual({ from: '2028-02-01', to: '2028-02-29' })
    expect(monthSpan('2026-12')).toEqual({ from: '2026-12-01', to: '2026-12-31' })
  })

  test.each([
    ['2026-08', '2026-08'],
    ['2026-11', '2026-11'],
    [null, '2026-10'],
    ['2026-12', '2026-10'],
    ['2026-13', '2026-10'],
    ['soon', '2026-10'],
  ])('the address %s shows %s in November', (asked, shown) => {
    expect(monthOfAddress(asked, '2026-11')).toBe(shown)
  })
})

describe('numbers against last month', () => {
  test.each([
    [48, 36, '12 more (+33%)'],
    [36, 48, '12 fewer (−25%)'],
    [5, 5, 'No change'],
    [0, 0, 'No change'],
    [1_200, 0, '1,200 more'],
    [0, 8, '8 fewer (−100%)'],
    [100_001, 100_000, '1 more'],
  ])('%d after %d is %s', (now, before, text) => {
    expect(differenceOf(now, before)).toBe(text)
  })

  test('views are told for each platform of either month, and never added up', () => {
    const last = reportNumbers({ views: [{ platform: 'instagram', value: 300, counted: 2, of: 2 }] })
    const { views } = summarizeReport(parsed({ last_month: last }))
    expect(views.map(({ platform, value, before }) => [platform, value, before])).toEqual([
      ['tiktok', '12,400', 'No posts in September'],
      ['instagram', 'No posts', '300 in September'],
      ['youtube', '900', 'No posts in September'],
    ])
    expect(views.map(({ difference }) => difference)).toEqual([null, null, null])
  })

  test('followers gained are told for each platform, unless no post of either month told them', () => {
    const untold = reportNumbers({ followers_gained: [{ platform: 'youtube', value: 0, counted: 0, of: 7 }] })
    expect(followersOf(reportNumbers())).toEqual([['youtube', '36']])
    expect(followersOf(untold)).toEqual([])
    expect(followersOf(untold, reportNumbers())).toEqual([['youtube', 'Not known']])
  })

  test('a number that no post told is not known, and not 0', () => {
    const numbers = reportNumbers({ likes: { value: 0, counted: 0, of: 14 } })
    expect(likesOf({ numbers })).toMatchObject({
      value: 'Not known',
      counted: '0 of 14 posts counted',
      difference: null,
    })
    expect(likesOf({ last_month: numbers })).toMatchObject({
      value: '1,200',
      before: 'Not known for September',
      difference: null,
    })
  })

  test('a month of which not every post told says so', () => {
    const likes = likesOf({})
    expect(likes?.counted).toBe('12 of 14 posts counted')
    expect(likes?.before).toBe('1,200 in September, 12 of 14 posts counted')
  })
})

describe('a post', () => {
  test.each([
    [{ value: 5_200, missing: null }, 2_500, '2.1× usual'],
    [{ value: 100, missing: null }, 1_000, '0.1× usual'],
    [{ value: 123_400, missing: null }, 100, '1,234× usual'],
    [{ value: 5_200, missing: null }, null, null],
    [{ value: 5_200, missing: null }, 0, null],
    [{ value: null, missing: 'gone' as const }, 2_500, null],
  ])('%o against %s is %s', (views, usual, text) => {
    expect(againstUsual(bestOf({ views, usual }))).toBe(text)
  })

  test('a caption is cut between words, or within a long one', () => {
    expect(captionStart(' Lemon\n\ntart ')).toBe('Lemon tart')
    expect(captionStart('lemon '.repeat(60))).toMatch(/^(lemon )+lemon…$/)
    expect(captionStart('檸'.repeat(300))).toBe(`${'檸'.repeat(160)}…`)
    expect(captionStart(`a${'🍋'.repeat(150)}`)).toBe(`a${'🍋'.repeat(79)}…`)
  })
})
