import { expect, test } from 'vitest'
import { MARK_AGES_H, MissingReason } from '#contract/results.ts'
import {
  MISSING,
  ageText,
  agoText,
  bandText,
  compact,
  exactViews,
  formatMetric,
  reasonOf,
} from './numbers.ts'

test.each([
  [0, '0', '0 views'],
  [1, '1', '1 view'],
  [987, '987', '987 views'],
  [12_345, '12.3K', '12,345 views'],
  [4_000_000, '4M', '4,000,000 views'],
])('%i views are short in a cell and exact beside it', (views, short, long) => {
  expect(compact(views)).toBe(short)
  expect(exactViews(views)).toBe(long)
})

test.each([
  ['likes', 1200, '1.2K'],
  ['average_watch_ms', 8_430, '8.4 s'],
  ['average_watch_ms', 65_000, '1 min'],
  ['total_watch_ms', 400, '0 s'],
  ['total_watch_ms', 68_280_000, '18 h 58 min'],
] as const)('%s of %i reads %j', (metric, value, text) => expect(formatMetric(metric, value)).toBe(text))

const read = (value: number | null) => ({ value, missing: value === null ? ('not_yet' as const) : null })

test.each([
  ['above', 2100, 1000, '▲', '2.1× usual'],
  ['above', 24_000, 1000, '▲', '24× usual'],
  ['below', 400, 1000, '▼', '0.4× usual'],
  ['usual', 1100, 1000, '', 'usual'],
  // Of nothing there is no multiple, and a rounded 0 would say that there was none.
  ['above', 10, 0, '▲', 'above usual'],
  ['below', 1, 1000, '▼', 'below usual'],
] as const)(
  'a number %s usual says so in words and with a sign: %i of %i',
  (band, value, usual, sign, text) =>
    expect(bandText({ views: read(value), usual, band })).toMatchObject({ sign, text }),
)

test('without a number, a median or a comparison nothing is compared', () => {
  expect(bandText({ views: read(null), usual: 10, band: 'usual' })).toBeNull()
  expect(bandText({ views: read(10), usual: null, band: 'above' })).toBeNull()
  expect(bandText({ views: read(10), usual: 10, band: null })).toBeNull()
})

test('every reason for a missing number has different words', () => {
  const words = MissingReason.options.map((reason) => MISSING[reason].word)
  expect(new Set(words).size).toBe(MissingReason.options.length)
  expect(reasonOf(read(null))).toBe('not_yet')
})

test('ages are said in the unit that fits', () => {
  expect(MARK_AGES_H.map(ageText)).toEqual([
    '1 hour',
    '24 hours',
    '7 days',
    '28 days',
    '5 weeks',
    '6 weeks',
    '7 weeks',
    '8 weeks',
    '9 weeks',
    '10 weeks',
    '11 weeks',
    '12 weeks',
  ])
  expect([ageText(5.2), ageText(216)]).toEqual(['5 hours', '9 days'])
})

test.each([
  [20_000, 'just now'],
  [60_000, '1 minute ago'],
  [600_000, '10 minutes ago'],
  [7_200_000, '2 hours ago'],
  [259_200_000, '3 days ago'],
])('a reading %i ms ago was %s', (ms, text) => {
  const at = '2026-11-01T12:00:00.000Z'
  expect(agoText(at, Date.parse(at) + ms)).toBe(text)
})
