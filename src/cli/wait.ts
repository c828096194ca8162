import { setTimeout as sleep } from 'node:timers/promises'
import { accountOnPlatform } from '#contract/accounts.ts'
import type { PostId } from '#contract/ids.ts'
import type { Delivery } from '#contract/deliveries.ts'
import type { PostDetail } from '#contract/posts.ts'
import { call } from './client.ts'
import { type Exit, findExit, Stop } from './ends.ts'
import { describeDelivery, formatBytes, note, progressLine } from './output.ts'
import type { Server } from './settings.ts'

/** Most lost answers are found within this time; the rest may take days. */
const UNCONFIRMED_MS = 120_000
const FIRST_LOOK_MS = 500
const LONGEST_LOOK_MS = 10_000
/** Without an answer of the server for so long, nobody learns anything by waiting. */
const SILENCE_MS = 15 * 60_000

/** "90s", "10m" or "2h" as milliseconds. @throws Stop */
export function parseDuration(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)\s*([smh])$/.exec(text) ?? []
  const factor = { s: 1000, m: 60_000, h: 3_600_000 }[unit ?? '']
  if (number === undefined || factor === undefined)
    throw new Stop('refused', `"${text}" is no duration. Write one such as 90s, 10m or 2h.`)
  return Number(number) * factor
}

/** `isOver`: false if the timeout ended the wait, so that the next run goes on with it. */
export type Waited = { readonly post: PostDetail; readonly exit: Exit; readonly isOver: boolean }

/** Follows a post until nothing of it moves by itself, through restarts of the server and lost networks. @throws Stop */
export async function waitForPost(
  server: Server,
  postId: PostId,
  { timeoutMs }: { readonly timeoutMs: number | null },
): Promise<Waited> {
  const startedAt = performance.now()
  let unconfirmedSince: number | null = null
  let answeredAt = startedAt
  let last: PostDetail | null = null
  for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(LONGEST_LOOK_MS, lookMs * 1.3)) {
    const isLate = () => timeoutMs !== null && performance.now() - startedAt >= timeoutMs
    try {
      const post: PostDetail = await call(server, 'getPost', { params: { postId }, tries: 1 })
      answeredAt = performance.now()
      tellChanges(last, post)
      last = post
      const exit = findExit(post)
      if (exit !== 'unconfirmed') unconfirmedSince = null
      else unconfirmedSince ??= performance.now()
      const mayStillBeFound =
        unconfirmedSince !== null && performance.now() - unconfirmedSince < UNCONFIRMED_MS
      const isOver = exit !== 'running' && exit !== 'scheduled' && !mayStillBeFound
      if (isOver || isLate()) {
        progressLine.clear()
        return { post, exit: exit === 'scheduled' ? 'running' : exit, isOver }
      }
    } catch (error) {
      if (!(error instanceof Stop) || error.exit !== 'unreachable') throw error
      progressLine.show('The server does not answer. Asking again …')
      if (isLate() || performance.now() - answeredAt > SILENCE_MS) throw error
    }
    const leftMs = timeoutMs === null ? Infinity : timeoutMs - (performance.now() - startedAt)
    await sleep(Math.max(50, Math.min(lookMs, leftMs)))
  }
}

/** One line for each account whose state has changed; the bytes sent are shown where the line can be replaced. */
function tellChanges(before: PostDetail | null, now: PostDetail): void {
  for (const delivery of now.deliveries) {
    const [account, status, more] = describeDelivery(delivery, now.timezone)
    const last = before?.deliveries.find((one) => one.delivery_id === delivery.delivery_id)
    if (process.stderr.isTTY && last?.status !== delivery.status && before !== null) {
      progressLine.clear()
      note(`${account}: ${status}${more === '' ? '' : `. ${more}`}`)
    }
  }
  const sending = now.deliveries.filter(({ progress }) => progress !== null)
  const [first] = sending
  if (first) progressLine.show(`${accountOnPlatform(first)}: ${progressOf(first)} sent`)
}

const progressOf = ({ progress }: Delivery): string =>
  progress === null ? '' : `${formatBytes(progress.sent)} of ${formatBytes(progress.total)}`
