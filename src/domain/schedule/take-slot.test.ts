import { describe, expect, test } from 'vitest'
import { slotInstant, type Week } from './slots.ts'
import { takeSlot } from './take-slot.ts'

const NOW = Date.parse('2027-03-22T10:00Z') // a Monday, six days before the clocks of Lisbon go forward
const span = { now: NOW, until: NOW + 365 * 86_400_000 }
const week = (...slots: Week['slots']): Week => ({ timeZone: 'Europe/Lisbon', slots })
const slot = (weekday: number, time: string, ...platforms: string[]) => ({
  weekday,
  time,
  platforms: platforms.length === 0 ? null : platforms,
})
const evenings = week(slot(1, '09:00'), slot(1, '18:00'), slot(2, '18:00', 'tiktok'), slot(7, '01:30'))

const take = (local: string, platforms: readonly string[] = [], taken: readonly string[] = []) => {
  const posts = taken.map((its) => ({ at: slotInstant(its, 'Europe/Lisbon') }))
  const found = takeSlot(evenings, posts, { local, platforms }, span)
  return typeof found === 'string' ? found : new Date(found.at).toISOString().slice(0, 16)
}

describe('a chosen slot', () => {
  test.each([
    ['is given where it is free', '2027-03-22T18:00', [], [], '2027-03-22T18:00'],
    ['is given although others are taken', '2027-03-29T18:00', [], ['2027-03-22T18:00'], '2027-03-29T17:00'],
    ['is refused where another post has it', '2027-03-22T18:00', [], ['2027-03-22T18:00'], 'taken'],
    ['is refused once it has passed', '2027-03-22T09:00', [], [], 'past'],
    ['is refused at the moment that it begins', '2027-03-15T18:00', [], [], 'past'],
    ['is given to a post for its platform', '2027-03-23T18:00', ['tiktok'], [], '2027-03-23T18:00'],
    ['is refused to another platform', '2027-03-23T18:00', ['tiktok', 'instagram'], [], 'platforms'],
    ['is unknown at another time of its day', '2027-03-22T18:30', [], [], 'unknown'],
    ['is unknown on another day', '2027-03-24T18:00', [], [], 'unknown'],
    ['is unknown on a date that does not exist', '2027-02-30T18:00', [], [], 'unknown'],
    ['is unknown later than posts are planned', '2028-04-03T18:00', [], [], 'unknown'],
    ['is the time after that clocks skip', '2027-03-28T01:30', [], [], '2027-03-28T01:30'],
    ['is the first of a time that clocks show twice', '2027-10-31T01:30', [], [], '2027-10-31T00:30'],
    [
      'is refused where one taken by its skipped time is',
      '2027-03-28T01:30',
      [],
      ['2027-03-28T02:30'],
      'taken',
    ],
  ] as const)('%s', (_what, local, platforms, taken, expected) =>
    expect(take(local, platforms, taken)).toBe(expected),
  )

  test('is unknown where a clock change gives its moment to another slot', () => {
    const both = week(slot(7, '01:30'), slot(7, '02:30'))
    const found = ['2027-03-28T01:30', '2027-03-28T02:30'].map((local) =>
      takeSlot(both, [], { local, platforms: [] }, span),
    )
    expect(found).toEqual(['unknown', expect.objectContaining({ local: '2027-03-28T02:30' })])
  })
})
