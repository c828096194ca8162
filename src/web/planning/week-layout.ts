/** Heights in px, as in `grid.module.css`. */
export const HOUR_PX = 48
export const CHIP_PX = 56
export const SLOT_PX = 36
const GAP_PX = 3
/** What another chip covers is drawn so much lower at most, which is below a chip of the same time; else it joins that one's stack. */
const PUSH_MAX_PX = CHIP_PX + GAP_PX

/** `isSlot`: a free slot, which is never stacked on a post of its time. */
type Item = { readonly minute: number; readonly height: number; readonly isSlot: boolean }

/** `top` in px from the first hour; `under` are stacked below the item. */
type LaidOut<T> = { readonly item: T; readonly top: number; readonly under: readonly T[] }

/**
 * Places the items of a day, which are in order of their time. One that begins while another is drawn is pushed below it, if it
 * stays near its time; else it is stacked. So a day has few chips, however many posts it has.
 */
export function layOut<T extends Item>(items: readonly T[], startHour: number): LaidOut<T>[] {
  const placed: (LaidOut<T> & { readonly under: T[] })[] = []
  for (const item of items) {
    const natural = topOf(item.minute, startHour)
    const last = placed.at(-1)
    const free = last ? last.top + last.item.height + GAP_PX : -Infinity
    // A post is stacked on a post, where one is near.
    if (last && free - natural > PUSH_MAX_PX)
      (placed.findLast((one) => one.item.isSlot === item.isSlot) ?? last).under.push(item)
    else placed.push({ item, top: Math.max(natural, free), under: [] })
  }
  return placed
}

export const topOf = (minute: number, startHour: number): number => ((minute - startHour * 60) / 60) * HOUR_PX

/** The latest hour at which a week begins, if nothing is earlier. */
const START_HOUR_MAX = 7

/** The first hour that is drawn: one before the first item, so that it does not stick to the edge. */
export function firstHour(minutes: readonly number[]): number {
  const earliest = Math.floor(Math.min(...minutes, 24 * 60) / 60)
  return Math.max(0, Math.min(START_HOUR_MAX, earliest - 1))
}

const SNAP_MINUTES = 15

/** The minute of the day at a height of the day's column, to the nearest quarter of an hour. */
export function minuteAt(px: number, startHour: number): number {
  const minute = startHour * 60 + (px / HOUR_PX) * 60
  const snapped = Math.round(minute / SNAP_MINUTES) * SNAP_MINUTES
  return Math.min(Math.max(snapped, 0), 24 * 60 - SNAP_MINUTES)
}

/** The hour of the day at a height of the day's column. */
export const hourAt = (px: number, startHour: number): number =>
  Math.min(23, Math.max(startHour, startHour + Math.floor(px / HOUR_PX)))
