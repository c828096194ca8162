import { expect, test } from 'vitest'
import { anchorBeside, rangeOf, titleOf, type View } from './range.ts'

test.each([
  ['week', '2026-11-25', '2026-11-23', 7, '23 – 29 Nov 2026'],
  ['week', '2026-11-23', '2026-11-23', 7, '23 – 29 Nov 2026'],
  ['week', '2026-12-01', '2026-11-30', 7, '30 Nov – 6 Dec 2026'],
  ['week', '2027-01-03', '2026-12-28', 7, '28 Dec 2026 – 3 Jan 2027'],
  ['month', '2026-11-25', '2026-10-26', 42, 'November 2026'],
  ['month', '2027-02-28', '2027-02-01', 28, 'February 2027'],
  ['month', '2026-12-31', '2026-11-30', 35, 'December 2026'],
  ['list', '2026-11-25', '2026-11-25', 28, '25 Nov – 22 Dec 2026'],
] satisfies [View, string, string, number, string][])(
  'a %s around %s begins on %s and has %i days',
  (view, anchor, from, days, title) => {
    const range = rangeOf(view, anchor)
    expect([range.from, range.days]).toEqual([from, days])
    expect(titleOf(range)).toBe(title)
  },
)

test.each([
  ['week', '2026-11-25', '2026-11-18', '2026-12-02'],
  ['month', '2026-12-31', '2026-11-01', '2027-01-01'],
  ['month', '2026-03-31', '2026-02-01', '2026-04-01'],
  ['list', '2026-11-25', '2026-10-28', '2026-12-23'],
] satisfies [View, string, string, string][])(
  'before the %s of %s comes that of %s, after it that of %s',
  (view, anchor, before, after) => {
    const range = rangeOf(view, anchor)
    expect([anchorBeside(range, -1), anchorBeside(range, 1)]).toEqual([before, after])
  },
)
