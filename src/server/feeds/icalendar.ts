import { setImmediate } from 'node:timers/promises'

/** Times are epoch ms. */
export type CalendarEvent = {
  /** Stable for the lifetime of the event. */
  readonly uid: string
  readonly at: number
  /** When the last of its accounts gets it. */
  readonly lastAt: number
  readonly changedAt: number
  readonly summary: string
  readonly description: string
  readonly url: string
}

type CalendarFile = { readonly name: string; readonly events: readonly CalendarEvent[] }

/** The displayed length: some calendars hide events without one. */
const SHOWN_MS = 15 * 60_000

/** RFC 5545. Calendar apps read it again every hour. Yields to the event loop between events. */
export async function toICalendar({ name, events }: CalendarFile): Promise<string> {
  const parts = [toLines(calendarHead(name))]
  for (const event of events) {
    parts.push(toLines(eventLines(event)))
    await setImmediate()
  }
  return [...parts, toLines(['END:VCALENDAR'])].join('')
}

const toLines = (lines: readonly string[]): string => lines.map((line) => `${fold(line)}\r\n`).join('')

function calendarHead(name: string): string[] {
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Reelay//Reelay//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    // RFC 7986, and its predecessor.
    property('NAME', name),
    property('X-WR-CALNAME', name),
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
  ]
}

const eventLines = (event: CalendarEvent): string[] => [
  'BEGIN:VEVENT',
  property('UID', event.uid),
  `DTSTAMP:${instant(event.changedAt)}`,
  `LAST-MODIFIED:${instant(event.changedAt)}`,
  `DTSTART:${instant(event.at)}`,
  `DTEND:${instant(event.lastAt + SHOWN_MS)}`,
  property('SUMMARY', event.summary),
  property('DESCRIPTION', event.description),
  `URL:${event.url}`,
  // The event does not block the reader's time.
  'TRANSP:TRANSPARENT',
  'END:VEVENT',
]

/** 3.3.5, form 2: UTC, so that no zone must be described. */
const instant = (ms: number): string => new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '')

/** 3.3.11: a text has no control characters but tabs and line breaks, which are written as \n. */
function property(name: string, text: string): string {
  const escaped = text
    .replaceAll(/[\\;,]/g, String.raw`\$&`)
    .replaceAll(/\r\n?|\n/g, String.raw`\n`)
    .replaceAll(/(?!\t)[\p{Cc}\p{Cs}]/gu, '')
  return `${name}:${escaped}`
}

const LINE_MAX_BYTES = 75

/** 3.1: longer lines continue after a line break and a space. Characters are not split. */
function fold(line: string): string {
  const bytes = Buffer.from(line)
  if (bytes.length <= LINE_MAX_BYTES) return line
  const parts: string[] = []
  for (let start = 0; start < bytes.length;) {
    let end = Math.min(start + (start === 0 ? LINE_MAX_BYTES : LINE_MAX_BYTES - 1), bytes.length)
    // In UTF-8 all bytes of a character but its first begin with 10.
    while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
    parts.push(bytes.toString('utf8', start, end))
    start = end
  }
  return parts.join('\r\n ')
}
