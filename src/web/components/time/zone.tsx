import { useQuery } from '@tanstack/react-query'
import { TimeZone } from '#contract/users.ts'
import { storedUser, userQuery } from '#web/client/queries.ts'
import { browserTimeZone, zoneName } from '#web/lib/format/moments.ts'

/** The user's zone, or the browser's if that is not loaded yet or unknown to this browser. */
const shownZone = (zone: string | undefined): string =>
  zone !== undefined && TimeZone.safeParse(zone).success ? zone : browserTimeZone()

/** The zone in which every screen shows times: the one of the user's profile. */
export const useZone = (): string =>
  shownZone(useQuery({ ...userQuery, placeholderData: storedUser }).data?.timezone)

/** Names the zone of the times on this page. */
export function ZoneNote() {
  const zone = useZone()
  return <span>Times in {zoneName(zone)}</span>
}
