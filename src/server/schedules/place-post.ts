import { SCHEDULE_POSTS_MAX, SCHEDULE_MAX_DAYS } from '#contract/limits.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { ScheduleMove } from '#contract/planning/schedules.ts'
import type { ZonedTime, SchedulePlace } from '#contract/posts.ts'
import { placeInSchedule, type SlotMove } from '#domain/schedule/reslot.ts'
import { instantOf } from '#domain/schedule/schedule.ts'
import { jitteredLocal, type Slot, type Week } from '#domain/schedule/slots.ts'
import { type SlotRefusal, takeSlot } from '#domain/schedule/take-slot.ts'
import type { Db } from '#base/db/open.ts'
import { Problem } from '#base/problem.ts'
import { type RescheduleDeps, reschedulePosts } from '../deliveries/reschedule-post.ts'
import { refusal } from '../http/parse.ts'
import {
  lockSlottedPosts,
  platformsOf,
  readBusySlots,
  type Slotted,
  readSlottedPosts,
} from './slotted-posts.ts'
import type { ScheduleRow } from './store.ts'

/** A time that a posting schedule gives: `at` (epoch ms) is the instant of the wall clock, jitter included. */
export type SlotTime = {
  readonly publishAt: ZonedTime
  readonly at: number
  readonly slot: { readonly scheduleId: number; readonly local: string }
}

/** The place of a post, and the posts that move to make room for it. */
export type PlacedPost = SlotTime & { readonly moves: readonly ScheduleMove[] }

export const spanFrom = (now: number) => ({ now, until: now + SCHEDULE_MAX_DAYS * 86_400_000 })

export const weekOf = ({ timezone, slots }: Pick<ScheduleRow, 'timezone' | 'slots'>): Week<PlatformId> => ({
  timeZone: timezone,
  slots,
})

export function toSlotTime(schedule: ScheduleRow, { local }: Pick<Slot, 'local'>): SlotTime {
  const publishLocal = jitteredLocal(schedule.schedule_id, local, schedule.jitter_minutes)
  const at = instantOf(publishLocal, schedule.timezone)
  if (at === null) throw new Error(`${publishLocal} is no time.`)
  return {
    publishAt: { local: publishLocal, timezone: schedule.timezone },
    at,
    slot: { scheduleId: schedule.schedule_id, local },
  }
}

/**
 * A schedule is for the accounts of its brand: a post to one of them may have others as well.
 * @throws Problem invalid where none of a post's accounts is of the schedule's brand
 */
export function assertOfBrand(schedule: ScheduleRow, brandIds: readonly number[]): void {
  if (!brandIds.includes(schedule.brand_id)) throw otherBrand()
}

export const otherBrand = (): Problem => refusal('invalid', { 'schedule.schedule_id': [OTHER_BRAND] })
const OTHER_BRAND = "This schedule is for accounts of another brand. Choose one of this post's brand."

/**
 * Finds a slot for a post to these accounts and moves other posts out of its way. The transaction must have locked the schedule.
 * @param postId null for a new post; an existing post's own slot counts as free
 * @throws Problem invalid if no slot is free; slot_not_free if the chosen slot is not
 */
export async function placePost(
  trx: Db,
  deps: RescheduleDeps,
  schedule: ScheduleRow,
  request: {
    readonly asked: SchedulePlace
    readonly accounts: readonly { readonly account_id: number; readonly platform: string }[]
    readonly postId: number | null
  },
): Promise<PlacedPost> {
  const now = deps.now()
  const { asked, accounts, postId } = request
  if (asked.place === 'slot') {
    // The zone may have changed since the slot was shown: the same wall clock is then another moment.
    const local = asked.slot.timezone === schedule.timezone ? asked.slot.local : null
    const taken = await takeChosenSlot(trx, schedule, {
      local,
      platforms: platformsOf(accounts),
      postId,
      now,
      field: 'schedule.slot',
    })
    if (taken instanceof Problem) throw taken
    return { ...taken, moves: [] }
  }
  const which = { scheduleId: schedule.schedule_id, now }
  const place = async (all: readonly Slotted[]) => {
    const posts = all.filter((post) => post.postId !== postId)
    if (posts.length === all.length && posts.length >= SCHEDULE_POSTS_MAX) throw full()
    const isBusy = await readBusySlots(trx, {
      schedule,
      accountIds: accounts.map(({ account_id }) => account_id),
      moved: asked.place === 'top' ? posts : [],
      postId,
      posts,
      now,
    })
    const newcomer = { place: asked.place, platforms: platformsOf(accounts), isBusy }
    const found = placeInSchedule(weekOf(schedule), posts, newcomer, spanFrom(now))
    if (found === null) throw refusal('invalid', { 'schedule.schedule_id': [NO_SLOT] })
    return found
  }
  let posts = await readSlottedPosts(trx, which)
  let placing = await place(posts)
  // A refused call has locked no post.
  if (placing.moves.length > 0) {
    posts = await lockSlottedPosts(trx, which)
    placing = await place(posts)
  }
  await applyMoves(trx, deps, schedule, placing.moves)
  return { ...toSlotTime(schedule, placing.slot), moves: describeMoves(schedule, posts, placing.moves) }
}

type ChosenSlot = {
  /** The wall clock of the slot; null: the schedule no longer has this slot. */
  readonly local: string | null
  readonly platforms: readonly PlatformId[]
  readonly postId: number | null
  readonly now: number
  /** The request field that a refusal names. */
  readonly field: string
}

/** Checks one slot of a schedule for a post. Lock the schedule first, or another post may take the slot meanwhile. */
export async function takeChosenSlot(
  trx: Db,
  schedule: ScheduleRow,
  { local, platforms, postId, now, field }: ChosenSlot,
): Promise<SlotTime | Problem> {
  const all = await readSlottedPosts(trx, { scheduleId: schedule.schedule_id, now })
  const posts = all.filter((post) => post.postId !== postId)
  if (posts.length === all.length && posts.length >= SCHEDULE_POSTS_MAX) return full()
  const slot =
    local === null ? 'unknown' : takeSlot(weekOf(schedule), posts, { local, platforms }, spanFrom(now))
  if (typeof slot !== 'string') return toSlotTime(schedule, slot)
  const message = SLOT_REFUSALS[slot]
  return new Problem('slot_not_free', message, { errors: { [field]: [message] } })
}

const SLOT_REFUSALS: Readonly<Record<SlotRefusal, string>> = {
  unknown: 'The schedule no longer has this slot. Choose another one.',
  past: 'This slot has passed. Choose a later one.',
  platforms: "This slot isn't for all platforms of this post. Choose another one.",
  taken: 'Another post has this slot. Choose another one.',
}

const full = (): Problem => refusal('invalid', { 'schedule.schedule_id': [FULL] })
const FULL = `${SCHEDULE_POSTS_MAX} posts wait in this schedule, which is the limit. Choose a time for this one instead.`
const NO_SLOT = `This schedule has no free slot for this post within ${SCHEDULE_MAX_DAYS} days.`

/** Moves posts that this transaction has locked and found to be movable. */
export async function applyMoves(
  trx: Db,
  deps: RescheduleDeps,
  schedule: ScheduleRow,
  moves: readonly SlotMove<PlatformId>[],
): Promise<void> {
  const times = moves.map(({ postId, to }) => ({
    userId: schedule.user_id,
    postId,
    ...toSlotTime(schedule, to),
  }))
  await reschedulePosts(trx, deps, times)
}

/** The time of each moved post before and after. */
export function describeMoves(
  schedule: ScheduleRow,
  posts: readonly Slotted[],
  moves: readonly SlotMove<PlatformId>[],
): ScheduleMove[] {
  const from = new Map(posts.map((post) => [post.postId, post.publishAt]))
  return moves.map(({ postId, to }) => ({
    post_id: postId as ScheduleMove['post_id'], // ids come out of the database unbranded
    from: new Date(from.get(postId) ?? 0).toISOString(),
    to: new Date(toSlotTime(schedule, to).at).toISOString(),
  }))
}
