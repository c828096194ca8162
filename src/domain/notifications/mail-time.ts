import { DAILY_MAIL_AT, type Digest, type QuietHours } from '#contract/notifications.ts'
import { addDays } from '../schedule/days.ts'
import { instantOf, localAt } from '../schedule/schedule.ts'

/** Quiet hours on the clocks of an IANA zone. */
type Quiet = { readonly quiet: QuietHours | null; readonly timeZone: string }

/** Mails sent at once still collect notifications for this long: the accounts of a post often fail together. */
const GATHER_MS = 60_000
/** The least time between two mails: a post to many accounts may fail on one after the other. */
const APART_MS = 10 * 60_000
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

type MailChoice = Quiet & {
  readonly digest: Exclude<Digest, 'never'>
  /** When the user's last mail went out; null: never. */
  readonly lastMailAt: number | null
}

/** The time when a mail started at `now` goes out. Times are epoch ms. */
export const mailTime = (now: number, choice: MailChoice): number =>
  afterQuiet(digestTime(now, choice), choice)

function digestTime(now: number, { digest, lastMailAt, timeZone }: MailChoice): number {
  switch (digest) {
    case 'at_once':
      return Math.max(now + GATHER_MS, (lastMailAt ?? 0) + APART_MS)
    case 'hourly':
      return (Math.floor(now / HOUR_MS) + 1) * HOUR_MS
    case 'daily':
      return nextDaily(now, timeZone)
  }
}

function nextDaily(now: number, timeZone: string): number {
  const today = localAt(now, timeZone).slice(0, 10)
  for (const days of [0, 1, 2]) {
    const at = instantOf(`${addDays(today, days)}T${DAILY_MAIL_AT}`, timeZone)
    if (at !== null && at > now) return at
  }
  throw new Error(`${timeZone} has no ${DAILY_MAIL_AT} within two days.`)
}

/**
 * The time itself, or the first minute after the quiet hours. A search minute by minute is right also if a clock change
 * skips or repeats their end.
 */
export function afterQuiet(at: number, { quiet, timeZone }: Quiet): number {
  if (quiet === null) return at
  let next = at
  while (isQuiet(next, { quiet, timeZone }) && next < at + DAY_MS) {
    next = (Math.floor(next / MINUTE_MS) + 1) * MINUTE_MS
  }
  return next
}

export const isQuiet = (at: number, { quiet, timeZone }: Quiet): boolean =>
  quiet !== null && isWithin(quiet, localAt(at, timeZone).slice(11))

/** `until` is exclusive. Hours that end before they begin end on the next day. */
const isWithin = ({ from, until }: QuietHours, clock: string): boolean =>
  from < until ? from <= clock && clock < until : from <= clock || clock < until
