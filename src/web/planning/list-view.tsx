import { Box, Group, Text, VisuallyHidden } from '@mantine/core'
import { memo, useEffect, useRef, useState } from 'react'
import { Card } from '#web/ui/card.tsx'
import { Badge } from '#web/ui/status.tsx'
import { Thumbnail } from '#web/ui/thumbnail.tsx'
import { dayName } from '#web/lib/moments.ts'
import { type Entry, timesOfEntry } from './calendar-entries.ts'
import { type Board, type ShownBrand, todayOf } from './board.ts'
import { BrandName, Marks } from './chip.tsx'
import { lookOf, marksText, titleOf } from './entry-look.ts'
import classes from './calendar.module.css'
import { SlotLink } from './slot-link.tsx'

export function ListView({ board }: { board: Board }) {
  const days = board.days.filter((day) => [board.entries, board.slots].some((its) => its.get(day)?.length))
  return days.map((day) => (
    <Box key={day} component="section" mb="lg" aria-label={dayName(day, todayOf(board))}>
      <Text component="h2" fw={650} mb="xs" c={day === todayOf(board) ? 'var(--r-accent)' : 'dimmed'}>
        {dayName(day, todayOf(board))}
      </Text>
      {(board.entries.get(day)?.length ?? 0) > 0 && (
        <Rows entries={board.entries.get(day) ?? []} board={board} />
      )}
      <Box
        display="grid"
        mt="xs"
        style={{ gap: '0.5rem', gridTemplateColumns: 'repeat(auto-fill, minmax(9rem, 1fr))' }}
      >
        {board.slots.get(day)?.map((slot) => (
          <SlotLink key={slot.key} slot={slot} board={board} size="chip" />
        ))}
      </Box>
    </Box>
  ))
}

/** The height of a row with its line. */
const ROW_PX = 73
/** Rows this far outside of the viewport are rendered, so that scrolling meets no empty day. */
const MARGIN_PX = 1200

/** Days far outside of the viewport render as an empty box of the same height. */
function Rows({ entries, board }: { entries: readonly Entry[]; board: Board }) {
  const place = useRef<HTMLDivElement>(null)
  const [isNear, setNear] = useState(typeof IntersectionObserver === 'undefined')
  useEffect(() => {
    const element = place.current
    if (isNear || element === null) return
    const observer = new IntersectionObserver(([seen]) => seen?.isIntersecting === true && setNear(true), {
      rootMargin: `${MARGIN_PX}px`,
    })
    observer.observe(element)
    // Printing renders every row.
    const show = () => setNear(true)
    addEventListener('beforeprint', show)
    return () => {
      observer.disconnect()
      removeEventListener('beforeprint', show)
    }
  }, [isNear])
  return (
    <Card flush>
      <div ref={place} style={isNear ? undefined : { height: entries.length * ROW_PX }}>
        {isNear && (
          <ul>
            {entries.map((entry) => (
              <Row key={entry.key} entry={entry} {...board.brandOf(entry)} onOpen={board.onOpen} />
            ))}
          </ul>
        )}
      </div>
    </Card>
  )
}

type RowProps = ShownBrand & { entry: Entry; onOpen: (entry: Entry) => void }

/** Memoised: opening one of hundreds renders no other again. */
export const Row = memo(function Row({ entry, brandTitle, color, logo, onOpen }: RowProps) {
  return (
    <li className={classes.item}>
      <button type="button" id={entry.key} data-stop className={classes.row} onClick={() => onOpen(entry)}>
        <strong>{timesOfEntry(entry)} </strong>
        <Thumbnail src={entry.of.poster_url} size="small" />
        <span className={classes.what}>
          <Text span fw={600} truncate dir="auto">
            {titleOf(entry)}{' '}
          </Text>
          <Group component="span" gap="xs" c="dimmed" fz="xs">
            <BrandName brandTitle={brandTitle} color={color} logo={logo} /> <Marks of={entry} />
            <VisuallyHidden> {marksText(entry)} </VisuallyHidden>
          </Group>
        </span>
        <span>
          <Badge {...lookOf(entry)} />
        </span>
      </button>
    </li>
  )
})
