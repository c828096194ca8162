import { ActionIcon, Group } from '@mantine/core'
import { MonthPickerInput } from '@mantine/dates'
import '@mantine/dates/styles.css'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useId } from 'react'
import { ICON } from '#web/ui/icons.tsx'
import { addMonths } from './report.ts'

type Props = {
  /** As `2026-10`. */
  month: string
  /** The last one that can be chosen. */
  last: string
  onChange: (month: string) => void
}

/** A month, and the ones beside it. */
export function MonthField({ month, last, onChange }: Props) {
  const id = useId()
  return (
    <Group gap="0.25rem" align="end" wrap="nowrap">
      <ActionIcon aria-label="Previous month" onClick={() => onChange(addMonths(month, -1))}>
        <IconChevronLeft {...ICON} />
      </ActionIcon>
      <MonthPickerInput
        id={id}
        label="Month"
        miw="10rem"
        // The popover is named by the field.
        popoverProps={{ id }}
        ariaLabels={{ nextYear: 'Next year', previousYear: 'Previous year' }}
        valueFormat="MMMM YYYY"
        value={`${month}-01`}
        maxDate={`${last}-01`}
        onChange={(day) => day !== null && onChange(day.slice(0, 7))}
      />
      <ActionIcon
        aria-label="Next month"
        disabled={month >= last}
        onClick={() => onChange(addMonths(month, 1))}
      >
        <IconChevronRight {...ICON} />
      </ActionIcon>
    </Group>
  )
}
