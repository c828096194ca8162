import { DAILY_MAIL_AT, type Digest, type QuietHours } from '#contract/notifications.ts'
import { instantOf } from '../schedule/schedule.ts'

/** The quiet hours on the clocks of an IANA zone. */
type Quiet = { readonly quiet: QuietHours | null; readonly timeZone: string }

/** What is found within this time goes into one mail, also where mails go at once. */
const GATHER_MS = 120_000
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** When a mail goes out that begins to gather at `now`. Times are epoch ms. */
export const mailTime = (now: number, it: Quiet & { readonly digest: Exclude<Digest, 'never'> }): number =>
  afterQuiet(digestTime(now, it.digest, it.timeZone), it)

function digestTime(now: number, digest: Exclude<Digest, 'never'>, timeZone: string): number {
  switch (digest) {
    case 'at_once':
      return now + GATHER_MS
    case 'hourly':
      return (Math.floor(now / HOUR_MS) + 1) * HOUR_MS
    case 'daily':
      return nextDaily(now, timeZone)
  }
}

function nextDaily(now: number, timeZone: string): number {
  // Swedish writes dates as ISO 8601 does.
  const today = Date.parse(new Intl.DateTimeFormat('sv-SE', { timeZone }).format(now))
  for (const days of [0, 1, 2]) {
    const date = new Date(today + days * DAY_MS).toISOString().slice(0, 10)
    const at = instantOf(`${date}T${DAILY_MAIL_AT}`, timeZone)
    if (at !== null && at > now) return at
  }
  throw new Error(`${timeZone} has no ${DAILY_MAIL_AT} within two days.`)
}

/**
 * The time itself, or the first minute after it that is not within the quiet hours. Looked for minute by minute, so that it is right
 * where clocks leap over the end or show it twice.
 */
export function afterQuiet(at: number, { quiet, timeZone }: Quiet): number {
  if (quiet === null) return at
  const clock = clockIn(timeZone)
  let next = at
  while (isWithin(quiet, clock(next)) && next < at + DAY_MS) {
    next = (Math.floor(next / MINUTE_MS) + 1) * MINUTE_MS
  }
  return next
}

export const isQuiet = (at: number, { quiet, timeZone }: Quiet): boolean =>
  quiet !== null && isWithin(quiet, clockIn(timeZone)(at))

/** `until` is the first minute that is quiet no more. Hours that end before they begin end on the next day. */
const isWithin = ({ from, until }: QuietHours, clock: string): boolean =>
  from < until ? from <= clock && clock < until : from <= clock || clock < until

/** What the zone's clocks show, as `08:05`. */
function clockIn(timeZone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  return (at) => format.format(at)
}
