import type { Post, PostChange, ZonedTime } from '#contract/posts.ts'
import type { Db } from '#base/db/open.ts'
import { notFound, Problem } from '#base/problem.ts'
import { isEditable, isReleasedByTime } from '#domain/delivery/by-user.ts'
import { minutesAfter, whyNotAt } from '#domain/schedule/schedule.ts'
import type { AccountRow } from '../../accounts/store.ts'
import { lockPlatformAccounts } from '../../deliveries/late-posts.ts'
import { recordPostEvents } from '../../deliveries/post-events.ts'
import { stateToShow } from '../../deliveries/record.ts'
import { refuseRepeats } from '../../deliveries/repeats.ts'
import { describeMove, rescheduleDeliveries } from '../../deliveries/reschedule-post.ts'
import { assertOfBrand, placePost } from '../../schedules/place-post.ts'
import { lockInOrder, platformsOf } from '../../schedules/slotted-posts.ts'
import { findSchedule, lockSchedules, type ScheduleRow } from '../../schedules/store.ts'
import { lockSchedulesAt, takeMoment } from '../../schedules/take-moment.ts'
import { lockVideo } from '../../videos/store.ts'
import { type PostDeps, parsePublishTime } from '../create-post.ts'
import { refusal } from '../../http/parse.ts'
import { getPost } from '../../deliveries/read-posts.ts'
import { lockLinkedAccounts, storePostWords } from '../store.ts'
import { editContent } from './edit-content.ts'
import { assertMoved, type EditedDelivery, started, toEdited } from './edited-delivery.ts'
import {
  bumpVersion,
  leaveScheduleOfOtherBrand,
  lockDeliveries,
  type LockedDelivery,
  lockPostRow,
  type NewTime,
  listAccountIds,
  findSharedBrand,
  readPostBefore,
  findScheduleId,
  updateAfterMinutes,
  updatePublishTime,
  updateReference,
} from './store.ts'

/**
 * Changes what of a post has not started: all of it or nothing.
 * @throws Problem not_found; conflict for another version; in_flight where it concerns a delivery that has started; invalid;
 * platform_off; slot_not_free; already_posted where a new time releases what its account has by another post
 */
export async function editPost(
  deps: PostDeps,
  userId: number,
  postId: number,
  change: PostChange,
): Promise<Post> {
  return deps.db.transaction().execute(async (trx) => {
    await editPostIn(trx, deps, { userId, postId, change })
    return getPost(trx, userId, postId)
  })
}

type Edit = { readonly userId: number; readonly postId: number; readonly change: PostChange }

export async function editPostIn(trx: Db, deps: PostDeps, { userId, postId, change }: Edit): Promise<void> {
  const now = deps.now()
  const schedules = await lockAskedSchedules(trx, { userId, postId, change })
  const around = hasContent(change) ? await lockAround(trx, { userId, postId, change }) : null
  const isConfirmed = change.confirm_repeat === true
  /** The accounts whose platform accounts are locked, unless the user has confirmed a repeat. */
  const readAccountIds = async () => (isConfirmed ? [] : listAccountIds(trx, userId, postId))
  const isTop = change.schedule?.place === 'top'
  if (isTop) {
    const scheduleIds = schedules.map(({ schedule_id }) => schedule_id)
    await lockInOrder(trx, { userId, scheduleIds, postId, now, accountIds: await readAccountIds() })
  }
  const post = await lockPostRow(trx, userId, postId)
  if (post === null) throw notFound('post')
  if (post.version !== change.version) throw new Problem('conflict', CHANGED)
  const publishAt = newTime(change, post)
  const isMoved = (change.moment ?? change.schedule ?? publishAt) !== undefined
  const distances = readDistances(change)
  if ((isMoved || distances.size > 0) && !isTop) await lockPlatformAccounts(trx, await readAccountIds())
  const rows = await lockDeliveries(trx, postId)
  const deliveries = rows.map(toEdited)
  const moved = isMoved
    ? toMove(deliveries, change)
    : deliveries.filter((one) => one.stage === 'waiting' && afterOf(one, distances) !== one.afterMinutes)
  const least = moved.length === 0 ? 0 : Math.min(...moved.map((one) => afterOf(one, distances)))
  const moving = { change, post, rows, schedules, accounts: around?.accounts ?? [], least, now }
  const time =
    publishAt === undefined
      ? await findPlace(trx, deps, moving)
      : { publishAt, at: parsePublishTime(publishAt, now, least), slot: null }
  if (around !== null) {
    const { text, video_id: videoId } = post
    const postAt = time ? (time.at ?? now) : timeOf(post, rows).at
    const content = { ...around, post: { postId, text, videoId }, deliveries, change, postAt, now }
    await editContent(trx, deps, { userId, ...content })
    await storePostWords(trx, postId)
    if (change.targets) await leaveScheduleOfOtherBrand(trx, postId)
  }
  await moveDeliveries(trx, deps, moved, {
    userId,
    time: time ?? timeOf(post, rows),
    isNewTime: time !== null,
    distances,
    now,
  })
  if (time !== null) await updatePublishTime(trx, postId, time)
  if (change.reference !== undefined) await updateReference(trx, postId, change.reference)
  const released = moved.filter(({ state }) => isReleasedByTime(state))
  if (!isConfirmed)
    await refuseRepeats(
      trx,
      released.map(({ deliveryId }) => deliveryId),
      'others',
    )
  await bumpVersion(trx, postId)
  await recordPostEvents(trx, [{ userId, postId, planned: true }], now)
}

const CHANGED = 'This post was changed somewhere else, perhaps in another tab.'

const hasContent = ({ text, video_id, targets }: PostChange): boolean =>
  text !== undefined || video_id !== undefined || targets !== undefined

/**
 * Locks the schedules that may give the post a slot. `top` moves other posts, so the schedule that the post leaves is locked too: two posts
 * that change places would wait for each other.
 */
async function lockAskedSchedules(trx: Db, { userId, postId, change }: Edit): Promise<ScheduleRow[]> {
  const { schedule, moment } = change
  if (moment) return lockSchedulesAt(trx, userId, moment, await findSharedBrand(trx, userId, postId))
  if (!schedule) return []
  const left = await findScheduleId(trx, userId, postId)
  await lockSchedules(trx, userId, { scheduleIds: [schedule.schedule_id, ...(left === null ? [] : [left])] })
  return [await findSchedule(trx, userId, schedule.schedule_id)]
}

type Moving = {
  readonly change: PostChange
  readonly post: { readonly post_id: number; readonly schedule_id: number | null }
  readonly rows: readonly LockedDelivery[]
  readonly schedules: readonly ScheduleRow[]
  /** The locked accounts that the post may go to after the change. */
  readonly accounts: readonly AccountRow[]
  /** How long after the post's time the first that moves goes out. */
  readonly least: number
  readonly now: number
}

/** Finds the slot that the post gets, or only the time. null keeps its time. */
async function findPlace(trx: Db, deps: PostDeps, moving: Moving): Promise<NewTime | null> {
  const { change, post, rows, schedules, least, now } = moving
  const { moment, schedule: asked } = change
  const alive = rows.filter(({ state }) => state !== 'cancelled')
  const fixed = alive.filter((row) => !isEditable(stateToShow(row)))
  // A slot is for whole posts.
  const noSlot = fixed.length > 0 ? started(fixed) : null
  if (moment) {
    return takeMoment(trx, moment, {
      schedules,
      brandIds: alive.map(({ brand_id }) => brand_id),
      platforms: platformsOf(alive),
      post: { postId: post.post_id, scheduleId: post.schedule_id },
      noSlot,
      least,
      now,
    })
  }
  const [schedule] = schedules
  if (!asked || !schedule) return null
  if (noSlot !== null) throw noSlot
  const accounts = accountsAfter(moving, alive)
  // A post may move within its schedule even if its accounts have another brand since.
  if (post.schedule_id !== schedule.schedule_id)
    assertOfBrand(
      schedule,
      accounts.map(({ brand_id }) => brand_id),
    )
  return placePost(trx, deps, schedule, { asked, accounts, postId: post.post_id })
}

/** The accounts that the post goes to once it is changed. */
function accountsAfter({ change, rows, accounts }: Moving, alive: readonly LockedDelivery[]) {
  if (!change.targets) return alive
  const named = new Set<number>(change.targets.map(({ account_id }) => account_id))
  const over = new Set(rows.filter(({ state }) => state === 'cancelled').map(({ account_id }) => account_id))
  return accounts.filter(({ account_id }) => named.has(account_id) && !over.has(account_id))
}

type Timed = { readonly publish_local: string | null; readonly timezone: string | null }

/** undefined: the post keeps its schedule and its time, even a past one. */
function newTime({ publish_at }: PostChange, post: Timed): ZonedTime | null | undefined {
  const isSame =
    publish_at?.local === (post.publish_local ?? undefined) &&
    publish_at?.timezone === (post.timezone ?? undefined)
  return isSame ? undefined : publish_at
}

/** @throws Problem in_flight where nothing of it can be moved any more */
function toMove(deliveries: readonly EditedDelivery[], { targets }: PostChange): readonly EditedDelivery[] {
  const named = targets?.map(({ account_id }): number => account_id)
  const waiting = deliveries.filter(
    ({ stage, accountId }) => stage === 'waiting' && (named?.includes(accountId) ?? true),
  )
  const present = new Set(deliveries.map(({ accountId }) => accountId))
  const hasNew = named?.some((accountId) => !present.has(accountId)) ?? false
  if (waiting.length === 0 && !hasNew) throw started(deliveries)
  return waiting
}

/** Locks accounts, then the video, then the post: the order in which posts are made, and accounts and videos deleted. */
async function lockAround(trx: Db, { userId, postId, change }: Edit) {
  const before = await readPostBefore(trx, userId, postId)
  if (before === null) throw notFound('post')
  const ids = change.targets?.map(({ account_id }): number => account_id) ?? before.accounts
  const accounts = await lockLinkedAccounts(trx, userId, ids)
  const video = await lockVideo(trx, userId, change.video_id ?? before.video_id)
  return { accounts, video }
}

/** How long after the post's time accounts are to get it, and their places in the request. */
type Distances = ReadonlyMap<number, { readonly minutes: number; readonly nth: number }>

const readDistances = ({ targets = [] }: PostChange): Distances =>
  new Map(
    targets.flatMap(({ account_id, after_minutes: minutes }, nth) =>
      minutes === undefined ? [] : [[account_id, { minutes, nth }]],
    ),
  )

type StoredTime = Timed & { readonly publish_at: Date | null; readonly created_at: Date }

/** A post without a time was to go out when it was made, or when it was last moved to now. */
function timeOf(
  { publish_at, publish_local: local, timezone, created_at }: StoredTime,
  rows: readonly Pick<LockedDelivery, 'goes_out_at' | 'after_minutes'>[],
) {
  const publishAt = local === null || timezone === null ? null : { local, timezone }
  const moved = rows.map(({ goes_out_at: at, after_minutes: minutes }) =>
    at === null ? 0 : minutesAfter(at.getTime(), -minutes),
  )
  return { publishAt, at: publish_at?.getTime() ?? Math.max(created_at.getTime(), ...moved) }
}

const afterOf = ({ accountId, afterMinutes }: EditedDelivery, distances: Distances): number =>
  distances.get(accountId)?.minutes ?? afterMinutes

type Move = {
  readonly userId: number
  readonly time: { readonly publishAt: ZonedTime | null; readonly at: number | null }
  readonly isNewTime: boolean
  readonly distances: Distances
  readonly now: number
}

/** Gives deliveries that have not started their times: the post's, and their distances from it. */
async function moveDeliveries(
  trx: Db,
  deps: PostDeps,
  waiting: readonly EditedDelivery[],
  { userId, time, isNewTime, distances, now }: Move,
): Promise<void> {
  const at = time.at ?? now
  const moves = waiting.map((one) => {
    const { deliveryId, accountId, state } = one
    const afterMinutes = afterOf(one, distances)
    const dueAt = minutesAfter(at, afterMinutes)
    const wrong = isNewTime ? null : whyNotAt(dueAt, now)
    const nth = distances.get(accountId)?.nth ?? 0
    if (wrong !== null) throw refusal('invalid', { [`targets.${nth}.after_minutes`]: [wrong] })
    const line = describeMove(time.publishAt, state, afterMinutes)
    return { deliveryId, userId, dueAt, line, afterMinutes }
  })
  await updateAfterMinutes(trx, moves)
  assertMoved(moves, await rescheduleDeliveries(trx, { ...deps, now: () => now }, moves))
}
