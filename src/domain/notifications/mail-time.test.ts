import { describe, expect, it } from 'vitest'
import type { QuietHours } from '#contract/notifications.ts'
import { afterQuiet, isQuiet, mailTime } from './mail-time.ts'

const utc = (at: number) => new Date(at).toISOString().slice(0, 16)
const NIGHT: QuietHours = { from: '22:00', until: '08:00' }
const LUNCH: QuietHours = { from: '12:30', until: '13:15' }

describe('a mail that begins to gather', () => {
  it.each([
    ['at_once', null, 'Europe/Lisbon', '2026-07-01T10:00', '2026-07-01T10:01'],
    ['at_once', NIGHT, 'Europe/Lisbon', '2026-07-01T10:00', '2026-07-01T10:01'],
    ['at_once', NIGHT, 'Europe/Lisbon', '2026-07-01T21:30', '2026-07-02T07:00'],
    ['at_once', NIGHT, 'Europe/Lisbon', '2026-07-01T20:59', '2026-07-02T07:00'],
    ['at_once', NIGHT, 'America/New_York', '2026-01-02T04:00', '2026-01-02T13:00'],
    ['at_once', NIGHT, 'Asia/Kathmandu', '2026-01-01T23:00', '2026-01-02T02:15'],
    ['at_once', LUNCH, 'Australia/Sydney', '2026-01-01T01:45', '2026-01-01T02:15'],
    ['hourly', null, 'Europe/Lisbon', '2026-07-01T10:00', '2026-07-01T11:00'],
    ['hourly', null, 'Europe/Lisbon', '2026-07-01T10:59', '2026-07-01T11:00'],
    ['hourly', NIGHT, 'Europe/Lisbon', '2026-07-01T20:10', '2026-07-02T07:00'],
    ['daily', null, 'Europe/Lisbon', '2026-07-01T07:59', '2026-07-01T08:00'],
    ['daily', null, 'Europe/Lisbon', '2026-07-01T08:00', '2026-07-02T08:00'],
    ['daily', { from: '06:00', until: '10:30' }, 'Europe/Lisbon', '2026-07-01T07:59', '2026-07-01T09:30'],
    // The clocks change during the night.
    ['daily', null, 'Europe/Lisbon', '2026-03-28T12:00', '2026-03-29T08:00'],
    ['daily', null, 'Europe/Lisbon', '2026-10-24T12:00', '2026-10-25T09:00'],
    ['daily', null, 'America/New_York', '2026-03-07T20:00', '2026-03-08T13:00'],
    ['daily', null, 'Australia/Lord_Howe', '2026-10-03T12:00', '2026-10-03T22:00'],
  ] as const)(
    '%s with quiet hours %j in %s at %s goes out at %s',
    (digest, quiet, timeZone, now, expected) => {
      expect(utc(mailTime(Date.parse(`${now}:00Z`), { digest, quiet, timeZone, lastMailAt: null }))).toBe(
        expected,
      )
    },
  )

  it.each([
    ['at_once', '2026-07-01T09:59', '2026-07-01T10:09'],
    ['at_once', '2026-07-01T09:40', '2026-07-01T10:01'],
    ['hourly', '2026-07-01T10:00', '2026-07-01T11:00'],
  ] as const)('%s after a mail at %s goes out at %s', (digest, last, expected) => {
    const choice = { digest, quiet: null, timeZone: 'Europe/Lisbon', lastMailAt: Date.parse(`${last}:00Z`) }
    expect(utc(mailTime(Date.parse('2026-07-01T10:00:00Z'), choice))).toBe(expected)
  })
})

describe('quiet hours end', () => {
  it.each([
    [
      'after the leap, where the clocks leap over their end',
      'Europe/Berlin',
      '02:30',
      '2026-03-29T00:30',
      '2026-03-29T01:00',
    ],
    ['after a leap of half an hour', 'Australia/Lord_Howe', '02:15', '2026-10-03T15:00', '2026-10-03T15:30'],
    ['at the first of two times', 'Europe/Berlin', '02:30', '2026-10-24T23:00', '2026-10-25T00:30'],
    [
      'at the second, where the first is over',
      'Europe/Berlin',
      '02:30',
      '2026-10-25T01:10',
      '2026-10-25T01:30',
    ],
    ['an hour later on the longer day', 'America/New_York', '08:00', '2026-11-01T04:00', '2026-11-01T13:00'],
    [
      'an hour earlier on the shorter day',
      'America/New_York',
      '08:00',
      '2026-03-08T05:00',
      '2026-03-08T12:00',
    ],
  ])('%s', (_what, timeZone, until, at, expected) => {
    const quiet = { from: '22:00', until }
    expect(isQuiet(Date.parse(`${at}:00Z`), { quiet, timeZone })).toBe(true)
    expect(utc(afterQuiet(Date.parse(`${at}:00Z`), { quiet, timeZone }))).toBe(expected)
  })

  it('at their last minute, to the second', () => {
    const zone = { quiet: LUNCH, timeZone: 'UTC' }
    const quiet = (time: string) => isQuiet(Date.parse(`2026-07-01T${time}Z`), zone)
    expect([quiet('12:29:59'), quiet('12:30:00'), quiet('13:14:59'), quiet('13:15:00')]).toEqual([
      false,
      true,
      true,
      false,
    ])
  })
})
