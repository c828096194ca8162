import { ActionIcon, Box, Button, Group, Text, VisuallyHidden } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { LABELS } from '#contract/texts.ts'
import { ICON } from '#web/ui/icons.tsx'
import { usePageTitle } from '#web/ui/page-title.ts'
import { ZoneChoice } from '#web/ui/zone.tsx'
import classes from './calendar.module.css'
import { anchorBeside, titleOf, VIEWS, type Range, type View } from './range.ts'

type Props = {
  range: Range
  today: string
  isReconnecting: boolean
  hasTray: boolean
  onTray: () => void
  onGo: (change: { view?: View; anchor?: string }) => void
  /** The filter's button. */
  children: ReactNode
}

const WORDS: Record<View, string> = { month: 'Month', week: 'Week', list: 'List' }
const BEFORE: Record<View, string> = {
  month: 'Previous month',
  week: 'Previous week',
  list: 'Previous four weeks',
}
const AFTER: Record<View, string> = { month: 'Next month', week: 'Next week', list: 'Next four weeks' }

/** One row has room for all of a phone's buttons. */
const NARROW = { base: '0.375rem', xs: 'xs' }

/** The steps come before the title, so that they stay under the pointer however long it is. */
export function CalendarHead(props: Props) {
  const { range, today, isReconnecting, hasTray, onTray, onGo, children } = props
  usePageTitle(LABELS.calendar)
  const { view } = range
  return (
    <Group component="header" gap="0.5rem 0.75rem" mb="md">
      <Group gap="0.25rem" wrap="nowrap" className={classes.controls ?? ''}>
        <ActionIcon
          variant="default"
          aria-label={BEFORE[view]}
          onClick={() => onGo({ anchor: anchorBeside(range, -1) })}
        >
          <IconChevronLeft {...ICON} />
        </ActionIcon>
        <Button variant="default" px="xs" onClick={() => onGo({ anchor: today })}>
          Today
        </Button>
        <ActionIcon
          variant="default"
          aria-label={AFTER[view]}
          onClick={() => onGo({ anchor: anchorBeside(range, 1) })}
        >
          <IconChevronRight {...ICON} />
        </ActionIcon>
      </Group>
      <Box flex="1 1 10rem" miw={0}>
        <Box component="h1" fz="clamp(1rem, 1.7vw, 1.375rem)" lh="1.5rem">
          <VisuallyHidden>{LABELS.calendar}, </VisuallyHidden>
          {titleOf(range)}
        </Box>
        <Text c="dimmed" size="xs">
          {isReconnecting ? <output>Reconnecting…</output> : <ZoneChoice />}
        </Text>
      </Box>
      <Group
        gap="0.375rem"
        justify="space-between"
        wrap="nowrap"
        w={{ base: '100%', xs: 'auto' }}
        className={classes.controls ?? ''}
      >
        <Button.Group aria-label="View">
          {VIEWS.map((one) => (
            <Button
              key={one}
              variant="default"
              px={NARROW}
              miw="2.75rem"
              {...(one === view && { bg: 'var(--r-accent-soft)', c: 'var(--r-accent)' })}
              aria-pressed={one === view}
              onClick={() => onGo({ view: one })}
            >
              {WORDS[one]}
            </Button>
          ))}
        </Button.Group>
        {children}
        <Button variant="default" px={NARROW} aria-expanded={hasTray} onClick={onTray}>
          Unplanned
        </Button>
      </Group>
    </Group>
  )
}
