import { Group } from '@mantine/core'
import { DatePickerInput, TimePicker, type DatePickerInputProps, type TimePickerProps } from '@mantine/dates'
import '@mantine/dates/styles.css'
import { useId } from 'react'
import { useIsInPopover } from './fields-popover.tsx'
import classes from './day-and-time.module.css'

type Props = {
  /** Such as `2026-12-24`. */
  day: string
  /** Such as `18:30`; empty: none. */
  time: string
  onDay: (day: string) => void
  onTime: (time: string) => void
  hasError: boolean
}

/** A day with its weekday and a time of 24 hours, in every browser alike. */
export const DayAndTime = ({ day, time, onDay, onTime, hasError }: Props) => (
  <Group align="flex-start" gap="0.75rem">
    <DayField
      flex="2 1 11rem"
      data-autofocus
      label="Date"
      value={day}
      error={hasError}
      onChange={(value) => onDay(value ?? day)}
    />
    <TimeField
      flex="1 1 7rem"
      label="Time"
      hoursInputLabel="Hours"
      minutesInputLabel="Minutes"
      value={time}
      error={hasError}
      onChange={onTime}
    />
  </Group>
)

type TimeFieldProps = Pick<
  TimePickerProps,
  | 'label'
  | 'aria-label'
  | 'aria-describedby'
  | 'flex'
  | 'hoursInputLabel'
  | 'minutesInputLabel'
  | 'value'
  | 'error'
  | 'disabled'
  | 'onChange'
>

/** A time, such as `18:30`. */
export const TimeField = (field: TimeFieldProps) => (
  <TimePicker classNames={{ field: classes.digits ?? '' }} {...field} />
)

type DayFieldProps = Pick<
  DatePickerInputProps,
  | 'label'
  | 'aria-label'
  | 'aria-describedby'
  | 'placeholder'
  | 'flex'
  | 'clearable'
  | 'value'
  | 'error'
  | 'disabled'
  | 'minDate'
  | 'maxDate'
  | 'onChange'
> & {
  'data-autofocus'?: boolean | undefined
}

/** A day, such as `2026-12-24`. */
export function DayField(field: DayFieldProps) {
  const id = useId()
  const isInPopover = useIsInPopover()
  return (
    <DatePickerInput
      id={id}
      // The popover is named by the field.
      popoverProps={{ id, withinPortal: !isInPopover }}
      ariaLabels={{ nextMonth: 'Next month', previousMonth: 'Previous month' }}
      valueFormat="ddd D MMM YYYY"
      weekendDays={[]}
      hideOutsideDates
      classNames={{ day: classes.day ?? '', calendarHeader: classes.head ?? '' }}
      // Our own tables are as wide as their place, and have lines.
      styles={{ month: { width: 'auto' }, monthRow: { border: 0 }, weekday: { textAlign: 'center' } }}
      {...field}
    />
  )
}
