import { expect, test } from 'vitest'
import { untilQuotaResetS } from './quota-day.ts'

const HOUR_S = 3600

test.each([
  ['at noon in winter', '2026-11-22T20:00:00Z', 12 * HOUR_S],
  ['a second before midnight', '2026-11-23T07:59:59Z', 1],
  ['at midnight', '2026-11-23T08:00:00Z', 24 * HOUR_S],
  ['at noon in summer', '2026-07-01T19:00:00Z', 12 * HOUR_S],
  ['on the day of 25 hours', '2026-11-01T07:00:00Z', 25 * HOUR_S],
  ['on the day of 23 hours', '2027-03-14T08:00:00Z', 23 * HOUR_S],
])("Google's day ends %s", (_when, now, leftS) => {
  expect(untilQuotaResetS(Date.parse(now))).toBe(leftS + 60)
})
