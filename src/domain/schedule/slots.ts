import { instantOf, localAt, readLocal } from './schedule.ts'

/** A weekly time of a posting schedule; `weekday` as in ISO 8601, 1 is Monday. */
export type WeeklySlot<P extends string = string> = {
  readonly weekday: number
  readonly time: string
  readonly platforms: readonly P[] | null
}

export type Week<P extends string = string> = {
  readonly timeZone: string
  readonly slots: readonly WeeklySlot<P>[]
}

/** A dated slot: its wall clock (`YYYY-MM-DDTHH:MM`) and its instant (epoch ms). */
export type Slot<P extends string = string> = {
  readonly local: string
  readonly at: number
  readonly platforms: readonly P[] | null
}

const DAY_MS = 86_400_000

/**
 * The slots with `from < at < to`, in order of time. Of two that a clock change makes the same instant, only the one whose
 * wall clock exists is given.
 */
export function slotsBetween<P extends string>(week: Week<P>, from: number, to: number): Slot<P>[] {
  const byInstant = new Map<number, Slot<P>>()
  if (week.slots.length === 0 || from >= to) return []
  const end = dayBefore(localAt(to, week.timeZone), -1)
  // A day earlier: skipped times come up to a day later.
  for (let day = dayBefore(localAt(from, week.timeZone), 1); day <= end; day += DAY_MS) {
    for (const slot of slotsOfDay(week, day)) {
      const isKept = slot.at > from && slot.at < to
      if (isKept && (!byInstant.has(slot.at) || slot.isPlain))
        byInstant.set(slot.at, { local: slot.local, at: slot.at, platforms: slot.platforms })
    }
  }
  return [...byInstant.values()].toSorted((a, b) => a.at - b.at)
}

/** Midnight, as if in UTC, `days` before the date of a wall clock. */
const dayBefore = (local: string, days: number): number =>
  Date.parse(`${local.slice(0, 10)}T00:00Z`) - days * DAY_MS

function slotsOfDay<P extends string>({ slots, timeZone }: Week<P>, day: number) {
  const weekday = new Date(day).getUTCDay() || 7
  const ofDay = slots.filter((slot) => slot.weekday === weekday)
  if (ofDay.length === 0) return []
  const date = new Date(day).toISOString().slice(0, 10)
  const offset = steadyOffset(date, timeZone)
  return ofDay.flatMap(({ time, platforms }) => {
    const local = `${date}T${time}`
    if (offset !== null) return [{ local, at: Date.parse(`${local}:00Z`) - offset, platforms, isPlain: true }]
    const found = readLocal(local, timeZone)
    return found === null ? [] : [{ local, at: found.at, platforms, isPlain: found.kind === 'plain' }]
  })
}

/** Each costs two zone lookups, and schedules of one zone share dates. */
const offsets = new Map<string, number | null>()
/** Enough for a year in some zones. */
const OFFSETS_MAX = 10_000

/** The zone's offset (ms) if no clock change is near the date: a year of slots then needs few lookups. */
function steadyOffset(date: string, timeZone: string): number | null {
  const key = `${timeZone} ${date}`
  const kept = offsets.get(key)
  if (kept !== undefined) return kept
  if (offsets.size >= OFFSETS_MAX) offsets.clear()
  const found = findSteadyOffset(date, timeZone)
  offsets.set(key, found)
  return found
}

function findSteadyOffset(date: string, timeZone: string): number | null {
  const noon = Date.parse(`${date}T12:00Z`)
  const offset = (instant: number) => Date.parse(`${localAt(instant, timeZone)}:00Z`) - instant
  const [before, after] = [offset(noon - 2 * DAY_MS), offset(noon + 2 * DAY_MS)]
  return before === after ? before : null
}

export const slotAt = <P extends string>(week: Week<P>, at: number): Slot<P> | null =>
  slotsBetween(week, at - 1, at + 1)[0] ?? null

export const isFor = <P extends string>(slot: Pick<Slot<P>, 'platforms'>, platforms: readonly P[]): boolean =>
  slot.platforms === null || platforms.every((platform) => slot.platforms?.includes(platform))

/** Searches this much at a time: usually enough, and few of a year's slots. */
const SEARCHED_MS = 28 * DAY_MS

export function* slotsFrom<P extends string>(week: Week<P>, from: number, to: number): Generator<Slot<P>> {
  for (let start = from; start < to; start += SEARCHED_MS) {
    // `slotsBetween` excludes both ends, so each part begins just before its first instant.
    const begin = start === from ? from : start - 1
    yield* slotsBetween(week, begin, Math.min(start + SEARCHED_MS, to))
  }
}

export type Search<P extends string> = {
  readonly from: number
  readonly to: number
  /** Asked for the instant (epoch ms) of a slot. */
  readonly isTaken: (at: number) => boolean
  readonly platforms: readonly P[]
}

export function nextFreeSlot<P extends string>(week: Week<P>, search: Search<P>): Slot<P> | null {
  for (const slot of slotsFrom(week, search.from, search.to))
    if (!search.isTaken(slot.at) && isFor(slot, search.platforms)) return slot
  return null
}

/**
 * The wall clock at which a post of a slot goes out: up to `jitterMinutes` later. A slot always gets the same offset, so
 * the shown time is the real one.
 */
export function jitteredLocal(scheduleId: number, slotLocal: string, jitterMinutes: number): string {
  const offset = hash(`${scheduleId} ${slotLocal}`) % (jitterMinutes + 1)
  return new Date(Date.parse(`${slotLocal}:00Z`) + offset * 60_000).toISOString().slice(0, 16)
}

/** FNV-1a, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const sign of text) value = Math.imul(value ^ (sign.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return value
}

export const slotInstant = (local: string, timeZone: string): number => {
  const at = instantOf(local, timeZone)
  if (at === null) throw new Error(`${local} is no time of a slot.`)
  return at
}
