import ICAL from 'ical.js'
import { describe, expect, it } from 'vitest'
import { toICalendar } from './icalendar.ts'

const EVENT = {
  uid: 'post-7@example.com',
  at: Date.parse('2026-12-24T18:30:00Z'),
  lastAt: Date.parse('2026-12-24T18:30:00Z'),
  changedAt: Date.parse('2026-10-20T12:00:01.999Z'),
  summary: 'Lemon tart',
  description: 'Warm.',
  url: 'https://example.com/dashboard/posts/7',
}
const fileOf = (change: Partial<typeof EVENT> = {}) =>
  toICalendar({ name: 'Northwind', events: [{ ...EVENT, ...change }] })
const read = (file: string) =>
  ICAL.Component.fromString(file)
    .getAllSubcomponents('vevent')
    .map((event) => new ICAL.Event(event))

describe('a calendar file', () => {
  it('is what RFC 5545 has', async () => {
    expect((await fileOf()).split('\r\n')).toEqual([
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Reelay//Reelay//EN',
      'CALSCALE:GREGORIAN',
      'METHOD:PUBLISH',
      'NAME:Northwind',
      'X-WR-CALNAME:Northwind',
      'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
      'X-PUBLISHED-TTL:PT1H',
      'BEGIN:VEVENT',
      'UID:post-7@example.com',
      'DTSTAMP:20261020T120001Z',
      'LAST-MODIFIED:20261020T120001Z',
      'DTSTART:20261224T183000Z',
      'DTEND:20261224T184500Z',
      'SUMMARY:Lemon tart',
      'DESCRIPTION:Warm.',
      'URL:https://example.com/dashboard/posts/7',
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ])
  })

  it.each([
    ['separators and backslashes', String.raw`a,b;c\d\n:e"f"`],
    ['line breaks', 'one\n\ntwo\nEND:VEVENT\nSUMMARY:three'],
    ['characters of several bytes', '🍋é'.repeat(60)],
    ['a long text', 'x'.repeat(2200)],
    ['tabs', 'a\tb\n\tc'],
    ['spaces at the ends of lines', `${' '.repeat(200)}x`],
  ])('keeps %s, in lines of at most 75 bytes', async (_what, description) => {
    const file = await fileOf({ description })
    for (const line of file.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
    expect(file.replaceAll('\r\n', '')).not.toMatch(/[\r\n\ufffd]/)
    const [event, ...others] = read(file)
    expect([event?.description, event?.summary, others]).toEqual([description, 'Lemon tart', []])
  })

  it('takes Windows line breaks for line breaks, and leaves out control characters', async () => {
    expect(read(await fileOf({ description: 'a\r\nb\rc\u0000\u0007\u0085d\ud800' }))[0]?.description).toBe(
      'a\nb\ncd',
    )
  })
})
