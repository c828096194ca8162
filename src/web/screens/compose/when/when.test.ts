import { describe, expect, test } from 'vitest'
import { actionLabel, momentOf, proposedTime, shortTime, timeProblemOf } from './when.ts'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const lisbon = (local: string) => ({ local, timezone: 'Europe/Lisbon' })

describe('a chosen time', () => {
  test('must exist, lie ahead and lie within a year', () => {
    expect(timeProblemOf(lisbon('2026-11-24T18:00'), NOW)).toBeNull()
    expect(timeProblemOf(lisbon('T'), NOW)).toBe('Choose a date and a time.')
    expect(timeProblemOf(lisbon('2026-02-30T18:00'), NOW)).toBe('Choose a date and a time.')
    expect(timeProblemOf(lisbon('2026-11-22T11:59'), NOW)).toBe('This time has passed. Choose a later one.')
    expect(timeProblemOf(lisbon('2027-11-30T18:00'), NOW)).toBe('Choose a time within 365 days.')
  })

  test('is a moment of its own zone', () => {
    expect(momentOf({ local: '2026-11-24T18:00', timezone: 'Asia/Tokyo' })).toBe('2026-11-24T09:00:00.000Z')
    expect(momentOf(lisbon('2026-11-24T'))).toBeNull()
  })

  test('is proposed for tomorrow evening', () => {
    expect(proposedTime('Pacific/Auckland', NOW)).toEqual({
      local: '2026-11-24T18:00',
      timezone: 'Pacific/Auckland',
    })
  })
})

const name = (at: string) => shortTime(at, 'Europe/Lisbon', NOW)

test('a time is named by its day as far as that is needed', () => {
  expect(name('2026-11-22T18:00:00Z')).toBe('18:00')
  expect(name('2026-11-24T18:00:00Z')).toBe('Tue 18:00')
  expect(name('2026-12-24T18:00:00Z')).toBe('24 Dec 18:00')
})

test('the button says what it does', () => {
  expect(actionLabel('now', 6, null)).toBe('Publish to 6 accounts')
  expect(actionLabel('now', 1, null)).toBe('Publish to 1 account')
  expect(actionLabel('now', 0, null)).toBe('Publish')
  expect(actionLabel('time', 6, 'Tue 18:00')).toBe('Schedule for Tue 18:00')
  expect(actionLabel('time', 6, null)).toBe('Schedule')
  expect(actionLabel('draft', 6, null)).toBe('Save draft')
})
