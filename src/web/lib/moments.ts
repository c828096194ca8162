// Formats ISO 8601 moments in an IANA zone, or in UTC where this browser does not know the zone: show `knownZone` beside them.

const LOCALE = 'en-GB'

/** Making one takes fifty times as long as using it, and a list of thousands of posts uses one for each. */
const formats = new Map<string, Intl.DateTimeFormat>()

function inZone(zone: string, options: Intl.DateTimeFormatOptions, locale = LOCALE): Intl.DateTimeFormat {
  const key = `${locale} ${zone} ${JSON.stringify(options)}`
  const known = formats.get(key)
  if (known) return known
  const format = new Intl.DateTimeFormat(locale, { timeZone: knownZone(zone), ...options })
  formats.set(key, format)
  return format
}

/** The server may know zones of which this browser has not heard yet. */
const zones = new Map<string, boolean>()

export function knowsZone(zone: string): boolean {
  const known = zones.get(zone)
  if (known !== undefined) return known
  try {
    Intl.DateTimeFormat(LOCALE, { timeZone: zone })
    zones.set(zone, true)
  } catch {
    // Intl reports an unknown zone only by throwing a RangeError.
    zones.set(zone, false)
  }
  return zones.get(zone) === true
}

/** The zone, or UTC if this browser does not know it. */
export const knownZone = (zone: string): string => (knowsZone(zone) ? zone : 'UTC')

/** The browser's time zone; null: it names none, or one that it does not know itself, such as Etc/Unknown. */
export function browserTimeZone(): string | null {
  const zone: string | undefined = new Intl.DateTimeFormat().resolvedOptions().timeZone
  return zone !== undefined && knowsZone(zone) ? zone : null
}

/** "14:02" */
export const timeOfDay = (at: string, zone: string): string =>
  inZone(zone, { hour: '2-digit', minute: '2-digit' }).format(new Date(at))

/** "18 Nov 2026" */
export const dateOf = (at: string, zone: string): string =>
  inZone(zone, { day: 'numeric', month: 'short', year: 'numeric' }).format(new Date(at))

/** "18 Nov" */
export const dayAndMonth = (at: string, zone: string): string =>
  inZone(zone, { day: 'numeric', month: 'short' }).format(new Date(at))

/** "18 Nov, 14:02" */
export const dayAndTime = (at: string, zone: string): string =>
  inZone(zone, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }).format(new Date(at))

/** " until 7 Dec, 09:00", after what is paused; empty if it has no end. */
export const untilText = (until: string | null, zone: string): string =>
  until === null ? '' : ` until ${dayAndTime(until, zone)}`

type Clock = { readonly zone: string; readonly now: number }

/** "Today", as of `now` (epoch ms). */
export const namedDay = (at: string, { zone, now }: Clock): string =>
  dayName(dayOf(at, zone), dayOf(new Date(now).toISOString(), zone))

/** "Today, 14:02" */
export const namedDayAndTime = (at: string, clock: Clock): string =>
  `${namedDay(at, clock)}, ${timeOfDay(at, clock.zone)}`

/** "18 Nov, 14:02:09", for a timeline. */
export const exactTime = (at: string, zone: string): string =>
  inZone(zone, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).format(new Date(at))

/** "14:02:09": within a day of a timeline. */
export const secondOfDay = (at: string, zone: string): string =>
  inZone(zone, { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(new Date(at))

/** The day as `2026-11-18`, which sorts and compares. */
export const dayOf = (at: string, zone: string): string => inZone(zone, {}, 'sv-SE').format(new Date(at))

/** "Today", "Tomorrow", "Yesterday", "Wednesday 18 November", with the year if it is not the current one. */
export function dayName(day: string, today: string): string {
  const distance = (Date.parse(day) - Date.parse(today)) / 86_400_000
  if (distance === 0) return 'Today'
  if (distance === 1) return 'Tomorrow'
  if (distance === -1) return 'Yesterday'
  const sameYear = day.slice(0, 4) === today.slice(0, 4)
  const date = inZone('UTC', { day: 'numeric', month: 'long', ...(!sameYear && { year: 'numeric' }) })
  return `${inZone('UTC', { weekday: 'long' }).format(new Date(day))} ${date.format(new Date(day))}`
}

/** "Fri 27 Nov, 15:00" of a wall clock such as `2026-11-27T15:00`. */
export function localDayAndTime(local: string): string {
  const [day = '', time = ''] = local.split('T')
  const date = inZone('UTC', { weekday: 'short', day: 'numeric', month: 'short' }).format(new Date(day))
  // Browsers differ in whether they put a comma after the weekday.
  return `${date.replace(',', '')}, ${time}`
}

/** "Wed": of a day as `2026-11-18`. */
export const weekday = (day: string): string => inZone('UTC', { weekday: 'short' }).format(new Date(day))

/** "18": of a day as `2026-11-18`. */
export const dayOfMonth = (day: string): number => Number(day.slice(8))

/** "November": of a day as `2026-11-18`. */
export const monthName = (day: string): string => inZone('UTC', { month: 'long' }).format(new Date(day))

/** "America/New York" */
export const zoneName = (timezone: string): string => timezone.replaceAll('_', ' ')
