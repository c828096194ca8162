import { useCallback, useMemo, useState } from 'react'
import type { ScheduleId } from '#contract/ids.ts'
import { TEXTS } from '#contract/texts.ts'
import { whyNotAt } from '#domain/schedule/schedule.ts'
import { ANY_DRAFTS, ANY_POSTS, queryClient } from '#web/api/queries.ts'
import { announce } from '#web/ui/announce.tsx'
import { localDayAndTime } from '#web/lib/moments.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { serverNow } from '#web/lib/server-time.ts'
import { type Clock, type Entry } from './calendar-entries.ts'
import { shiftTime, type Shift } from './keyboard-moves.ts'
import { saveCalendarMove, type Movable } from './save-calendar-move.ts'

/** An entry that the keys are moving; nothing is stored before it is kept. */
export type Held = { readonly entry: Entry; readonly at: number }

/** A move that was made, and can be taken back. */
type Done = {
  readonly text: string
  readonly key: string | null
  readonly from: number
  readonly undo: () => Promise<string | null>
}

export type Moves = ReturnType<typeof useMoves>

/** All ways of moving end here: keys, dragging, and the dialog. */
export function useMoves(clock: Clock, zone: string) {
  const [held, setHeld] = useState<Held | null>(null)
  const [moved, setMoved] = useState<ReadonlyMap<string, number>>(new Map())
  const [done, setDone] = useState<readonly Done[]>([])
  const [said, say] = useState('')

  /** Shows an entry at another time until what is stored was read again. */
  const showAt = useCallback(async (key: string | null, at: number, store: () => Promise<void>) => {
    if (key !== null) setMoved((before) => new Map(before).set(key, at))
    try {
      await store()
    } catch (error) {
      announce({ kind: 'failed', message: messageOf(error, TEXTS.unknownError) })
    }
    await Promise.all([queryClient.invalidateQueries(ANY_POSTS), queryClient.invalidateQueries(ANY_DRAFTS)])
    setMoved((before) => new Map([...before].filter(([one, its]) => one !== key || its !== at)))
  }, [])

  const move = useCallback(
    /** @param scheduleId the posting schedule on whose slot it was dropped */
    (it: Movable, at: number, scheduleId: ScheduleId | null = null) => {
      setHeld(null)
      const entry = it.kind === 'entry' ? it.entry : null
      const problem = entry?.fixed ?? whyNotAt(at, serverNow())
      if (problem !== null) return announce({ kind: 'note', message: problem })
      if (entry?.at === at && scheduleId === null) return
      void showAt(entry?.key ?? null, at, async () => {
        const { undo, schedule } = await saveCalendarMove(it, { at, zone, scheduleId })
        const text = textOf(it, clock(at), schedule)
        setDone((before) => [...before, { text, key: entry?.key ?? null, from: entry?.at ?? at, undo }])
        say(`${text} You can undo this.`)
      })
    },
    [clock, zone, showAt],
  )

  return useMemo(
    () => ({
      held,
      moved,
      /** Read aloud by screen readers. */
      said,
      last: done.at(-1) ?? null,
      move,
      shift: (entry: Entry, by: Shift): number | null => {
        const from = held?.entry.key === entry.key ? held : { entry, at: entry.at }
        const at = shiftTime(from.at, by, { clock, zone })
        const problem = entry.fixed ?? whyNotAt(at, serverNow())
        if (problem !== null) {
          say(problem)
          return null
        }
        setHeld({ entry: from.entry, at })
        say(`${localDayAndTime(clock(at))}. Enter keeps it, Escape puts it back.`)
        return at
      },
      keep: () => held && move({ kind: 'entry', entry: held.entry }, held.at),
      revert: () => {
        if (held === null) return
        setHeld(null)
        say(`Back at ${localDayAndTime(held.entry.local)}.`)
      },
      undo: () => {
        const last = done.at(-1)
        if (!last) return
        setDone((before) => before.slice(0, -1))
        void showAt(last.key, last.from, async () => {
          const note = await last.undo()
          say(note ?? 'Undone.')
          if (note !== null) announce({ kind: 'note', message: note })
        })
      },
      dismiss: () => setDone([]),
    }),
    [held, moved, said, done, move, clock, zone, showAt],
  )
}

const textOf = (it: Movable, local: string, schedule: string | null): string =>
  `${titleOf(it)} ${it.kind === 'entry' ? 'moved to' : 'planned for'} ${localDayAndTime(local)}${schedule === null ? '' : ` · ${schedule}`}.`

const titleOf = (it: Movable): string => {
  const title = it.kind === 'entry' ? it.entry.of.text : it.title
  return title.trim() === ''
    ? 'A post without a caption'
    : `“${title.length > 40 ? `${title.slice(0, 40)}…` : title}”`
}
