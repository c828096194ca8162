/** Between cards, in px. */
export const GAP_PX = 16
/** Seven cards on a page of full width, two on a phone. */
const CARD_MIN_PX = 140
const COLUMNS_MIN = 2
/** The lines below the picture, as grid.module.css sets them. */
const TEXT_REM = 5.5

export type GridLayout = { readonly columns: number; readonly rowPx: number }

/** Upright pictures of one size, as many in a row as fit. */
export function layoutOf(widthPx: number, remPx: number): GridLayout {
  const columns = Math.max(COLUMNS_MIN, Math.floor((widthPx + GAP_PX) / (CARD_MIN_PX + GAP_PX)))
  const cardPx = Math.max(0, widthPx - (columns - 1) * GAP_PX) / columns
  return { columns, rowPx: Math.ceil((cardPx * 16) / 9 + TEXT_REM * remPx) }
}

type Key = { readonly key: string; readonly ctrlKey: boolean; readonly metaKey: boolean }

/** Rows that Page Up and Page Down move by. */
const PAGE_ROWS = 2

/** The card that a key leads to; null: the key moves nothing. */
export function indexAfterKey(index: number, { key, ctrlKey, metaKey }: Key, { columns, count }: Grid) {
  const inRow = index % columns
  const toEnd = ctrlKey || metaKey
  const within = (next: number): number => Math.max(0, Math.min(next, count - 1))
  /** Up and down keep the column; below the last whole row is its last card. */
  const byRows = (rows: number): number => {
    const last = Math.floor((count - 1) / columns)
    const row = Math.max(0, Math.min(Math.floor(index / columns) + rows, last))
    return within(row * columns + inRow)
  }
  switch (key) {
    case 'ArrowLeft':
      return within(index - 1)
    case 'ArrowRight':
      return within(index + 1)
    case 'ArrowUp':
      return byRows(-1)
    case 'ArrowDown':
      return byRows(1)
    case 'PageUp':
      return byRows(-PAGE_ROWS)
    case 'PageDown':
      return byRows(PAGE_ROWS)
    case 'Home':
      return toEnd ? 0 : index - inRow
    case 'End':
      return toEnd ? within(count) : within(index - inRow + columns - 1)
    default:
      return null
  }
}

type Grid = { readonly columns: number; readonly count: number }
