import { lazy, Suspense } from 'react'
import type { Board } from '#web/screens/calendar/grid/board.ts'
import type { Entry } from '#web/screens/calendar/model/entries.ts'

const EntryDialog = lazy(async () => ({ default: (await import('./entry-dialog.tsx')).EntryDialog }))
const DayDialog = lazy(async () => ({ default: (await import('./day-dialog.tsx')).DayDialog }))

/** What was opened: an entry, or a day with all that it has. */
export type Asked =
  | { readonly what: 'entry'; readonly entry: Entry }
  | { readonly what: 'day'; readonly day: string }

type Props = {
  asked: Asked | null
  board: Board
  onAsk: (asked: Asked) => void
  onClose: () => void
}

/** The dialog that is open, if one is. */
export function Dialogs({ asked, board, onAsk, onClose }: Props) {
  if (asked === null) return null
  return (
    <Suspense>
      {asked.what === 'entry' && <EntryDialog entry={asked.entry} board={board} onClose={onClose} />}
      {asked.what === 'day' && (
        <DayDialog
          day={asked.day}
          board={{ ...board, onOpen: (entry) => onAsk({ what: 'entry', entry }) }}
          onClose={onClose}
        />
      )}
    </Suspense>
  )
}
