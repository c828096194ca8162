import { describe, expect, test, vi } from 'vitest'
import { placeInSchedule, reslot, type SlottedPost } from './reslot.ts'
import { slotInstant, type Week } from './slots.ts'

const ZONE = 'Europe/Lisbon'
const span = { now: Date.parse('2027-01-04T10:00Z'), until: Date.parse('2028-01-04T10:00Z') } // a Monday
const week = (times: string, timeZone = ZONE): Week => ({
  timeZone,
  slots: times.split(', ').map((slot) => {
    const [day = '', time = '', platform] = slot.split(' ')
    const weekday = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(day) + 1
    return { weekday, time, platforms: platform === undefined ? null : [platform] }
  }),
})

/** Posts at slots of January 2027: `1: 04 18:00`; `!` marks a started post, a trailing word its platform. */
const posts = (lines: readonly string[], timeZone = ZONE): SlottedPost[] =>
  lines.map((line) => {
    const [, postId, fixed, day, time, platform] = /^(\d+)(!?): (\d\d) (\d\d:\d\d) ?(\w*)$/.exec(line) ?? []
    const local = `2027-01-${day}T${time}`
    return {
      postId: Number(postId),
      at: slotInstant(local, timeZone),
      local,
      platforms: platform ? [platform] : [],
      movable: fixed === '',
    }
  })

const line = (local: string | undefined) => local?.slice(8).replace('T', ' ') ?? null
const moved = (moves: readonly { postId: number; to: { local: string } }[]) =>
  moves.map(({ postId, to }) => `${postId}: ${line(to.local)}`)

const isBusy = () => false

describe('a place in the schedule', () => {
  const schedule = week('Mon 18:00, Tue 18:00, Wed 18:00, Thu 18:00')
  test.each([
    ['next, of an empty schedule', 'next', [], '04 18:00', []],
    ['next, between two posts', 'next', ['1: 04 18:00', '2: 06 18:00'], '05 18:00', []],
    ['bottom', 'bottom', ['1: 04 18:00', '2: 06 18:00'], '07 18:00', []],
    ['bottom, of an empty schedule', 'bottom', [], '04 18:00', []],
    ['top, free', 'top', ['1: 05 18:00'], '04 18:00', []],
    [
      'top, where each post goes one slot back',
      'top',
      ['1: 04 18:00', '2: 05 18:00', '3: 06 18:00'],
      '04 18:00',
      ['1: 05 18:00', '2: 06 18:00', '3: 07 18:00'],
    ],
    ['top, up to the first free slot', 'top', ['1: 04 18:00', '2: 06 18:00'], '04 18:00', ['1: 05 18:00']],
    [
      'top, around a post that has started',
      'top',
      ['1: 04 18:00', '2!: 05 18:00'],
      '04 18:00',
      ['1: 06 18:00'],
    ],
    ['top, after a first post that has started', 'top', ['1!: 04 18:00'], '05 18:00', []],
  ] as const)('%s', (_what, place, lines, slot, moves) => {
    const placing = placeInSchedule(schedule, posts(lines), { place, platforms: [], isBusy }, span)
    expect(line(placing?.slot.local)).toBe(slot)
    expect(moved(placing?.moves ?? [])).toEqual(moves)
  })

  test('at the top, each post takes a slot for its own platform', () => {
    const mixed = week('Mon 18:00 tiktok, Tue 18:00 instagram, Wed 18:00 tiktok')
    const placing = placeInSchedule(
      mixed,
      posts(['1: 04 18:00 tiktok']),
      { place: 'top', platforms: ['tiktok'], isBusy },
      span,
    )
    expect(line(placing?.slot.local)).toBe('04 18:00')
    expect(moved(placing?.moves ?? [])).toEqual(['1: 06 18:00'])
  })

  test.each(['next', 'top', 'bottom'] as const)('%s: there is none once the time is up', (place) => {
    const soon = { ...span, until: Date.parse('2027-01-04T18:01Z') }
    expect(
      placeInSchedule(schedule, posts(['1: 04 18:00']), { place, platforms: [], isBusy }, soon),
    ).toBeNull()
  })
})

describe('another week', () => {
  const all = ['1: 04 18:00', '2: 05 18:00', '3: 11 18:00']
  test.each([
    ['the same slots move nothing', 'Mon 18:00, Tue 18:00', all, []],
    ['one more slot moves nothing', 'Mon 12:00, Mon 18:00, Tue 18:00', all, []],
    [
      'another time moves to it on the same date',
      'Mon 17:00, Tue 18:00',
      all,
      ['1: 04 17:00', '3: 11 17:00'],
    ],
    [
      'the nearest of the date is taken',
      'Mon 12:00, Mon 19:00, Tue 18:00',
      all,
      ['1: 04 19:00', '3: 11 19:00'],
    ],
    [
      'a time that has passed today is the next free one',
      'Mon 09:00, Tue 18:00',
      all,
      ['1: 11 09:00', '3: 12 18:00'],
    ],
    ['what has started stays', 'Tue 18:00', ['1!: 04 18:00', '2: 11 18:00'], ['2: 12 18:00']],
    ['a taken slot is left alone', 'Tue 18:00', all, ['1: 12 18:00', '3: 19 18:00']],
    [
      'only a slot for its platform is taken',
      'Mon 18:00 tiktok, Tue 12:00',
      ['1: 04 18:00 instagram'],
      ['1: 05 12:00'],
    ],
  ])('%s', (_what, times, lines, expected) => {
    const { moves, stays } = reslot(week(times), posts(lines), span)
    expect(moved(moves).toSorted()).toEqual(expected.toSorted())
    expect(stays).toEqual([])
  })

  test('a post that no slot is for keeps its time', () => {
    const { moves, stays } = reslot(week('Mon 18:00 tiktok'), posts(['1: 04 18:00 instagram']), span)
    expect({ moves, stays }).toEqual({ moves: [], stays: [1] })
  })

  test.each([
    ['America/New_York', '2027-01-05T23:00'],
    ['Australia/Sydney', '2027-01-05T07:00'],
    ['Australia/Lord_Howe', '2027-01-05T07:00'],
    ['Asia/Kathmandu', '2027-01-05T12:15'],
  ])('in %s the wall clock stays and the instant moves', (zone, instant) => {
    const [post] = posts(['1: 05 18:00'])
    const { moves } = reslot(week('Tue 18:00', zone), post ? [post] : [], span)
    const to = { local: '2027-01-05T18:00', at: Date.parse(`${instant}Z`), platforms: null }
    expect(moves).toEqual([{ postId: 1, to }])
  })

  test('a wall clock that has passed in the new zone goes to the next free slot', () => {
    const { moves } = reslot(week('Mon 18:00, Tue 18:00', 'Australia/Sydney'), posts(['1: 04 18:00']), span)
    expect(moved(moves)).toEqual(['1: 05 18:00'])
  })
})

describe('a long schedule of a full week', () => {
  test.each([
    ['finds no slot at all', 'tiktok', 0],
    ['moves by a minute', '', 200],
  ])('asks the clock no more than once for each date: %s', (_what, platform, count) => {
    const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
    const full = days.flatMap((day) =>
      Array.from({ length: 14 }, (_, i) => `${day} ${i + 10}:01 ${platform}`),
    )
    const slotted = Array.from({ length: 200 }, (_, i): SlottedPost => {
      const at = span.now + Math.floor(i / 14 + 1) * 86_400_000 + (i % 14) * 3_600_000
      return {
        postId: i,
        at,
        local: new Date(at).toISOString().slice(0, 16),
        platforms: ['ig'],
        movable: true,
      }
    })
    const asked = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts')
    const { moves, stays } = reslot(week(full.join(', ').replaceAll(' ,', ',').trimEnd()), slotted, span)
    expect([moves.length, stays.length]).toEqual([count, 200 - count])
    expect(asked.mock.calls.length).toBeLessThan(3000)
    asked.mockRestore()
  })
})
