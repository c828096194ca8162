import { useQuery } from '@tanstack/react-query'
import { userQuery } from '#web/api/queries.ts'
import { storedUser } from '#web/api/stored-user.ts'
import { browserTimeZone, knownZone, zoneName } from '#web/lib/moments.ts'

const useUserZone = (): string | undefined =>
  useQuery({ ...userQuery, placeholderData: storedUser }).data?.timezone

/** The zone in which every screen shows times: the one of the user's profile, and until that is loaded the browser's. */
export function useZone(): string {
  const zone = useUserZone()
  return zone === undefined ? (browserTimeZone() ?? 'UTC') : knownZone(zone)
}

/** Names the zone of the times on this page. */
export function ZoneNote() {
  const own = useUserZone()
  const zone = useZone()
  return (
    <span>
      Times in {zoneName(zone)}
      {own !== undefined && own !== zone && `, as this browser doesn't know ${zoneName(own)}`}
    </span>
  )
}
