import { addDays } from '#domain/schedule/days.ts'
import { instantOf } from '#domain/schedule/schedule.ts'
import type { Clock } from './calendar-entries.ts'
import type { View } from './range.ts'

const STEP_MS = 15 * 60_000

/** One press moves an entry to the next quarter of an hour, or by whole days with the same time. */
export type Shift = { readonly quarters: 1 | -1 } | { readonly days: number }

/** In the month view, up and down move by a week. */
export function shiftForKey(key: string, view: View): Shift | null {
  switch (key) {
    case 'ArrowLeft':
      return { days: -1 }
    case 'ArrowRight':
      return { days: 1 }
    case 'ArrowUp':
      return view === 'month' ? { days: -7 } : { quarters: -1 }
    case 'ArrowDown':
      return view === 'month' ? { days: 7 } : { quarters: 1 }
    default:
      return null
  }
}

/** Epoch ms. Quarters are counted in real time, so a clock change does not stop them; days by the wall clock of the page. */
export function shiftTime(at: number, shift: Shift, { clock, zone }: { clock: Clock; zone: string }): number {
  if ('quarters' in shift)
    return shift.quarters > 0
      ? (Math.floor(at / STEP_MS) + 1) * STEP_MS
      : (Math.ceil(at / STEP_MS) - 1) * STEP_MS
  const [day = '', time = ''] = clock(at).split('T')
  return instantOf(`${addDays(day, shift.days)}T${time}`, zone) ?? at
}
