import { Select, type ComboboxItem, type OptionsFilter } from '@mantine/core'
import { useMemo, type ReactNode } from 'react'
import { allTimezones, useTimezoneSelect } from 'react-timezone-select'

/** The zone that this browser is set to. */
export const browserTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

type Props = {
  value: string
  onChange: (zone: string) => void
  error?: ReactNode
}

/**
 * Every time zone, sorted by its offset from GMT, labelled with the offset and places. The list knows one zone per set of
 * places; a zone that it does not name (the browser's, the user's) is added, because its rules may differ.
 */
export function TimeZoneSelect({ value, onChange, error }: Props) {
  const timezones = useMemo(
    () => ({
      ...Object.fromEntries([browserTimeZone(), value].map((zone) => [zone, placeOf(zone)])),
      ...allTimezones,
    }),
    [value],
  )
  const { options, filterOption } = useTimezoneSelect({
    timezones,
    labelStyle: 'original',
    displayValue: 'GMT',
  })
  const filter: OptionsFilter = ({ options: shown, search }) =>
    shown.filter((shownOption) => {
      const option = options.find(
        (candidate) => 'value' in shownOption && candidate.value === shownOption.value,
      )
      return option !== undefined && filterOption({ ...option, data: option }, search)
    })
  return (
    <Select
      label={`Time zone: ${value}`}
      data={options.map((option): ComboboxItem => ({ value: option.value, label: option.label }))}
      value={value}
      onChange={(zone) => zone !== null && onChange(zone)}
      searchable
      onFocus={(event) => event.currentTarget.select()}
      filter={filter}
      nothingFoundMessage="No such place. Try a larger city nearby."
      error={error}
    />
  )
}

/** `America/Port_of_Spain` reads "Port of Spain". */
const placeOf = (zone: string): string => zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ')
