import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import type { Brand } from '#contract/brands.ts'
import { brandsQuery, userQuery } from '#web/api/queries.ts'
import { storedUser } from '#web/api/stored-user.ts'
import { browserTimeZone, knownZone, knowsZone, zoneName } from '#web/lib/moments.ts'
import classes from './ui.module.css'

/** The zone chosen for a page is in its address. */
export const ZONE_PARAM = 'timezone'

const useUserZone = (): string | undefined =>
  useQuery({ ...userQuery, placeholderData: storedUser }).data?.timezone

/** The zone of the user's profile, and until that is loaded the browser's. */
export function useOwnZone(): string {
  const zone = useUserZone()
  return zone === undefined ? (browserTimeZone() ?? 'UTC') : knownZone(zone)
}

/** The zone in which this page shows times: the one that was chosen for it, else the user's. */
export function useZone(): string {
  const [params] = useSearchParams()
  const chosen = params.get(ZONE_PARAM)
  const own = useOwnZone()
  return chosen !== null && knowsZone(chosen) ? chosen : own
}

/** Names the zone of the times on this page, and offers the zones of the user's brands. */
export function ZoneChoice() {
  const [, setParams] = useSearchParams()
  const stored = useUserZone()
  const own = useOwnZone()
  const zone = useZone()
  const zones = brandsByZone(useQuery(brandsQuery).data ?? [])
  const others = [...new Set([...zones.keys(), zone])].filter((one) => one !== own)
  const unknown =
    stored !== undefined && stored !== own && `, as this browser doesn't know ${zoneName(stored)}`
  if (others.length === 0)
    return (
      <span>
        Times in {zoneName(own)}
        {unknown}
      </span>
    )
  const choose = (chosen: string) =>
    setParams(
      (params) => {
        params.delete(ZONE_PARAM)
        if (chosen !== own) params.set(ZONE_PARAM, chosen)
        return params
      },
      { replace: true, preventScrollReset: true },
    )
  return (
    <label className={classes.zone}>
      Times in{' '}
      <select value={zone} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        <option value={own}>{zoneName(own)} (yours)</option>
        {others.map((one) => (
          <option key={one} value={one}>
            {zoneName(one) + inBrackets(zones.get(one) ?? [])}
          </option>
        ))}
      </select>
    </label>
  )
}

/** The brands of each zone that this browser knows. */
function brandsByZone(brands: readonly Brand[]): Map<string, Brand[]> {
  const zones = Map.groupBy(brands, ({ timezone }) => timezone ?? '')
  for (const zone of zones.keys()) if (!knowsZone(zone)) zones.delete(zone)
  return zones
}

function inBrackets(brands: readonly Brand[]): string {
  const [first, second] = brands
  if (first === undefined) return ''
  if (second === undefined) return ` (${first.title})`
  return ` (${first.title} and ${brands.length - 1} more)`
}
