import './more-styles.ts'
import { Select, type OptionsFilter } from '@mantine/core'
import { useEffect, useMemo, useRef, type ReactNode, type RefObject } from 'react'
import { searchTerms, zoneOptions, type ZoneLabelStyle, type ZoneOption } from '#web/lib/time-zones.ts'
import { browserTimeZone, zoneName } from '#web/lib/moments.ts'

type Props = {
  label: ReactNode
  value: string
  onChange: (zone: string) => void
  error: ReactNode
  labelStyle: ZoneLabelStyle
  now: Date
  /** True if the placeholder field that this replaces has the focus. */
  takeFocus: RefObject<boolean>
}

/** The select itself, searchable by city, country or offset. */
export default function TimeZoneList({ label, value, onChange, error, labelStyle, now, takeFocus }: Props) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (takeFocus.current) field.current?.focus()
  }, [takeFocus])

  const options = useMemo(
    () => zoneOptions(now, labelStyle, [browserTimeZone() ?? 'UTC', value]),
    [now, labelStyle, value],
  )
  const isOffered = options.some((option) => option.value === value)
  const filter = useMemo(() => byPlace(options, now), [options, now])

  return (
    <Select
      ref={field}
      label={label}
      data={[
        // A zone that this browser does not know has no offset here, and can be kept or left.
        ...(isOffered || value === '' ? [] : [{ value, label: zoneName(value) }]),
        ...options.map((option) => ({ value: option.value, label: option.label })),
      ]}
      value={value}
      onChange={(zone) => zone !== null && onChange(zone)}
      searchable
      onFocus={(event) => event.currentTarget.select()}
      filter={filter}
      nothingFoundMessage="No match. Try a country or a larger city nearby."
      error={error}
    />
  )
}

/** Builds the search terms at the first search, since that asks the browser for every country. */
function byPlace(zones: readonly ZoneOption[], now: Date): OptionsFilter {
  let terms: ReadonlyMap<string, string> | undefined
  return ({ options, search }) => {
    const known = (terms ??= searchTerms(zones, now))
    const term = search.trim().toLowerCase()
    return options.filter((item) => 'value' in item && known.get(item.value)?.includes(term))
  }
}
