import { expect, test } from 'vitest'
import { isKnownZone, TimeZone } from './users.ts'

const isTaken = (name: string): boolean => TimeZone.safeParse(name).success

test.each([
  'Europe/Lisbon',
  'Asia/Kolkata',
  'Asia/Calcutta',
  'America/Coyhaique',
  'UTC',
  'Etc/GMT+5',
  'EST',
  'GB',
])('%s is the name of a zone', (name) => expect(isTaken(name)).toBe(true))

test.each([
  '+01:00',
  '-05',
  'CST',
  'IST',
  'europe/lisbon',
  'utc',
  'asia/kolkata',
  'Mars/Olympus',
  '',
  'UTC+3',
])('%j is no name of IANA', (name) => expect(isTaken(name)).toBe(false))

test('a zone that was stored under another name goes on telling times', () => {
  expect(['europe/lisbon', '+01:00', 'CST'].map(isKnownZone)).toEqual([true, true, true])
  expect(isKnownZone('Mars/Olympus')).toBe(false)
})
