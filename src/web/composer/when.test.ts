import { describe, expect, test } from 'vitest'
import {
  actionLabel,
  allowedTime,
  momentOf,
  namedMoment,
  fullMoment,
  timeNote,
  defaultTime,
  shortTime,
  findTimeProblem,
} from './when.ts'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const lisbon = (local: string) => ({ local, timezone: 'Europe/Lisbon' })

describe('a chosen time', () => {
  test('must exist, lie ahead and lie within a year', () => {
    expect(findTimeProblem(lisbon('2026-11-24T18:00'), NOW)).toBeNull()
    expect(findTimeProblem(lisbon('T'), NOW)).toBe('Choose a date and a time.')
    expect(findTimeProblem(lisbon('2026-02-30T18:00'), NOW)).toBe('Choose a date and a time.')
    expect(findTimeProblem(lisbon('2026-11-22T11:58'), NOW)).toBe('This time has passed. Choose a later one.')
    expect(findTimeProblem(lisbon('2027-11-30T18:00'), NOW)).toBe('Choose a time within 365 days.')
  })

  test('is a moment of its own zone', () => {
    expect(momentOf({ local: '2026-11-24T18:00', timezone: 'Asia/Tokyo' })).toEqual({
      at: '2026-11-24T09:00:00.000Z',
      timezone: 'Asia/Tokyo',
    })
    expect(momentOf(lisbon('2026-11-24T'))).toBeNull()
  })

  test('names its zone, and what it is for a user of another one', () => {
    const [zone, now] = ['Europe/Lisbon', NOW]
    const tokyo = { local: '2026-11-24T18:00', timezone: 'Asia/Tokyo' }
    expect(timeNote(lisbon('2026-11-24T18:00'), { zone, now })).toBe('Europe/Lisbon time.')
    expect(timeNote(tokyo, { zone, now })).toBe('Asia/Tokyo time. For you: Tue 09:00.')
    expect(timeNote({ ...tokyo, local: '2026-11-22T23:00' }, { zone, now })).toBe(
      'Asia/Tokyo time. For you: today 14:00.',
    )
    const moment = { at: '2026-11-24T09:00:00.000Z', timezone: 'Asia/Tokyo' }
    expect(namedMoment(moment, { zone, now })).toBe('Tue 18:00 Tokyo time')
    expect(namedMoment({ ...moment, timezone: zone }, { zone, now })).toBe('Tue 09:00')
    expect(fullMoment(moment)).toBe('Tue 24 Nov, 18:00 · Asia/Tokyo')
  })

  test('that a change of clocks skips or repeats says which moment is used', () => {
    const at = { zone: 'Europe/Lisbon', now: NOW }
    expect(timeNote(lisbon('2027-03-28T01:30'), at)).toBe(
      'Europe/Lisbon time. 01:30 does not exist on 28 March; 02:30 is used.',
    )
    expect(timeNote(lisbon('2027-10-31T01:30'), at)).toBe(
      'Europe/Lisbon time. 01:30 happens twice on 31 October; the first is used.',
    )
    expect(timeNote(lisbon('2027-03-28T02:00'), at)).toBe('Europe/Lisbon time.')
  })

  test('that is refused is replaced by the nearest that is allowed', () => {
    expect(allowedTime(lisbon('2026-11-22T11:58'), NOW).local).toBe('2026-11-22T12:05')
    expect(allowedTime(lisbon('2028-01-01T00:00'), NOW).local).toBe('2027-11-22T12:00')
    expect(allowedTime(lisbon('T'), NOW).local).toBe('2026-11-23T18:00')
    expect(findTimeProblem(allowedTime(lisbon('2028-01-01T00:00'), NOW), NOW)).toBeNull()
  })

  test('is proposed for tomorrow evening', () => {
    expect(defaultTime('Pacific/Auckland', NOW)).toEqual({
      local: '2026-11-24T18:00',
      timezone: 'Pacific/Auckland',
    })
  })
})

const name = (at: string, timezone = 'Europe/Lisbon') =>
  shortTime({ at, timezone }, { zone: 'Europe/Lisbon', now: NOW })

test('a time is named by its day unless that is today on the user’s own clocks', () => {
  expect(name('2026-11-22T14:00:00Z', 'Asia/Tokyo')).toBe('Sun 23:00')
  expect(name('2026-11-22T18:00:00Z')).toBe('18:00')
  expect(name('2026-11-24T18:00:00Z')).toBe('Tue 18:00')
  expect(name('2026-12-24T18:00:00Z')).toBe('24 Dec 18:00')
})

test('the button says what it does', () => {
  expect(actionLabel({ when: 'now', short: null }, 6, 0)).toBe('Publish to 6 accounts')
  expect(actionLabel({ when: 'now', short: null }, 1, 0)).toBe('Publish to 1 account')
  expect(actionLabel({ when: 'now', short: null }, 0, 0)).toBe('Publish')
  expect(actionLabel({ when: 'now', short: null }, 0, 1)).toBe('Send to 1 inbox')
  expect(actionLabel({ when: 'now', short: null }, 5, 2)).toBe('Publish to 5, send to 2 inboxes')
  expect(actionLabel({ when: 'time', short: 'Tue 18:00' }, 6, 0)).toBe('Schedule for Tue 18:00')
  expect(actionLabel({ when: 'time', short: null }, 6, 1)).toBe('Schedule')
  expect(actionLabel({ when: 'schedule', short: 'Tue 18:00' }, 6, 0)).toBe('Schedule for Tue 18:00')
  expect(actionLabel({ when: 'schedule', short: null }, 6, 0)).toBe('Schedule')
  expect(actionLabel({ when: 'draft', short: null }, 6, 0)).toBe('Save draft')
})
