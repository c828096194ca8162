import { isFor, nextFreeSlot, slotsBetween, slotsFrom, type Slot, type Week } from './slots.ts'

/** A post with a future slot of the schedule. */
export type SlottedPost<P extends string = string> = {
  readonly postId: number
  readonly at: number
  readonly local: string
  readonly platforms: readonly P[]
  /** Nothing of it has started, so it can get another slot. */
  readonly movable: boolean
}

/** Slots are given from `now` (epoch ms) on and before `until`. */
type Span = { readonly now: number; readonly until: number }

export type SlotMove<P extends string = string> = { readonly postId: number; readonly to: Slot<P> }

export type Placing<P extends string = string> = {
  readonly slot: Slot<P>
  readonly moves: readonly SlotMove<P>[]
}

type Newcomer<P extends string> = {
  readonly place: Position
  readonly platforms: readonly P[]
  /** Other posts of the accounts concerned go out at this slot (epoch ms), which they do not hold. */
  readonly isBusy: (at: number) => boolean
}
type Position = 'next' | 'top' | 'bottom'

export function placeInSchedule<P extends string>(
  week: Week<P>,
  posts: readonly SlottedPost<P>[],
  { place, platforms, isBusy }: Newcomer<P>,
  { now, until }: Span,
): Placing<P> | null {
  switch (place) {
    case 'next': {
      const taken = takenBy(posts)
      const isTaken = (at: number) => taken.has(at) || isBusy(at)
      return alone(nextFreeSlot(week, { from: now, to: until, isTaken, platforms }))
    }
    case 'bottom': {
      const last = Math.max(now, ...posts.map(({ at }) => at))
      return alone(nextFreeSlot(week, { from: last, to: until, isTaken: isBusy, platforms }))
    }
    case 'top':
      return placeFirst(week, posts, { platforms, isBusy }, { now, until })
  }
}

const alone = <P extends string>(slot: Slot<P> | null): Placing<P> | null =>
  slot === null ? null : { slot, moves: [] }

const takenBy = (posts: readonly { readonly at: number }[]): Set<number> => new Set(posts.map(({ at }) => at))

/** Each post in the way moves to the slot after its own, up to the first free one. */
function placeFirst<P extends string>(
  week: Week<P>,
  posts: readonly SlottedPost<P>[],
  { platforms, isBusy }: Omit<Newcomer<P>, 'place'>,
  { now, until }: Span,
): Placing<P> | null {
  const bySlot = new Map(posts.map((post) => [post.at, post]))
  const found: Slot<P>[] = []
  const displaced: SlottedPost<P>[] = []
  let wanted = platforms
  for (const slot of slotsFrom(week, now, until)) {
    const holder = bySlot.get(slot.at)
    if (!isFor(slot, wanted) || holder?.movable === false || isBusy(slot.at)) continue
    found.push(slot)
    if (!holder) {
      const [slotOfNew, ...rest] = found
      if (!slotOfNew) return null
      return { slot: slotOfNew, moves: movesTo(displaced, rest) }
    }
    displaced.push(holder)
    wanted = holder.platforms
  }
  return null
}

const movesTo = <P extends string>(
  posts: readonly SlottedPost<P>[],
  slots: readonly Slot<P>[],
): SlotMove<P>[] =>
  posts.flatMap(({ postId }, i) => {
    const to = slots[i]
    return to ? [{ postId, to }] : []
  })

/** The effect of another week. `stays`: posts without a slot; they keep their times and leave the schedule. */
export type ReslotResult<P extends string> = {
  readonly moves: readonly SlotMove<P>[]
  readonly stays: readonly number[]
}

/**
 * Gives posts the slots of another week. A post whose slot still exists keeps its wall clock. The others, in order of time,
 * take the nearest free slot of the same date, else the next free one; nothing else moves.
 */
export function reslot<P extends string>(
  week: Week<P>,
  posts: readonly SlottedPost<P>[],
  span: Span,
): ReslotResult<P> {
  const byTime = posts.toSorted((a, b) => a.at - b.at)
  const taken = takenBy(byTime.filter(({ movable }) => !movable))
  const last = Math.max(span.now, ...byTime.map(({ at }) => at))
  const sameLocal = new Map(
    slotsBetween(week, span.now, Math.min(last + 3 * DAY_MS, span.until)).map((slot) => [slot.local, slot]),
  )
  const moves: SlotMove<P>[] = []
  const homeless: SlottedPost<P>[] = []
  for (const post of byTime) {
    if (!post.movable) continue
    const same = sameLocal.get(post.local)
    if (!same || taken.has(same.at) || !isFor(same, post.platforms)) {
      homeless.push(post)
      continue
    }
    taken.add(same.at)
    if (same.at !== post.at) moves.push({ postId: post.postId, to: same })
  }
  const stays: number[] = []
  const slots = workedOutOnce(slotsFrom(week, span.now, span.until))
  for (const post of homeless) {
    const to = nearestFree(slots, post, taken)
    if (to === null) stays.push(post.postId)
    else {
      taken.add(to.at)
      moves.push({ postId: post.postId, to })
    }
  }
  return { moves, stays }
}

const DAY_MS = 86_400_000

function nearestFree<P extends string>(
  slots: Iterable<Slot<P>>,
  { at, local, platforms }: SlottedPost<P>,
  taken: ReadonlySet<number>,
): Slot<P> | null {
  const distance = (slot: Slot<P>) => Math.abs(toMinutes(slot.local) - toMinutes(local))
  let ofDate: Slot<P> | null = null
  let next: Slot<P> | null = null
  for (const slot of slots) {
    if (slot.at > at + 2 * DAY_MS && (ofDate ?? next) !== null) break
    if (taken.has(slot.at) || !isFor(slot, platforms)) continue
    if (slot.at >= at) next ??= slot
    if (slot.local.slice(0, 10) !== local.slice(0, 10)) continue
    if (ofDate === null || distance(slot) < distance(ofDate)) ofDate = slot
  }
  return ofDate ?? next
}

function workedOutOnce<T>(source: Iterator<T>): Iterable<T> {
  const known: T[] = []
  return {
    *[Symbol.iterator]() {
      yield* known
      for (let i = known.length; ; i += 1) {
        if (i === known.length) {
          const next = source.next()
          if (next.done === true) return
          known.push(next.value)
        }
        yield* known.slice(i, i + 1)
      }
    },
  }
}

const toMinutes = (local: string): number => Date.parse(`${local}:00Z`) / 60_000
