import { TimeZone } from '#contract/users.ts'
import { browserTimeZone } from './moments.ts'

/** A user's zone, or this browser's where that is not known yet or this browser does not know it. */
export const shownZone = (zone: string | undefined): string =>
  zone !== undefined && TimeZone.safeParse(zone).success ? zone : browserTimeZone()
