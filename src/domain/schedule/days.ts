import { isKnownZone } from '#contract/users.ts'
import { instantOf, localAt } from './schedule.ts'

/** `starts` (epoch ms) has one entry more than `names`: the end of the last day. */
export type Days = { readonly names: readonly string[]; readonly starts: readonly number[] }

const DAY_MS = 86_400_000

/** UTC if this runtime does not know the zone: a browser or a newer runtime that saved it may know more zones. */
export const knownZone = (timeZone: string): string => (isKnownZone(timeZone) ? timeZone : 'UTC')

export function lastDays(now: number, timeZone: string, count: number): Days {
  const today = localAt(now, timeZone).slice(0, 10)
  const names = Array.from({ length: count + 1 }, (_, i) => addDays(today, i - count + 1))
  return { names: names.slice(0, count), starts: names.map((name) => startOfDay(name, timeZone)) }
}

/** The start of the first of the last `count` days (epoch ms). @see lastDays */
export const startOfLastDays = (now: number, timeZone: string, count: number): number =>
  startOfDay(addDays(localAt(now, timeZone).slice(0, 10), 1 - count), timeZone)

export const addDays = (day: string, count: number): string =>
  new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10)

/** The same wall clock, such as `2026-12-24T18:30`, so many days later. */
export const localDaysLater = (local: string, days: number): string =>
  addDays(local.slice(0, 10), days) + local.slice(10)

/** The first instant of the day (epoch ms), also when a clock change skips or repeats midnight. */
export function startOfDay(day: string, timeZone: string): number {
  const start = instantOf(`${day}T00:00`, timeZone)
  if (start === null) throw new Error(`${day} is no day.`)
  return start
}

/** The instants (epoch ms) of a list's first and last day, `before` excluded; undefined: no limit on that side. */
export const parseDayRange = (
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  timeZone: string,
): { from: number | undefined; before: number | undefined } => ({
  from: from === undefined ? undefined : startOfDay(from, timeZone),
  before: to === undefined ? undefined : startOfDay(addDays(to, 1), timeZone),
})

/** The wall clock of `at` in a zone, a day later or on the first day on which it is still to come. Times are epoch ms. */
export function nextDayAt(at: number, timezone: string, now: number): { local: string; timezone: string } {
  const [day = '', time = ''] = localAt(at, timezone).split('T')
  const today = localAt(now, timezone).slice(0, 10)
  const days = [addDays(day, 1), today, addDays(today, 1), addDays(today, 2)]
  const locals = days.filter((one) => one > day).map((one) => `${one}T${time}`)
  const local = locals.find((one) => (instantOf(one, timezone) ?? 0) > now)
  if (local === undefined) throw new Error(`${time} never comes in ${timezone}.`)
  return { local, timezone }
}
