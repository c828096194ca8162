import { expect, test } from 'vitest'
import { dayName, dayOf, localDayAndTime, timeOfDay } from './moments.ts'

test('a moment belongs to its day in the zone', () => {
  expect(dayOf('2026-11-18T23:30:00.000Z', 'Europe/Lisbon')).toBe('2026-11-18')
  expect(dayOf('2026-11-18T23:30:00.000Z', 'Asia/Tokyo')).toBe('2026-11-19')
  expect(timeOfDay('2026-11-18T23:30:00.000Z', 'Asia/Tokyo')).toBe('08:30')
})

test('near days have names and far days a date', () => {
  const names = ['2026-11-18', '2026-11-19', '2026-11-17', '2026-11-25', '2027-01-01']
  expect(names.map((day) => dayName(day, '2026-11-18'))).toEqual([
    'Today',
    'Tomorrow',
    'Yesterday',
    'Wednesday 25 November',
    'Friday 1 January 2027',
  ])
})

test('a wall clock is named by day and time', () =>
  expect(localDayAndTime('2026-11-27T15:00')).toBe('Fri 27 Nov, 15:00'))
