import { SCHEDULE_MAX_DAYS } from '#contract/limits.ts'
import type { Post } from '#contract/posts.ts'
import { explainLocal } from '#domain/schedule/explain.ts'
import { instantOf, whyNotAt } from '#domain/schedule/schedule.ts'
import {
  dayAndMonth,
  dayOf,
  knownZone,
  knowsZone,
  localDayAndTime,
  timeOfDay,
  weekday,
  zoneName,
} from '#web/lib/moments.ts'

/** Publishing now, at a place in a posting schedule or at a time; or only saving what there is. */
export type When = 'now' | 'schedule' | 'time' | 'draft'

/** A wall clock, such as `2026-12-24T18:30`, and its zone; the wall clock is empty or partial while it is typed. */
export type ChosenTime = { readonly local: string; readonly timezone: string }

/** ISO 8601, and the zone whose clocks show it. */
export type Moment = { readonly at: string; readonly timezone: string }

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
export function momentOf(time: ChosenTime): Moment | null {
  const at = epochOf(time)
  return at === null ? null : { at: new Date(at).toISOString(), timezone: time.timezone }
}

/** The user's own zone, and epoch ms. */
type Clock = { readonly zone: string; readonly now: number }

/** "18:00" today on the user's own clocks, "Tue 18:00" within a week, else "24 Dec 18:00". */
export function shortTime({ at, timezone }: Moment, { zone, now }: Clock): string {
  const shown = knownZone(timezone)
  const [day, today] = [dayOf(at, shown), dayOf(new Date(now).toISOString(), shown)]
  const time = timeOfDay(at, shown)
  const distance = (Date.parse(day) - Date.parse(today)) / DAY_MS
  // Today elsewhere may be the user's tomorrow.
  if (distance === 0 && shown === zone) return time
  if (distance >= 0 && distance < 7) return `${weekday(day)} ${time}`
  return `${dayAndMonth(at, shown)} ${time}`
}

/** The place that names a zone: "New York" of America/New_York. */
export const placeOf = (timezone: string): string =>
  timezone.slice(timezone.lastIndexOf('/') + 1).replaceAll('_', ' ')

/** The same with the place, where it is not the user's own zone: "Tue 18:00 Tokyo time". */
export function namedMoment(moment: Moment, clock: Clock): string {
  const shown = knownZone(moment.timezone)
  const short = shortTime(moment, clock)
  return shown === clock.zone ? short : `${short} ${placeOf(shown)} time`
}

/** "Mon 30 Nov, 18:30 · Europe/Berlin": a moment in full on the clocks of a zone. */
export function fullMoment({ at, timezone }: Moment): string {
  const shown = knownZone(timezone)
  return `${localDayAndTime(localOf(at, shown))} · ${zoneName(shown)}`
}

/** The wall clock of a moment, such as `2026-12-24T18:30`. */
export const localOf = (at: string, zone: string): string => `${dayOf(at, zone)}T${timeOfDay(at, zone)}`

/** Explains a chosen time: its zone, the same time in the user's zone, and the effect of a clock change. */
export function timeNote({ local, timezone }: ChosenTime, { zone, now }: Clock): string {
  const moment = momentOf({ local, timezone })
  return [
    `${zoneName(timezone)} time.`,
    moment !== null && explainLocal(local, timezone),
    moment !== null && timezone !== zone && `For you: ${ownDay(moment.at, { zone, now })}.`,
  ]
    .filter((part) => typeof part === 'string')
    .join(' ')
}

function ownDay(at: string, { zone, now }: Clock): string {
  const short = shortTime({ at, timezone: zone }, { zone, now })
  return short === timeOfDay(at, zone) ? `today ${short}` : short
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
  return { local: localOf(near, timezone), timezone }
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

/** "1 needs attention" */
export const needsWord = (count: number): string =>
  count === 1 ? '1 needs attention' : `${count} need attention`

export const accountsWord = (count: number): string => (count === 1 ? '1 account' : `${count} accounts`)
