import { formatBytes } from '#web/lib/amounts.ts'
import type { Progress } from './uploads.ts'

const WINDOW_MS = 10_000
const MIN_SPAN_MS = 1_500

/** What the server has confirmed plus what is under way; the time left at the rate of the last seconds. */
export function measureProgress(total: number, clock = () => performance.now()) {
  let sent = 0
  let samples: { readonly at: number; readonly sent: number }[] = []
  return {
    /** Bytes that arrived or are under way. */
    report(bytes: number): void {
      const at = clock()
      sent = Math.min(Math.max(bytes, 0), total)
      samples = [...samples.filter((sample) => sample.at >= at - WINDOW_MS), { at, sent }]
    },
    /** After a break: the time without progress says nothing of the rate. */
    continueFrom(offset: number): void {
      samples = []
      sent = Math.min(offset, total)
    },
    get: (): Progress => ({ sent, total, leftS: secondsLeft(samples, total) }),
  }
}

function secondsLeft(samples: readonly { at: number; sent: number }[], total: number): number | null {
  const [first, last] = [samples.at(0), samples.at(-1)]
  if (!first || !last || last.at - first.at < MIN_SPAN_MS || last.sent <= first.sent) return null
  return ((total - last.sent) / (last.sent - first.sent)) * ((last.at - first.at) / 1000)
}

/** Said once the server was asked after a break. */
export const sentAgain = (bytes: number): string =>
  `The last ${formatBytes(bytes)} had not arrived and are sent again.`
/** Of bytes that the browser has sent and the server does not have yet. */
export const stillOnTheWay = (bytes: number): string => `${formatBytes(bytes)} are still on their way.`
export const SENT_SMALLER =
  'Something between this page and the server cuts off large parts of the video, so smaller ones are sent.'
export const SMALL_CUT_OFF =
  'Something between this page and the server cuts off even small parts of the video. Contact the person who runs this server.'
export const FROM_THE_START = 'The server no longer has what was sent before, so all of it is sent again.'
export const CONTINUED = 'Continued from where it stopped.'
