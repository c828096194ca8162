import { expect, test } from 'vitest'
import { lastDays, parseDayRange, startOfLastDays } from './days.ts'

const utc = (instant: number | undefined) => new Date(instant ?? NaN).toISOString().slice(0, 16)
const HOUR_MS = 3_600_000

test('the days end with today, in the zone and not in UTC', () => {
  const now = Date.parse('2026-11-18T23:30:00Z')
  expect(lastDays(now, 'Europe/Lisbon', 2).names).toEqual(['2026-11-17', '2026-11-18'])
  expect(lastDays(now, 'Asia/Kathmandu', 2).names).toEqual(['2026-11-18', '2026-11-19'])
  expect(lastDays(now, 'Asia/Kathmandu', 2).starts.map(utc)).toEqual([
    '2026-11-17T18:15',
    '2026-11-18T18:15',
    '2026-11-19T18:15',
  ])
})

test.each([
  ['is 25 hours long where the clocks are set back', 'Europe/Lisbon', '2026-10-25', 25],
  ['is 23 hours long where the clocks are set forward', 'Europe/Berlin', '2026-03-29', 23],
  ['begins at one where the clocks leap over midnight', 'America/Santiago', '2026-09-06', 23],
  ['has its midnight twice and begins at the first', 'America/Havana', '2026-11-01', 25],
])('a day %s', (_what, zone, day, hours) => {
  const now = Date.parse(`${day}T18:00:00Z`)
  const { names, starts } = lastDays(now, zone, 1)
  expect(names).toEqual([day])
  expect(startOfLastDays(now, zone, 14)).toBe(lastDays(now, zone, 14).starts[0])
  expect((Number(starts[1]) - Number(starts[0])) / HOUR_MS).toBe(hours)
})

test('a range of days includes its last day, and is open where no day is given', () => {
  const range = parseDayRange({ from: '2026-10-24', to: '2026-10-25' }, 'Europe/Lisbon')
  expect([utc(range.from), utc(range.before)]).toEqual(['2026-10-23T23:00', '2026-10-26T00:00'])
  expect(parseDayRange({}, 'Europe/Lisbon')).toEqual({ from: undefined, before: undefined })
})
