import type { BrandLook } from '#web/ui/brand-mark.tsx'
import type { Entry, Slot } from './calendar-entries.ts'
import type { Movable } from './save-calendar-move.ts'
import type { Range } from './range.ts'

/** `brandTitle` is empty where it needs no name. */
export type ShownBrand = BrandLook & { readonly brandTitle: string }

export type Board = {
  readonly range: Range
  readonly days: readonly string[]
  /** By day, in order of time. */
  readonly entries: ReadonlyMap<string, readonly Entry[]>
  readonly slots: ReadonlyMap<string, readonly Slot[]>
  readonly zone: string
  /** On the clock of the page, such as `2026-12-24T18:30`. */
  readonly now: string
  readonly brandOf: (entry: Entry | Slot) => ShownBrand
  /** The entry that the keys are moving, and the wall clock that it has. */
  readonly held: { readonly key: string; readonly from: string } | null
  readonly onOpen: (entry: Entry) => void
  /** `from`: the id of the button that opens it. */
  readonly onOpenDay: (day: string, from: string) => void
  readonly onDrop: (movable: Movable, to: string | Slot) => void
}

export const todayOf = ({ now }: Pick<Board, 'now'>): string => now.slice(0, 10)
