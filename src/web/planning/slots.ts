import { PLATFORM_NAMES, type PlatformId } from '#contract/platforms/index.ts'
import type { Schedule } from '#contract/planning/schedules.ts'

export type Slot = Schedule['slots'][number]

/** ISO 8601: Monday is 1. */
export const WEEKDAYS = [
  { weekday: 1, short: 'Mon', name: 'Monday' },
  { weekday: 2, short: 'Tue', name: 'Tuesday' },
  { weekday: 3, short: 'Wed', name: 'Wednesday' },
  { weekday: 4, short: 'Thu', name: 'Thursday' },
  { weekday: 5, short: 'Fri', name: 'Friday' },
  { weekday: 6, short: 'Sat', name: 'Saturday' },
  { weekday: 7, short: 'Sun', name: 'Sunday' },
] as const

type Added = {
  readonly weekdays: readonly number[]
  readonly time: string
  readonly platforms: readonly PlatformId[] | null
}

const isAt = (weekday: number, time: string) => (slot: Slot) => slot.weekday === weekday && slot.time === time

/** In order of the week; one at a time that is there already takes its place. */
export function withSlots(slots: readonly Slot[], { weekdays, time, platforms }: Added): Slot[] {
  const added = weekdays.map((weekday): Slot => ({
    weekday,
    time,
    platforms: platforms === null ? null : [...platforms],
  }))
  const kept = slots.filter((slot) => !added.some((one) => isAt(one.weekday, one.time)(slot)))
  return [...kept, ...added].toSorted(
    (one, other) => one.weekday - other.weekday || one.time.localeCompare(other.time),
  )
}

export const withoutSlot = (slots: readonly Slot[], { weekday, time }: Slot): Slot[] =>
  slots.filter((slot) => !isAt(weekday, time)(slot))

/** "TikTok"; null: any platform. */
export const platformsWord = (platforms: Slot['platforms']): string | null =>
  platforms === null ? null : platforms.map((id) => PLATFORM_NAMES[id]).join(' and ')

/** "Tue, Thu 18:00 · Sat 10:00 (TikTok)" */
export function slotsText(slots: readonly Slot[]): string {
  const groups = Map.groupBy(slots, ({ time, platforms }) => {
    const word = platformsWord(platforms)
    return word === null ? time : `${time} (${word})`
  })
  return [...groups].map(([at, some]) => `${daysText(some.map(({ weekday }) => weekday))} ${at}`).join(' · ')
}

function daysText(weekdays: readonly number[]): string {
  const key = weekdays.join('')
  if (key === '1234567') return 'Every day'
  if (key === '12345') return 'Mon–Fri'
  return WEEKDAYS.filter(({ weekday }) => weekdays.includes(weekday))
    .map(({ short }) => short)
    .join(', ')
}
