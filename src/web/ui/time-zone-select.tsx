import { Select, type ComboboxItem, type OptionsFilter } from '@mantine/core'
import { useMemo, type ReactNode } from 'react'
import { allTimezones, useTimezoneSelect, type ITimezoneOption } from 'react-timezone-select'
import { browserTimeZone } from './moments.ts'

type Props = {
  value: string
  onChange: (zone: string) => void
  error?: ReactNode
}

/**
 * Every time zone of the list, sorted by its offset from GMT, labelled with the offset and places. A zone that the list
 * does not name (the browser's, the user's) is added, because its rules may differ from its neighbours'.
 */
export function TimeZoneSelect({ value, onChange, error }: Props) {
  const timezones = useMemo(
    () => ({
      ...Object.fromEntries([browserTimeZone(), value].map((zone) => [zone, placeOf(zone)])),
      ...allTimezones,
    }),
    [value],
  )
  const { parseTimezone } = useTimezoneSelect({ timezones, labelStyle: 'original', displayValue: 'GMT' })
  const options = useMemo(() => {
    // Not the hook's own list: it keeps one zone per offset, and Casablanca's clock is not Berlin's.
    const found = new Map<string, ITimezoneOption>()
    for (const zone of Object.keys(timezones)) {
      const option = parseTimezone(zone)
      if (option.value === zone) found.set(zone, option)
    }
    return [...found.values()].toSorted((one, other) => (one.offset ?? 0) - (other.offset ?? 0))
    // oxlint-disable-next-line react/exhaustive-deps -- the hook makes a new function each time; it reads only the zones
  }, [timezones])

  return (
    <Select
      label={`Time zone: ${value}`}
      data={options.map((option): ComboboxItem => ({ value: option.value, label: option.label }))}
      value={value}
      onChange={(zone) => zone !== null && onChange(zone)}
      searchable
      onFocus={(event) => event.currentTarget.select()}
      filter={byPlace}
      nothingFoundMessage="No such place. Try a larger city nearby."
      error={error}
    />
  )
}

/** `America/Port_of_Spain` reads "Port of Spain". */
const placeOf = (zone: string): string => zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ')

const byPlace: OptionsFilter = ({ options, search }) => {
  const term = search.trim().toLowerCase()
  return options.filter(
    (item) => 'value' in item && `${item.label} ${placeOf(item.value)}`.toLowerCase().includes(term),
  )
}
