import { SCHEDULE_MAX_DAYS } from '#contract/limits.ts'
import type { Post } from '#contract/posts.ts'
import { explainLocal } from '#domain/schedule/explain.ts'
import { instantOf, whyNotAt } from '#domain/schedule/schedule.ts'
import { dayAndMonth, dayOf, knownZone, knowsZone, timeOfDay, weekday, zoneName } from '#web/lib/moments.ts'

/** Publishing now, at a place in a posting schedule or at a time; or only saving what there is. */
export type When = 'now' | 'schedule' | 'time' | 'draft'

/** A wall clock, such as `2026-12-24T18:30`, and its zone; the wall clock is empty or partial while it is typed. */
export type ChosenTime = { readonly local: string; readonly timezone: string }

const DAY_MS = 86_400_000

/** Epoch ms; null: the time is not complete, or this browser does not know its zone. */
const epochOf = ({ local, timezone }: ChosenTime): number | null =>
  knowsZone(timezone) ? instantOf(local, timezone) : null

/** The error of a chosen time; null: it is fine. */
export function findTimeProblem(time: ChosenTime, now: number): string | null {
  if (!knowsZone(time.timezone))
    return `This browser doesn't know the time zone ${zoneName(time.timezone)}. Change it, or use a newer browser.`
  const at = epochOf(time)
  return at === null ? 'Choose a date and a time.' : whyNotAt(at, now)
}

/** The moment that a chosen time stands for; null: it stands for none. */
export function momentOf(time: ChosenTime): string | null {
  const at = epochOf(time)
  return at === null ? null : new Date(at).toISOString()
}

/** "18:00", "Tue 18:00" within a week, else "24 Dec 18:00". */
export function shortTime(at: string, zone: string, now: number): string {
  const [day, today] = [dayOf(at, zone), dayOf(new Date(now).toISOString(), zone)]
  const time = timeOfDay(at, zone)
  const distance = (Date.parse(day) - Date.parse(today)) / DAY_MS
  if (distance === 0) return time
  if (distance > 0 && distance < 7) return `${weekday(day)} ${time}`
  return `${dayAndMonth(at, zone)} ${time}`
}

/** The place that names a zone: "New York" of America/New_York. */
export const placeOf = (timezone: string): string =>
  timezone.slice(timezone.lastIndexOf('/') + 1).replaceAll('_', ' ')

/** "18:00", as far as needed with its day; with the place where it is not the user's own zone. */
export function namedTime(time: ChosenTime, { zone, now }: { zone: string; now: number }): string | null {
  const at = momentOf(time)
  return at === null ? null : namedMoment(at, time.timezone, { zone, now })
}

/** The same of a moment on the clocks of a zone. */
export function namedMoment(
  at: string,
  timezone: string,
  { zone, now }: { zone: string; now: number },
): string {
  const shown = knownZone(timezone)
  const short = shortTime(at, shown, now)
  return shown === zone ? short : `${short} ${placeOf(shown)} time`
}

/** Explains a chosen time: its zone, the same time in the user's zone, and the effect of a clock change. */
export function timeNote(
  { local, timezone }: ChosenTime,
  { zone, now }: { zone: string; now: number },
): string {
  const at = momentOf({ local, timezone })
  return [
    `${zoneName(timezone)} time.`,
    at !== null && explainLocal(local, timezone),
    at !== null && timezone !== zone && `For you: ${shortTime(at, zone, now)}.`,
  ]
    .filter((part) => typeof part === 'string')
    .join(' ')
}

const STEP_MS = 5 * 60_000

/** A time near a refused one that is allowed. */
export function allowedTime({ local, timezone }: ChosenTime, now: number): ChosenTime {
  const at = epochOf({ local, timezone })
  if (at === null) return defaultTime(timezone, now)
  // Five to ten minutes are left to press the button.
  const earliest = Math.ceil(now / STEP_MS + 1) * STEP_MS
  const latest = Math.floor((now + SCHEDULE_MAX_DAYS * DAY_MS) / STEP_MS) * STEP_MS
  const near = new Date(Math.min(Math.max(at, earliest), latest)).toISOString()
  return { local: `${dayOf(near, timezone)}T${timeOfDay(near, timezone)}`, timezone }
}

/** Tomorrow at 18:00, which the time fields show first. */
export function defaultTime(wanted: string, now: number): ChosenTime {
  const timezone = knownZone(wanted)
  const tomorrow = dayOf(new Date(now + DAY_MS).toISOString(), timezone)
  return { local: `${tomorrow}T18:00`, timezone }
}

/** Names what the primary button will do. */
export function actionLabel(
  { when, short }: { readonly when: When; readonly short: string | null },
  accounts: number,
  inboxes: number,
): string {
  switch (when) {
    case 'now': {
      if (inboxes === 0) return accounts === 0 ? 'Publish' : `Publish to ${accountsWord(accounts)}`
      const drafts = inboxes === 1 ? '1 inbox' : `${inboxes} inboxes`
      return accounts === 0 ? `Send to ${drafts}` : `Publish to ${accounts}, send to ${drafts}`
    }
    case 'schedule':
    case 'time':
      return short === null ? 'Schedule' : `Schedule for ${short}`
    case 'draft':
      return 'Save draft'
  }
}

/** The same for a post that is changed. */
export const editLabel = (when: When, { publish_at }: Pick<Post, 'publish_at'>): string =>
  when === 'now' && publish_at !== null ? 'Publish now' : 'Save changes'

export const accountsWord = (count: number): string => (count === 1 ? '1 account' : `${count} accounts`)
