import { addDays } from '#domain/schedule/days.ts'

export const VIEWS = ['month', 'week', 'list'] as const
export type View = (typeof VIEWS)[number]

/** Days as `2026-11-18`. `anchor` is the day that was chosen, which another view keeps. */
export type Range = {
  readonly view: View
  readonly anchor: string
  readonly from: string
  readonly days: number
}

/** Four weeks from the chosen day on. */
const LIST_DAYS = 28

/** The days that a view shows around `anchor`. Weeks begin on Monday. */
export function rangeOf(view: View, anchor: string): Range {
  switch (view) {
    case 'week':
      return { view, anchor, from: mondayOf(anchor), days: 7 }
    case 'month': {
      const from = mondayOf(firstOf(anchor))
      const days = Math.ceil(daysBetween(from, nextMonth(anchor)) / 7) * 7
      return { view, anchor, from, days }
    }
    case 'list':
      return { view, anchor, from: anchor, days: LIST_DAYS }
  }
}

export const listDays = ({ from, days }: Range): string[] =>
  Array.from({ length: days }, (_, i) => addDays(from, i))

/** The anchor of the days before (-1) or after (1). */
export function anchorBeside({ view, anchor }: Range, direction: -1 | 1): string {
  switch (view) {
    case 'week':
      return addDays(anchor, 7 * direction)
    case 'month':
      return direction === 1 ? nextMonth(anchor) : firstOf(addDays(firstOf(anchor), -1))
    case 'list':
      return addDays(anchor, LIST_DAYS * direction)
  }
}

/** "November 2026", "23 – 29 Nov 2026", or "30 Nov – 6 Dec 2026", with as much of the first day as differs. */
export function titleOf({ view, anchor, from, days }: Range): string {
  if (view === 'month') return dateText(anchor, { month: 'long', year: 'numeric' })
  const last = addDays(from, days - 1)
  const isSame = (chars: number) => from.slice(0, chars) === last.slice(0, chars)
  const first = dateText(from, {
    day: 'numeric',
    ...(!isSame(7) && { month: 'short' }),
    ...(!isSame(4) && { year: 'numeric' }),
  })
  return `${first} – ${dateText(last, { day: 'numeric', month: 'short', year: 'numeric' })}`
}

export const isInMonth = (day: string, { view, anchor }: Range): boolean =>
  view !== 'month' || day.slice(0, 7) === anchor.slice(0, 7)

/** Formats a day such as `2026-11-18`. */
export const dateText = (day: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options }).format(Date.parse(day))

/** 0 for Monday. */
const weekdayOf = (day: string): number => (new Date(Date.parse(day)).getUTCDay() + 6) % 7
const mondayOf = (day: string): string => addDays(day, -weekdayOf(day))
const firstOf = (day: string): string => `${day.slice(0, 7)}-01`
const nextMonth = (day: string): string => firstOf(addDays(firstOf(day), 31))
const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 86_400_000
