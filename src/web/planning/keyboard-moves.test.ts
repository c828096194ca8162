import { expect, test } from 'vitest'
import { clockIn } from './calendar-entries.ts'
import { shiftTime, shiftForKey, type Shift } from './keyboard-moves.ts'

const move = (local: string, zone: string, shift: Shift) => {
  const clock = clockIn(zone)
  return clock(shiftTime(Date.parse(local), shift, { clock, zone }))
}

test.each([
  ['to the next quarter', '2026-11-25T18:07:00Z', 'UTC', { quarters: 1 }, '2026-11-25T18:15'],
  ['back to the last quarter', '2026-11-25T18:07:00Z', 'UTC', { quarters: -1 }, '2026-11-25T18:00'],
  ['from quarter to quarter', '2026-11-25T18:15:00Z', 'UTC', { quarters: -1 }, '2026-11-25T18:00'],
  ['over midnight', '2026-11-25T23:45:00Z', 'UTC', { quarters: 1 }, '2026-11-26T00:00'],
  [
    'by a day with its time, over a change of clocks',
    '2027-03-27T18:00:00Z',
    'Europe/Lisbon',
    { days: 1 },
    '2027-03-28T18:00',
  ],
  ['by a week', '2026-11-25T18:00:00Z', 'UTC', { days: -7 }, '2026-11-18T18:00'],
  [
    'over the hour that clocks leap',
    '2027-03-28T00:45:00Z',
    'Europe/Lisbon',
    { quarters: 1 },
    '2027-03-28T02:00',
  ],
  ['and back over it', '2027-03-28T01:00:00Z', 'Europe/Lisbon', { quarters: -1 }, '2027-03-28T00:45'],
] satisfies [string, string, string, Shift, string][])('a press moves %s', (_how, at, zone, shift, to) => {
  expect(move(at, zone, shift)).toBe(to)
})

test('up and down are quarters of an hour in a week, and weeks in a month', () => {
  expect(shiftForKey('ArrowUp', 'week')).toEqual({ quarters: -1 })
  expect(shiftForKey('ArrowDown', 'month')).toEqual({ days: 7 })
  expect(shiftForKey('ArrowRight', 'list')).toEqual({ days: 1 })
  expect(shiftForKey('Enter', 'week')).toBeNull()
})
