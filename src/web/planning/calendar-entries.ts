import type { Calendar, CalendarDraft, CalendarPost } from '#contract/planning/calendar.ts'
import type { FreeSlot } from '#contract/planning/schedules.ts'
import type { DeliveryStatus } from '#contract/deliveries.ts'

/** A wall clock, such as `2026-12-24T18:30`, at an instant (epoch ms). */
export type Clock = (at: number) => string

/** The clock of a zone. Its formatter is made once: a month has thousands of posts. */
export function clockIn(zone: string): Clock {
  // Swedish writes date and time as ISO 8601 does.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
  return (at) => format.format(at).replace(' ', 'T')
}

type EntryBase = {
  /** Unique on the page, and its element's id. */
  readonly key: string
  /** Epoch ms. */
  readonly at: number
  /** On the clock of the page. */
  readonly local: string
  /** When the last of its accounts gets it. */
  readonly lastLocal: string
  readonly status: 'draft' | DeliveryStatus
  /** Why it cannot be moved; null: it can. */
  readonly fixed: string | null
}
export type PostEntry = EntryBase & { readonly kind: 'post'; readonly of: CalendarPost }
export type DraftEntry = EntryBase & { readonly kind: 'draft'; readonly of: CalendarDraft }
export type Entry = PostEntry | DraftEntry

/** A free slot of a posting schedule; `local` is on the clock of the page. */
export type Slot = { readonly key: string; readonly local: string; readonly of: FreeSlot }

/** The free slots, but those that drafts are to take. */
export function slotsOf({ slots, drafts }: Pick<Calendar, 'slots' | 'drafts'>, clock: Clock): Slot[] {
  const planned = new Set(drafts.map(({ slot, at }) => slot && `${slot.schedule_id} ${at}`))
  return slots
    .filter(({ schedule_id, at }) => !planned.has(`${schedule_id} ${at}`))
    .map((of) => ({ key: `slot-${of.schedule_id}-${of.at}`, local: clock(Date.parse(of.at)), of }))
}

export const dayOfEntry = ({ local }: { readonly local: string }): string => local.slice(0, 10)
export const timeOfEntry = ({ local }: { readonly local: string }): string => local.slice(11)
/** "18:00–19:00" where its accounts get it one after the other. */
export const timesOfEntry = ({ local, lastLocal }: Entry): string =>
  lastLocal === local ? local.slice(11) : `${local.slice(11)}–${lastLocal.slice(11)}`
/** The minute of the day. */
export const minuteOf = ({ local }: { readonly local: string }): number =>
  Number(local.slice(11, 13)) * 60 + Number(local.slice(14))

/** The wall clock of a post made on a day: at six in the evening, else the next full hour of today. null: the day is over. */
export function proposedTime(day: string, now: string): string | null {
  const evening = `${day}T18:00`
  if (evening > now) return evening
  const hour = Number(now.slice(11, 13)) + 1
  return day === now.slice(0, 10) && hour < 24 ? `${day}T${hour}:00` : null
}

export const needsLook = (entry: Entry): boolean =>
  !isSettled(entry) &&
  (entry.status === 'failed' || entry.status === 'unconfirmed' || entry.status === 'blocked')

/** It failed, and that was dismissed or replaced by a newer post. */
export const isSettled = (entry: Entry): boolean => entry.kind === 'post' && entry.of.settled

/** It is over, and only there to be looked up. */
export const isDone = (entry: Entry): boolean =>
  isSettled(entry) ||
  entry.status === 'published' ||
  entry.status === 'in_inbox' ||
  entry.status === 'cancelled'

/** What the clocks show of an entry at an instant (epoch ms). */
export function clocksOf(of: CalendarPost | CalendarDraft, at: number, clock: Clock) {
  const local = clock(at)
  const lastsMs = 'last_at' in of ? Date.parse(of.last_at) - Date.parse(of.at) : 0
  // Clocks are slow, and most entries have one time.
  return { at, local, lastLocal: lastsMs === 0 ? local : clock(at + lastsMs) }
}

/**
 * Posts and drafts, soonest first.
 * @param moved instants of those that are shown at another time than they have, by their keys
 */
export function entriesOf(
  { posts, drafts }: Pick<Calendar, 'posts' | 'drafts'>,
  clock: Clock,
  moved: ReadonlyMap<string, number> = new Map(),
): Entry[] {
  const keys = new Set<string>()
  const place = (key: string, of: CalendarPost | CalendarDraft) => ({
    key,
    ...clocksOf(of, moved.get(key) ?? Date.parse(of.at), clock),
  })
  const entries: Entry[] = posts.map((of) => {
    // A post whose accounts get it hours apart is there once for each time.
    const key = keys.has(`post-${of.post_id}`) ? `post-${of.post_id}-${of.at}` : `post-${of.post_id}`
    keys.add(key)
    return { kind: 'post', of, ...place(key, of), status: of.status, fixed: of.fixed }
  })
  for (const of of drafts)
    entries.push({
      kind: 'draft',
      of,
      ...place(`draft-${of.draft_id}`, of),
      status: 'draft',
      fixed: null,
    })
  // At one time, the entry that needs a look lies on top.
  return entries.toSorted(
    (a, b) => a.at - b.at || Number(needsLook(b)) - Number(needsLook(a)) || (a.key < b.key ? -1 : 1),
  )
}

/** The few of a day that are shown: what needs a look, then what is to come, then what is over; in order of time. @param always a key */
export function chooseShown(entries: readonly Entry[], count: number, always?: string): readonly Entry[] {
  if (entries.length <= count) return entries
  const rank = (entry: Entry) => (entry.key === always ? -1 : needsLook(entry) ? 0 : isDone(entry) ? 2 : 1)
  const chosen = new Set(entries.toSorted((a, b) => rank(a) - rank(b)).slice(0, count))
  return entries.filter((entry) => chosen.has(entry))
}

export function byDay<T extends { readonly local: string }>(
  days: readonly string[],
  all: readonly T[],
): ReadonlyMap<string, readonly T[]> {
  const found = Map.groupBy(all, dayOfEntry)
  return new Map(days.map((day) => [day, found.get(day) ?? []]))
}
