import type { Delivery } from '#contract/deliveries.ts'
import type { Post } from '#contract/posts.ts'
import { dayOf, namedDay, namedDayAndTime, timeOfDay } from '#web/lib/moments.ts'

/** `now`: epoch ms. */
export type Clock = { readonly zone: string; readonly now: number }

/** The caption's first line, or the file name of a post without a caption. */
export const titleOf = ({ text, video }: Pick<Post, 'text' | 'video'>): string =>
  text.trim().split('\n')[0] || video.filename

export const isUnderWay = ({ status }: Pick<Delivery, 'status'>): boolean =>
  status === 'preparing' || status === 'committing' || status === 'processing'

/** At least one account has the post. */
export const isOut = ({ deliveries }: Pick<Post, 'deliveries'>): boolean =>
  deliveries.some(({ status }) => status === 'published' || status === 'in_inbox')

export const isOpenFailure = ({ status, settled }: Pick<Delivery, 'status' | 'settled'>): boolean =>
  status === 'failed' && settled === null

type Times = Pick<Post, 'publish_at' | 'goes_out_at'>

/** Its accounts get it one after the other. */
export const isSpread = ({ publish_at: from, goes_out_at: to }: Times): boolean =>
  from !== null && Date.parse(to) - Date.parse(from) >= 60_000

/** Its accounts get it on several days. */
export const hasDays = (post: Times, zone: string): boolean =>
  post.publish_at !== null && isSpread(post) && dayOf(post.publish_at, zone) !== dayOf(post.goes_out_at, zone)

/** "18:00", or "18:00–19:00" of a post whose accounts get it one after the other. */
export const timesOfDay = (post: Times, zone: string): string =>
  post.publish_at !== null && isSpread(post)
    ? `${timeOfDay(post.publish_at, zone)}–${timeOfDay(post.goes_out_at, zone)}`
    : timeOfDay(post.goes_out_at, zone)

type Timed = Times & {
  readonly deliveries: readonly Pick<Delivery, 'status' | 'due_at' | 'reason' | 'paused'>[]
}

/** "Tomorrow, 18:00–19:00", or "Today, 23:30 – Tomorrow, 00:15" */
export function namedTimes(post: Times, clock: Clock): string {
  const { publish_at: from, goes_out_at: to } = post
  return from !== null && hasDays(post, clock.zone)
    ? `${namedDayAndTime(from, clock)} – ${namedDayAndTime(to, clock)}`
    : `${namedDay(to, clock)}, ${timesOfDay(post, clock.zone)}`
}

/** When a post goes or went out: "Tomorrow, 18:00", with what happens now. */
export function timeOfPost(post: Timed, clock: Clock): string {
  const time = namedTimes(post, clock)
  const what = happensNow(post.deliveries, clock)
  return what === null ? time : `${time} · ${what}`
}

function happensNow(deliveries: Timed['deliveries'], clock: Clock): string | null {
  if (deliveries.some(isUnderWay)) return 'publishing now'
  const waiting = deliveries.filter(({ status, paused }) => status === 'scheduled' && paused === null)
  if (waiting.length === 0) return null
  const due = waiting.map(({ due_at }) => due_at ?? '').reduce((a, b) => (a < b ? a : b))
  if (due === '' || Date.parse(due) <= clock.now) return 'starting now'
  return waiting.every(({ reason }) => reason?.pause)
    ? `on hold, next try: ${namedDayAndTime(due, clock)}`
    : null
}
