import type { Board } from './board.ts'
import type { Entry } from './calendar-entries.ts'
import type { Movable } from './store-move.ts'
import { DayDialog } from './day-dialog.tsx'
import { EntryDialog } from './entry-dialog.tsx'
import { MoveDialog } from './move-dialog.tsx'

/**
 * What was opened: an entry, a day with all that it has, or the question for another time. `from`: the id of the button that
 * opened the day.
 */
export type Asked =
  | { readonly what: 'entry'; readonly entry: Entry; readonly from?: string | undefined }
  | { readonly what: 'day'; readonly day: string; readonly from: string }
  | {
      readonly what: 'move'
      readonly movable: Movable
      readonly local: string
      readonly from?: string | undefined
    }

type Props = {
  asked: Asked
  board: Board
  onAsk: (asked: Asked) => void
  onMove: (movable: Movable, at: number) => void
  onClose: () => void
}

/** The dialog that is open. */
export default function Dialogs({ asked, board, onAsk, onMove, onClose: onClosed }: Props) {
  const onClose = () => {
    onClosed()
    // The dialogs follow each other: what opened the first gets the focus back.
    queueMicrotask(() => document.getElementById(keyOf(asked))?.focus())
  }
  return (
    <>
      {asked.what === 'entry' && (
        <EntryDialog
          entry={asked.entry}
          board={board}
          onMove={() =>
            onAsk({
              what: 'move',
              movable: { kind: 'entry', entry: asked.entry },
              local: asked.entry.local,
              from: asked.from,
            })
          }
          onClose={onClose}
        />
      )}
      {asked.what === 'move' && (
        <MoveDialog
          local={asked.local}
          verb={asked.movable.kind === 'entry' ? 'Move' : 'Plan'}
          zone={board.zone}
          onMove={(at) => onMove(asked.movable, at)}
          onClose={onClose}
        />
      )}
      {asked.what === 'day' && (
        <DayDialog
          day={asked.day}
          board={{ ...board, onOpen: (entry) => onAsk({ what: 'entry', entry, from: asked.from }) }}
          onClose={onClose}
        />
      )}
    </>
  )
}

/** The id of the element that the first dialog is about. */
function keyOf(asked: Asked): string {
  if (asked.what === 'day') return asked.from
  if (asked.from !== undefined) return asked.from
  if (asked.what === 'entry') return asked.entry.key
  const { movable } = asked
  if (movable.kind === 'entry') return movable.entry.key
  return `plan-${movable.kind === 'draft' ? movable.draftId : movable.videoId}`
}
