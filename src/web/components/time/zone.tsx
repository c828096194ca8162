import { useQuery } from '@tanstack/react-query'
import { TimeZone } from '#contract/users.ts'
import { keptUserData, userQuery } from '#web/client/queries.ts'
import { browserTimeZone } from '#web/lib/format/moments.ts'

/** A user's zone, or this browser's where that is not known yet or this browser does not know it. */
const shownZone = (zone: string | undefined): string =>
  zone !== undefined && TimeZone.safeParse(zone).success ? zone : browserTimeZone()

/** The one zone in which every screen shows times: that of the user's profile. */
export const useZone = (): string =>
  shownZone(useQuery({ ...userQuery, placeholderData: keptUserData }).data?.timezone)

/** Names the zone of the times on this page where it is not the browser's own. */
export function ZoneNote() {
  const zone = useZone()
  return zone !== browserTimeZone() && <span>Times in {zone.replaceAll('_', ' ')}</span>
}
