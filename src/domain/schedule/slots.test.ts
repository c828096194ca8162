import { describe, expect, test } from 'vitest'
import { nextFreeSlot, jitteredLocal, slotsBetween, type Week, type WeeklySlot } from './slots.ts'

const utc = (instant: number) => new Date(instant).toISOString().slice(0, 16)
const at = (time: string) => Date.parse(`${time}:00Z`)
const week = (timeZone: string, ...slots: readonly [weekday: number, time: string][]): Week => ({
  timeZone,
  slots: slots.map(([weekday, time]): WeeklySlot => ({ weekday, time, platforms: null })),
})
const daily = (timeZone: string, ...times: string[]): Week =>
  week(
    timeZone,
    ...[1, 2, 3, 4, 5, 6, 7].flatMap((weekday) => times.map((time): [number, string] => [weekday, time])),
  )
const shown = (schedule: Week, from: string, to: string) =>
  slotsBetween(schedule, at(from), at(to)).map(({ local, at: instant }) => `${local} = ${utc(instant)}`)

describe('slots between two instants', () => {
  test('are those of the weekdays on the clocks of the zone', () => {
    const schedule = week('Australia/Sydney', [1, '08:00'], [7, '23:30'])
    expect(shown(schedule, '2027-01-03T00:00', '2027-01-11T00:00')).toEqual([
      '2027-01-03T23:30 = 2027-01-03T12:30',
      '2027-01-04T08:00 = 2027-01-03T21:00',
      '2027-01-10T23:30 = 2027-01-10T12:30',
      '2027-01-11T08:00 = 2027-01-10T21:00',
    ])
  })

  test('leave out both ends', () => {
    const schedule = daily('UTC', '12:00')
    expect(shown(schedule, '2027-01-01T12:00', '2027-01-02T12:00')).toEqual([])
    expect(shown(schedule, '2027-01-01T11:59', '2027-01-01T12:01')).toHaveLength(1)
    expect(shown(schedule, '2027-01-02T12:00', '2027-01-01T12:00')).toEqual([])
  })

  test.each([
    [
      'Europe/Lisbon, forward',
      daily('Europe/Lisbon', '01:30', '12:00'),
      ['2027-03-27T18:00', '2027-03-28T18:00'],
      ['2027-03-28T01:30 = 2027-03-28T01:30', '2027-03-28T12:00 = 2027-03-28T11:00'],
    ],
    [
      'Europe/Lisbon, back',
      daily('Europe/Lisbon', '01:30', '12:00'),
      ['2027-10-30T18:00', '2027-10-31T18:00'],
      ['2027-10-31T01:30 = 2027-10-31T00:30', '2027-10-31T12:00 = 2027-10-31T12:00'],
    ],
    [
      'America/New_York, forward: the clock that exists is the slot',
      daily('America/New_York', '02:30', '03:30'),
      ['2027-03-14T01:00', '2027-03-15T00:00'],
      ['2027-03-14T03:30 = 2027-03-14T07:30'],
    ],
    [
      'America/New_York, back',
      daily('America/New_York', '01:30'),
      ['2027-11-07T00:00', '2027-11-08T12:00'],
      ['2027-11-07T01:30 = 2027-11-07T05:30', '2027-11-08T01:30 = 2027-11-08T06:30'],
    ],
    [
      'Australia/Sydney, forward',
      daily('Australia/Sydney', '02:30'),
      ['2027-10-01T20:00', '2027-10-03T20:00'],
      ['2027-10-03T02:30 = 2027-10-02T16:30', '2027-10-04T02:30 = 2027-10-03T15:30'],
    ],
    [
      'Australia/Lord_Howe, forward by half an hour',
      daily('Australia/Lord_Howe', '02:15'),
      ['2027-10-01T20:00', '2027-10-03T20:00'],
      ['2027-10-03T02:15 = 2027-10-02T15:45', '2027-10-04T02:15 = 2027-10-03T15:15'],
    ],
    [
      'Africa/Casablanca, back for Ramadan',
      daily('Africa/Casablanca', '02:30'),
      ['2026-02-14T00:00', '2026-02-16T12:00'],
      [
        '2026-02-14T02:30 = 2026-02-14T01:30',
        '2026-02-15T02:30 = 2026-02-15T01:30',
        '2026-02-16T02:30 = 2026-02-16T02:30',
      ],
    ],
  ])('%s', (_what, schedule, [from = '', to = ''], expected) => {
    expect(shown(schedule, from, to)).toEqual(expected)
  })
})

describe('the next free slot', () => {
  const schedule = daily('Europe/Lisbon', '09:00', '18:00')
  const search = { from: at('2027-01-04T10:00'), to: at('2028-01-01T00:00'), platforms: [] }
  const next = (taken: string[], more: object = {}) => {
    const slot = nextFreeSlot(schedule, {
      ...search,
      isTaken: (instant: number) => taken.map(at).includes(instant),
      ...more,
    })
    return slot && utc(slot.at)
  }

  test.each([
    ['is the first after now', [], '2027-01-04T18:00'],
    ['is none that a post has', ['2027-01-04T18:00', '2027-01-05T09:00'], '2027-01-05T18:00'],
  ])('%s', (_what, taken, expected) => {
    expect(next(taken)).toBe(expected)
  })

  test('is found beyond weeks without one', () => {
    const taken = slotsBetween(schedule, search.from, at('2027-05-01T00:00')).map(({ at: instant }) =>
      utc(instant),
    )
    // The clocks of Lisbon are an hour ahead by then.
    expect(next(taken)).toBe('2027-05-01T08:00')
  })

  test('is null where all are taken or none is left', () => {
    expect(next(['2027-01-04T18:00'], { to: at('2027-01-05T09:00') })).toBeNull()
    expect(nextFreeSlot({ timeZone: 'UTC', slots: [] }, { ...search, isTaken: () => false })).toBeNull()
  })

  test('is one for all the platforms of the post', () => {
    const slots = [
      { weekday: 1, time: '12:00', platforms: ['tiktok'] },
      { weekday: 2, time: '12:00', platforms: ['tiktok', 'instagram'] },
      { weekday: 3, time: '12:00', platforms: null },
    ]
    const nextFor = (platforms: string[]) =>
      nextFreeSlot({ timeZone: 'UTC', slots }, { ...search, isTaken: () => false, platforms })?.local
    expect(nextFor(['tiktok'])).toBe('2027-01-04T12:00')
    expect(nextFor(['tiktok', 'instagram'])).toBe('2027-01-05T12:00')
    expect(nextFor(['tiktok', 'other'])).toBe('2027-01-06T12:00')
  })
})

const offsets = (jitter: number) =>
  Array.from({ length: 200 }, (_, day) => {
    const local = utc(at('2027-01-01T23:30') + day * 86_400_000)
    return (at(jitteredLocal(7, local, jitter)) - at(local)) / 60_000
  })

describe('the jitter of a schedule', () => {
  test('is between nothing and its minutes, and differs from slot to slot', () => {
    expect(new Set(offsets(0))).toEqual(new Set([0]))
    const found = new Set(offsets(10))
    expect([Math.min(...found), Math.max(...found), found.size]).toEqual([0, 10, 11])
  })

  test('is the same whenever it is asked for', () => {
    expect(offsets(60)).toEqual(offsets(60))
  })
})
