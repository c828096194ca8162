import { Box, Group, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useRef, useState, type KeyboardEvent } from 'react'
import type { OverviewDay } from '#contract/overview.ts'
import { dayName, dayOfMonth, monthName, weekday } from '#web/lib/moments.ts'
import { OverviewSection } from './overview-section.tsx'
import classes from './overview.module.css'
import { numbersOf, summaryOf, sumOf } from './numbers.ts'

type Props = {
  days: readonly OverviewDay[]
  /** The zone of the days, if it differs from the page's. */
  daysOf: string | null
}

/** Published and failed posts per day. Pointer, touch or arrow keys (as in a toolbar) select a day to describe. */
export function TwoWeeks({ days, daysOf }: Props) {
  const last = days.length - 1
  const [chosen, setChosen] = useState(last)
  const bars = useRef(new Map<number, HTMLButtonElement>())
  const most = Math.max(1, ...days.map(({ published, failed }) => published + failed))
  const today = days[last]?.day ?? ''
  const selected = days[chosen]

  const byKey = (event: KeyboardEvent) => {
    const to = targetOf(event.key, chosen, last)
    if (to === null) return
    event.preventDefault()
    bars.current.get(to)?.focus()
  }

  return (
    <OverviewSection title="Last two weeks" id="two-weeks">
      <Stack gap="sm" p="md" className={classes.twoWeeks}>
        <Text c="dimmed" size="xs" className={classes.inset}>
          {summaryOf(days)}
          {daysOf !== null && ` Days in ${daysOf}.`}
        </Text>
        <div className={classes.chart} role="toolbar" aria-label="Days">
          {days.map((day, i) => (
            <button
              key={day.day}
              ref={(bar) => {
                if (bar) bars.current.set(i, bar)
                else bars.current.delete(i)
              }}
              type="button"
              className={classes.day}
              tabIndex={i === chosen ? 0 : -1}
              aria-pressed={i === chosen}
              aria-current={i === last && 'date'}
              onKeyDown={byKey}
              onFocus={() => setChosen(i)}
              onPointerEnter={() => setChosen(i)}
              onClick={() => setChosen(i)}
            >
              <Bar of={day} most={most} />
            </button>
          ))}
        </div>
        <Group gap="0.25rem 1.25rem" fz="xs" className={classes.inset} aria-hidden="true">
          {selected && (
            <Box component="p" flex="1 1 16rem">
              <strong>{dayName(selected.day, today)}:</strong> {numbersOf(selected)}
            </Box>
          )}
          <Group component="p" gap="0.375rem" c="dimmed" className={classes.legend}>
            <span className={classes.published} /> Published {sumOf(days, 'published')}
          </Group>
          <Group component="p" gap="0.375rem" c="dimmed" className={classes.legend}>
            <span className={classes.failed} /> Failed {sumOf(days, 'failed')}
          </Group>
        </Group>
      </Stack>
    </OverviewSection>
  )
}

function Bar({ of: { day, published, failed }, most }: { of: OverviewDay; most: number }) {
  return (
    <>
      <span aria-hidden="true">{published + failed > 0 && published + failed}</span>
      <span className={classes.bar} aria-hidden="true">
        <span className={classes.failed} style={{ height: heightOf(failed, most) }} />
        <span className={classes.published} style={{ height: heightOf(published, most) }} />
      </span>
      <span className={classes.date}>
        <span className={classes.weekday}>{weekday(day)}</span> {dayOfMonth(day)}
        <VisuallyHidden>
          {' '}
          {monthName(day)}: {numbersOf({ published, failed })}
        </VisuallyHidden>
      </span>
    </>
  )
}

/** At least 3 px, so that one of a thousand is visible. */
const heightOf = (count: number, most: number): string =>
  count === 0 ? '0' : `max(3px, ${(count / most) * 100}%)`

function targetOf(key: string, from: number, last: number): number | null {
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, from - 1)
    case 'ArrowRight':
      return Math.min(last, from + 1)
    case 'Home':
      return 0
    case 'End':
      return last
    default:
      return null
  }
}
