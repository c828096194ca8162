import { TextInput } from '@mantine/core'
import { Suspense, useRef, useState, type ReactNode } from 'react'
import { lazyPart } from './lazy-part.tsx'
import { zoneOption, type ZoneLabelStyle } from '#web/lib/time-zones.ts'
import { serverNow } from '#web/lib/server-time.ts'

// Loaded on demand; until then a read-only field is shown.
const TimeZoneList = lazyPart(() => import('./time-zone-list.tsx'))

type Props = {
  value: string
  onChange: (zone: string) => void
  error?: ReactNode
  labelStyle?: ZoneLabelStyle
}

/** A select of time zones, sorted by GMT offset, labelled with offset and places. */
export function TimeZoneSelect({ value, onChange, error, labelStyle = 'original' }: Props) {
  const [now] = useState(() => new Date(serverNow()))
  const focused = useRef(false)
  // An element, because it changes: `Label` of Mantine would keep a text bare.
  const label = <span>{value === '' ? 'Time zone' : `Time zone: ${value}`}</span>
  return (
    <Suspense
      fallback={
        <TextInput
          label={label}
          value={zoneOption(value, now, labelStyle)?.label ?? value}
          readOnly
          error={error}
          onFocus={() => (focused.current = true)}
          onBlur={() => (focused.current = false)}
        />
      }
    >
      <TimeZoneList
        label={label}
        value={value}
        onChange={onChange}
        error={error}
        labelStyle={labelStyle}
        now={now}
        takeFocus={focused}
      />
    </Suspense>
  )
}
