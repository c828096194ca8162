import { SCHEDULE_MAX_DAYS } from '#contract/limits.ts'

/** `at`: epoch ms. Clock changes skip some wall clocks and repeat others. */
type LocalTime = { readonly at: number; readonly kind: 'plain' | 'skipped' | 'repeated' }

/** The instant (epoch ms) that `readLocal` finds. */
export const instantOf = (local: string, timeZone: string): number | null =>
  readLocal(local, timeZone)?.at ?? null

/**
 * The instant at which a clock in `timeZone` (IANA) shows `local` (`YYYY-MM-DDTHH:MM`); null for dates such as 30 February.
 * Per RFC 5545, 3.3.5, a skipped time moves forward, and the first of a repeated time counts.
 */
export function readLocal(local: string, timeZone: string): LocalTime | null {
  const asUtc = Date.parse(`${local}:00.000Z`)
  // Date.parse reads 30 February as 1 March, so a date that changes is invalid.
  if (Number.isNaN(asUtc) || new Date(asUtc).toISOString().slice(0, 16) !== local) return null
  const clock = clockIn(timeZone)
  const offset = (instant: number) => clock(instant) - instant
  // No zone changes twice within two days, so one of these two offsets is the one before a change nearby.
  const before = offset(asUtc - DAY_MS)
  const after = offset(asUtc + DAY_MS)
  const candidates = [...new Set([asUtc - before, asUtc - after])].filter((at) => clock(at) === asUtc)
  if (candidates.length === 0) return { at: asUtc - before, kind: 'skipped' }
  return { at: Math.min(...candidates), kind: candidates.length > 1 ? 'repeated' : 'plain' }
}

const DAY_MS = 86_400_000

function clockIn(timeZone: string): (instant: number) => number {
  const format = getFormat(timeZone)
  return (instant) => {
    const shown = Object.fromEntries(
      format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
    )
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown
    return Date.UTC(year, month - 1, day, hour, minute, second)
  }
}

/** The wall clock (`YYYY-MM-DDTHH:MM`) of the zone at an instant (epoch ms). */
export const localAt = (instant: number, timeZone: string): string =>
  new Date(clockIn(timeZone)(instant)).toISOString().slice(0, 16)

/** @param instant epoch ms */
export const minutesAfter = (instant: number, minutes: number): number => instant + minutes * 60_000

/**
 * How many minutes after a post's time each of its accounts gets it, in their order: evenly from 0 to `minutes`, and each at a minute of
 * its own as long as there are enough.
 */
export const spreadOver = (accounts: number, minutes: number): number[] =>
  Array.from({ length: accounts }, (_, nth) =>
    accounts === 1 ? 0 : Math.round((nth * minutes) / (accounts - 1)),
  )

/** Creating a format takes longer than using it a hundred times. */
const formats = new Map<string, Intl.DateTimeFormat>()
/** More than there are zones, because names are accepted in any case. */
const FORMATS_MAX = 1000

function getFormat(timeZone: string): Intl.DateTimeFormat {
  const kept = formats.get(timeZone)
  if (kept) return kept
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  if (formats.size >= FORMATS_MAX) formats.clear()
  formats.set(timeZone, made)
  return made
}

/** The reason why nothing can be scheduled for this instant; null: it is possible. */
export function whyNotAt(at: number | null, now: number): string | null {
  if (at === null) return "This date or time doesn't exist."
  // The minute shown in a form may have begun while the user filled it in.
  if (at < now - 60_000) return 'This time has passed. Choose a later one.'
  return at > now + SCHEDULE_MAX_DAYS * DAY_MS ? `Choose a time within ${SCHEDULE_MAX_DAYS} days.` : null
}
