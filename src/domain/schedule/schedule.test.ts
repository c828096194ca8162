import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { instantOf } from './schedule.ts'

const utc = (local: string, zone: string) => {
  const instant = instantOf(local, zone)
  return instant === null ? null : new Date(instant).toISOString().slice(0, 16)
}

describe('a wall clock and a zone name an instant', () => {
  it.each([
    ['2026-12-24T18:30', 'UTC', '2026-12-24T18:30'],
    ['2026-12-24T18:30', 'Europe/Lisbon', '2026-12-24T18:30'],
    ['2026-07-24T18:30', 'Europe/Lisbon', '2026-07-24T17:30'],
    ['2026-01-01T00:00', 'Asia/Kathmandu', '2025-12-31T18:15'],
    ['2026-01-01T00:00', 'Pacific/Kiritimati', '2025-12-31T10:00'],
    ['2026-01-01T00:00', 'Pacific/Niue', '2026-01-01T11:00'],
    ['2026-07-01T12:00', 'Australia/Lord_Howe', '2026-07-01T01:30'],
  ])('%s in %s is %s UTC', (local, zone, expected) => {
    expect(utc(local, zone)).toBe(expected)
  })

  it('a time that the clocks leap over comes after the leap', () => {
    expect(utc('2026-03-29T02:30', 'Europe/Berlin')).toBe('2026-03-29T01:30')
    expect(utc('2026-03-08T02:30', 'America/New_York')).toBe('2026-03-08T07:30')
    expect(utc('2026-03-29T01:59', 'Europe/Berlin')).toBe('2026-03-29T00:59')
    expect(utc('2026-03-29T03:00', 'Europe/Berlin')).toBe('2026-03-29T01:00')
    expect(utc('2026-10-04T02:15', 'Australia/Lord_Howe')).toBe('2026-10-03T15:45')
  })

  it('a time that the clocks show twice is the first of the two', () => {
    expect(utc('2026-10-25T02:30', 'Europe/Berlin')).toBe('2026-10-25T00:30')
    expect(utc('2026-11-01T01:30', 'America/New_York')).toBe('2026-11-01T05:30')
    expect(utc('2026-10-25T03:00', 'Europe/Berlin')).toBe('2026-10-25T02:00')
  })

  it('a day that a zone left out is the day after', () => {
    expect(utc('2011-12-30T12:00', 'Pacific/Apia')).toBe('2011-12-30T22:00')
  })

  it('an invalid date is refused', () => {
    for (const local of [
      '2026-02-30T10:00',
      '2026-13-01T10:00',
      '2026-01-01T24:00',
      '2026-01-01T10:60',
      'soon',
    ]) {
      expect(instantOf(local, 'UTC')).toBeNull()
    }
  })

  it('and back: the zone shows the wall clock at that instant, unless it was leapt over', () => {
    const zones = [
      'Europe/Berlin',
      'America/St_Johns',
      'Asia/Kolkata',
      'Pacific/Chatham',
      'Africa/Casablanca',
    ]
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: 25_000_000, max: 33_000_000 }),
        (zone, minute) => {
          const instant = minute * 60_000
          const shown = new Intl.DateTimeFormat('sv-SE', {
            timeZone: zone,
            dateStyle: 'short',
            timeStyle: 'short',
          }).format(instant)
          const found = instantOf(shown.replace(' ', 'T'), zone)
          const earlier = found === null ? NaN : instant - found
          expect([0, 1_800_000, 3_600_000]).toContain(earlier)
        },
      ),
    )
  })
})
