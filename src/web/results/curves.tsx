import { Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { accountOnPlatform } from '#contract/accounts.ts'
import type { DeliveryResults } from '#contract/results.ts'
import { AccountName } from '#web/platforms/account-name.tsx'
import classes from './chart.module.css'
import type { CurvePoint } from './curve.ts'
import { LineChart, LineSample } from './line-chart.tsx'

export type Curve = { readonly delivery: DeliveryResults; readonly points: readonly CurvePoint[] }

/** The chart with its legend. Pointing at an account makes its line stand out; choosing it also fits the axis to it. */
export function Curves({ curves }: { curves: readonly Curve[] }) {
  const [pointed, setPointed] = useState<number | null>(null)
  const [chosen, setChosen] = useState<number | null>(null)
  const [point, setPoint] = useState<string | null>(null)
  const lines = curves
    .map(({ delivery, points }, nth) => ({
      id: delivery.delivery_id,
      name: accountOnPlatform(delivery),
      nth,
      points,
      delivery,
    }))
    .filter(({ points }) => points.some(({ views }) => views !== null))
  const fitted = lines.find(({ id }) => id === chosen)
  if (lines.length === 0)
    return (
      <Text c="dimmed" size="xs">
        No views have been read yet.
      </Text>
    )
  return (
    <Stack gap="xs">
      <Text c="dimmed" size="xs">
        {point ??
          (fitted === undefined
            ? 'Views by the age of the post'
            : `Views by the age of the post, at the scale of ${fitted.name}`)}
      </Text>
      <LineChart
        lines={lines}
        highlighted={pointed ?? chosen}
        fitted={fitted?.id ?? null}
        onFocusPoint={setPoint}
        label={`Views by the age of the post, on ${lines.map(({ name }) => name).join(', ')}. The tables below have the numbers.`}
      />
      <ul className={classes.legend} aria-label="Accounts of the chart">
        {lines.map(({ id, nth, delivery }) => (
          <li key={id}>
            <button
              type="button"
              aria-pressed={chosen === id}
              onClick={() => setChosen(chosen === id ? null : id)}
              onPointerEnter={() => setPointed(id)}
              onPointerLeave={() => setPointed(null)}
              onFocus={() => setPointed(id)}
              onBlur={() => setPointed(null)}
            >
              <LineSample nth={nth} />
              <AccountName of={delivery} />
            </button>
          </li>
        ))}
      </ul>
    </Stack>
  )
}
