import { ActionIcon, Button, Group, VisuallyHidden } from '@mantine/core'
import { IconChevronLeft, IconChevronRight, IconWorld } from '@tabler/icons-react'
import { LABELS } from '#contract/texts.ts'
import { ICON } from '#web/ui/icons.tsx'
import { usePageTitle } from '#web/ui/page-title.ts'
import classes from './calendar.module.css'
import { anchorBeside, titleOf, VIEWS, type Range, type View } from './range.ts'

type Props = {
  range: Range
  zone: string
  today: string
  isReconnecting: boolean
  hasTray: boolean
  onTray: () => void
  onGo: (change: { view?: View; anchor?: string }) => void
}

const WORDS: Record<View, string> = { month: 'Month', week: 'Week', list: 'List' }
const BEFORE: Record<View, string> = {
  month: 'Previous month',
  week: 'Previous week',
  list: 'Previous four weeks',
}
const AFTER: Record<View, string> = { month: 'Next month', week: 'Next week', list: 'Next four weeks' }

export function CalendarHead({ range, zone, today, isReconnecting, hasTray, onTray, onGo }: Props) {
  usePageTitle(LABELS.calendar)
  const { view } = range
  return (
    <header className={classes.header}>
      <h1>
        <VisuallyHidden>{LABELS.calendar}, </VisuallyHidden>
        {titleOf(range)}
      </h1>
      <Group gap="0.25rem" wrap="nowrap" className={classes.steps ?? ''}>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={BEFORE[view]}
          onClick={() => onGo({ anchor: anchorBeside(range, -1) })}
        >
          <IconChevronLeft {...ICON} />
        </ActionIcon>
        <Button variant="default" size="sm" onClick={() => onGo({ anchor: today })}>
          Today
        </Button>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={AFTER[view]}
          onClick={() => onGo({ anchor: anchorBeside(range, 1) })}
        >
          <IconChevronRight {...ICON} />
        </ActionIcon>
      </Group>
      <Button className={classes.opener} variant="default" size="sm" aria-expanded={hasTray} onClick={onTray}>
        Drafts and videos
      </Button>
      <p className={classes.zone}>
        {isReconnecting ? (
          <output>Reconnecting…</output>
        ) : (
          <>
            <IconWorld {...ICON} size={16} /> Times in {zone.replaceAll('_', ' ')}
          </>
        )}
      </p>
      <fieldset className={classes.views} aria-label="View">
        {VIEWS.map((one) => (
          <button key={one} type="button" aria-pressed={one === view} onClick={() => onGo({ view: one })}>
            {WORDS[one]}
          </button>
        ))}
      </fieldset>
    </header>
  )
}
