import { describe, expect, test } from 'vitest'
import { searchTerms, zoneOption, zoneOptions, type ZoneLabelStyle } from './time-zones.ts'

const WINTER = new Date('2026-01-15T12:00:00Z')
const SUMMER = new Date('2026-07-15T12:00:00Z')
const options = zoneOptions(WINTER, 'original', [])
const labelOf = (zone: string, now = WINTER) => zoneOption(zone, now, 'original')?.label
const labelIn = (zone: string, style: ZoneLabelStyle) => zoneOption(zone, WINTER, style)?.label

/** The list says one thing, and what posts are scheduled by must say the same. */
const offsetByTheClock = (zone: string, now: Date): number => {
  const shown = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  return (Date.parse(`${shown.format(now).replace(' ', 'T')}Z`) - now.getTime()) / 60_000
}

describe('the list of time zones', () => {
  test('is sorted by ascending GMT offset, in winter and in summer', () => {
    for (const now of [WINTER, SUMMER]) {
      const offsets = zoneOptions(now, 'original', []).map(({ offsetMinutes }) => offsetMinutes)
      expect(offsets).toEqual(offsets.toSorted((one, other) => one - other))
    }
  })

  test('reaches from 12 hours behind GMT to 14 hours ahead', () => {
    expect(options[0]).toMatchObject({ value: 'Etc/GMT+12', offsetMinutes: -12 * 60 })
    expect(options.at(-1)).toMatchObject({ value: 'Pacific/Kiritimati', offsetMinutes: 14 * 60 })
  })

  test('has every whole hour in between', () => {
    const hours = new Set(options.map(({ offsetMinutes }) => offsetMinutes / 60))
    for (let hour = -12; hour <= 14; hour += 1) expect(hours).toContain(hour)
  })

  test('has half-hour and 45-minute offsets', () => {
    expect(labelOf('America/St_Johns')).toBe('(GMT-3:30) Newfoundland and Labrador')
    expect(labelOf('Pacific/Marquesas')).toBe('(GMT-9:30) Marquesas Islands')
    expect(labelOf('Asia/Kolkata')).toBe('(GMT+5:30) Chennai, Kolkata, Mumbai, New Delhi')
    expect(labelOf('Asia/Kathmandu')).toBe('(GMT+5:45) Kathmandu')
    expect(labelOf('Australia/Eucla')).toBe('(GMT+8:45) Eucla')
    expect(labelOf('Pacific/Chatham', SUMMER)).toBe('(GMT+12:45) Chatham Islands')
    expect(labelOf('Pacific/Chatham', WINTER)).toBe('(GMT+13:45) Chatham Islands')
  })

  test('has a zone name as value, and the GMT offset and places as label', () => {
    for (const { value, label } of options) {
      expect(() => new Intl.DateTimeFormat('en', { timeZone: value })).not.toThrow()
      expect(label).toMatch(/^\(GMT[+-]\d\d?:(00|30|45)\) \p{Lu}/u)
    }
    expect(new Set(options.map(({ value }) => value)).size).toBe(options.length)
    expect(new Set(options.map(({ label }) => label)).size).toBe(options.length)
  })

  test('shows the real offset of each zone, in winter and in summer', () => {
    for (const now of [WINTER, SUMMER])
      for (const { value, offsetMinutes } of zoneOptions(now, 'original', []))
        expect(offsetMinutes, value).toBe(offsetByTheClock(value, now))
  })

  test("adds the user's own zone and leaves out unknown names", () => {
    const [more] = zoneOptions(WINTER, 'original', ['America/Port_of_Spain', 'Mars/Olympus']).filter(
      ({ value }) => !options.some((option) => option.value === value),
    )
    expect(more).toEqual({
      value: 'America/Port_of_Spain',
      label: '(GMT-4:00) Port of Spain',
      offsetMinutes: -240,
    })
  })
})

describe('the label style of a time zone', () => {
  test('original shows the offset and the places', () => {
    expect(labelIn('Europe/Athens', 'original')).toBe('(GMT+2:00) Athens')
  })

  test('altName adds the long name if there is one', () => {
    expect(labelIn('Europe/Athens', 'altName')).toBe('(GMT+2:00) Athens (Eastern European Standard Time)')
    expect(labelIn('Etc/GMT+12', 'altName')).toBe('(GMT-12:00) International Date Line West')
  })

  test('abbrev adds the abbreviation if there is one', () => {
    expect(labelIn('Europe/Athens', 'abbrev')).toBe('(GMT+2:00) Athens (EET)')
    expect(labelIn('Asia/Kathmandu', 'abbrev')).toBe('(GMT+5:45) Kathmandu')
  })

  test('offsetHidden shows the places alone, sorted by offset', () => {
    expect(labelIn('Europe/Athens', 'offsetHidden')).toBe('Athens')
    const hidden = zoneOptions(WINTER, 'offsetHidden', [])
    expect(hidden.map(({ value }) => value).toSorted()).toEqual(options.map(({ value }) => value).toSorted())
    expect(hidden.at(-1)?.label).toBe('Kiritimati')
  })
})

describe('a time zone is found', () => {
  const terms = searchTerms(options, WINTER)
  const found = (term: string) =>
    options.filter(({ value }) => terms.get(value)?.includes(term)).map(({ value }) => value)

  test('by a city of its label, by its name or by its offset', () => {
    expect(found('berlin')).toEqual(['Europe/Amsterdam'])
    expect(found('rangoon')).toEqual(['Asia/Rangoon'])
    expect(found('gmt+12:')).toContain('Pacific/Fiji')
  })

  test('by its country, whatever name the browser gives the zone', () => {
    expect(found('portugal')).toEqual(['Atlantic/Azores', 'Europe/Lisbon'])
    expect(found('india')).toContain('Asia/Kolkata')
    expect(found('nepal')).toEqual(['Asia/Kathmandu'])
    expect(found('japan')).toEqual(['Asia/Tokyo'])
  })

  test('by a country whose zone is not listed but has the same time', () => {
    expect(found('norway')).toContain('Europe/Brussels')
    expect(found('spain')).toEqual(expect.arrayContaining(['Atlantic/Canary', 'Europe/Brussels']))
    expect(found('ghana')).toContain('Atlantic/Reykjavik')
  })
})

test.each([
  [['UTC', 'Europe/Lisbon'], 'UTC'],
  [['UTC', 'GMT'], 'GMT'],
  [['Etc/UTC', 'UTC'], 'UTC'],
  [['Europe/Lisbon'], 'GMT'],
])('UTC is listed once beside %j, as %s', (more, value) => {
  const utc = zoneOptions(new Date('2026-11-18T12:00:00Z'), 'offsetHidden', more).filter(
    ({ value: zone, label }) => label === 'UTC' || /UTC|GMT$/.test(zone),
  )
  expect(utc.map((zone) => zone.value)).toEqual([value])
})
