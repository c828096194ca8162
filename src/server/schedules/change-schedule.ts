import { sql } from 'kysely'
import { DatabaseError } from 'pg'
import { ALL_SLOTS_MAX, SCHEDULES_MAX, SCHEDULES_PER_BRAND_MAX } from '#contract/limits.ts'
import type { Schedule, ScheduleChange, ScheduleMove, ScheduleSlot } from '#contract/planning/schedules.ts'
import { reslot } from '#domain/schedule/reslot.ts'
import type { Db } from '#base/db/open.ts'
import { notFound, Problem } from '#base/problem.ts'
import { ownsBrand } from '../accounts/store.ts'
import { leaveSchedule, type RescheduleDeps } from '../deliveries/reschedule-post.ts'
import { type PauseDeps, setPause } from '../pauses/set-pause.ts'
import { refusal } from '../http/parse.ts'
import { applyMoves, describeMoves, spanFrom, weekOf } from './place-post.ts'
import { lockInOrder, lockSlottedPosts, readSlottedPosts } from './slotted-posts.ts'
import {
  countAll,
  countWaiting,
  findSchedule,
  findSchedules,
  insertSchedule,
  lockSchedule,
  lockSchedules,
  markScheduleDeleted,
  type ScheduleRow,
  replaceSlots,
  toSchedule,
  updateSchedule,
} from './store.ts'

export type ScheduleDeps = RescheduleDeps & { readonly db: Db }

export async function listSchedules({ db, now }: ScheduleDeps, userId: number): Promise<Schedule[]> {
  const rows = await findSchedules(db, userId)
  const waiting = await countWaiting(
    db,
    rows.map(({ schedule_id }) => schedule_id),
    now(),
  )
  return rows.map((row) => toSchedule(row, waiting.get(row.schedule_id) ?? 0))
}

async function getSchedule(db: Db, userId: number, scheduleId: number, now: number): Promise<Schedule> {
  const waiting = await countWaiting(db, [scheduleId], now)
  return toSchedule(await findSchedule(db, userId, scheduleId), waiting.get(scheduleId) ?? 0)
}

type NewSchedule = {
  readonly brand_id: number
  readonly name: string
  readonly slots: readonly ScheduleSlot[]
  readonly jitter_minutes: number
}

/** @throws Problem not_found for the brand; invalid for a name that it has, and for too many schedules */
export function createSchedule(deps: ScheduleDeps, userId: number, fields: NewSchedule): Promise<Schedule> {
  return deps.db.transaction().execute(async (trx) => {
    if (!(await ownsBrand(trx, userId, fields.brand_id))) throw notFound('brand')
    const others = await lockSchedulesOfBrand(trx, userId, fields.brand_id)
    if (others.length >= SCHEDULES_PER_BRAND_MAX)
      throw refusal('invalid', {
        brand_id: [`A brand has at most ${SCHEDULES_PER_BRAND_MAX} posting schedules.`],
      })
    refuseName(others, fields.name)
    await refuseTooMuch(trx, userId, { schedules: 1, slots: fields.slots.length })
    const { name, jitter_minutes: jitterMinutes } = fields
    const schedule = { userId, brandId: fields.brand_id, name, jitterMinutes }
    const scheduleId = await refusingName(insertSchedule(trx, schedule))
    await replaceSlots(trx, scheduleId, fields.slots)
    return getSchedule(trx, userId, scheduleId, deps.now())
  })
}

/** Refuses growth beyond the user's limits. Two that grow at once come one after the other; the user's uploads do not wait for them. */
async function refuseTooMuch(
  trx: Db,
  userId: number,
  more: { readonly schedules: number; readonly slots: number },
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`schedules ${userId}`}, 0))`.execute(trx)
  const { schedules, slots } = await countAll(trx, userId)
  if (more.schedules > 0 && schedules + more.schedules > SCHEDULES_MAX)
    throw refusal('invalid', {
      brand_id: [`You have ${schedules} posting schedules; the limit is ${SCHEDULES_MAX}.`],
    })
  if (more.slots > 0 && slots + more.slots > ALL_SLOTS_MAX)
    throw refusal('invalid', {
      slots: [`Your posting schedules have ${slots} slots; the limit is ${ALL_SLOTS_MAX} in all.`],
    })
}

/** Two that make schedules of a brand at once come one after the other: the brand's row is locked, too. */
async function lockSchedulesOfBrand(trx: Db, userId: number, brandId: number): Promise<ScheduleRow[]> {
  await trx.selectFrom('brands').select('brand_id').where('brand_id', '=', brandId).forNoKeyUpdate().execute()
  await lockSchedules(trx, userId, { brandId })
  return findSchedules(trx, userId, { brandId })
}

function refuseName(others: readonly ScheduleRow[], name: string): void {
  if (others.some((other) => other.name.toLowerCase() === name.toLowerCase())) throw nameTaken()
}

const nameTaken = (): Problem =>
  refusal('invalid', { name: ['This brand already has a posting schedule with this name.'] })

/** The database compares names in small letters of its own: a Greek sigma is one letter there, and two here. */
async function refusingName<T>(store: Promise<T>): Promise<T> {
  try {
    return await store
  } catch (error) {
    throw error instanceof DatabaseError && error.constraint === 'schedules_by_name' ? nameTaken() : error
  }
}

/**
 * Changes a posting schedule and gives its posts the slots of its new week.
 * @throws Problem not_found; conflict for another version; posts_move where another number of posts moves; invalid for its name
 */
export function changeSchedule(
  deps: ScheduleDeps,
  userId: number,
  scheduleId: number,
  change: ScheduleChange & { readonly moves: number },
): Promise<Schedule> {
  return deps.db.transaction().execute(async (trx) => {
    // Checked without a lock first: what waits for one occupies a connection.
    refuseVersion(await findSchedule(trx, userId, scheduleId), change)
    const schedule = await lockSchedule(trx, userId, scheduleId)
    refuseVersion(schedule, change)
    const others = await findSchedules(trx, userId, { brandId: schedule.brand_id })
    refuseName(
      others.filter((other) => other.schedule_id !== scheduleId),
      change.name,
    )
    const more = change.slots.length - schedule.slots.length
    if (more > 0) await refuseTooMuch(trx, userId, { schedules: 0, slots: more })
    const changed = withChange(schedule, change)
    const now = deps.now()
    const posts = await lockSlottedPosts(trx, { scheduleId, now })
    const { moves, stays } = reslot(weekOf(changed), posts, spanFrom(now))
    if (moves.length !== change.moves) throw postsMove(moves.length)
    const { name, jitter_minutes: jitterMinutes } = change
    await refusingName(updateSchedule(trx, scheduleId, { name, jitterMinutes }))
    await replaceSlots(trx, scheduleId, change.slots)
    await applyMoves(trx, deps, changed, moves)
    await leaveSchedule(trx, stays)
    return getSchedule(trx, userId, scheduleId, now)
  })
}

const withChange = (schedule: ScheduleRow, change: ScheduleChange): ScheduleRow => ({
  ...schedule,
  slots: change.slots,
  jitter_minutes: change.jitter_minutes,
})

function refuseVersion(schedule: ScheduleRow, { version }: ScheduleChange): void {
  if (schedule.version !== version)
    throw new Problem('conflict', 'This schedule was changed somewhere else, perhaps in another tab.')
}

const postsMove = (moves: number): Problem =>
  new Problem(
    'posts_move',
    moves === 0
      ? 'No scheduled posts need to move now. Check again and confirm.'
      : `This moves ${moves === 1 ? 'a scheduled post' : `${moves} scheduled posts`}. Confirm to continue.`,
  )

/** @throws Problem not_found; conflict for another version */
export async function previewSchedule(
  { db, now }: ScheduleDeps,
  userId: number,
  scheduleId: number,
  change: ScheduleChange,
): Promise<{ moves: ScheduleMove[] }> {
  const schedule = await findSchedule(db, userId, scheduleId)
  refuseVersion(schedule, change)
  const changed = withChange(schedule, change)
  const posts = await readSlottedPosts(db, { scheduleId, now: now() })
  const { moves } = reslot(weekOf(changed), posts, spanFrom(now()))
  return { moves: describeMoves(changed, posts, moves) }
}

/** @throws Problem not_found */
export async function deleteSchedule(
  deps: ScheduleDeps & PauseDeps,
  userId: number,
  scheduleId: number,
): Promise<void> {
  // Its held posts go out, or are missed, as when it is resumed.
  await setPause(deps, { of: 'schedule', id: scheduleId, userId }, null)
  await deps.db.transaction().execute(async (trx) => {
    await lockSchedule(trx, userId, scheduleId)
    await markScheduleDeleted(trx, scheduleId, deps.now())
  })
}

/**
 * Moves the posts of the brand's schedules with their wall clocks, in the transaction that gave the brand another zone.
 * @param agreed the number of posts that the user has agreed to move
 * @throws Problem posts_move where another number moves
 */
export async function reslotBrandSchedules(
  trx: Db,
  deps: RescheduleDeps,
  { userId, brandId, agreed }: { readonly userId: number; readonly brandId: number; readonly agreed: number },
): Promise<void> {
  const now = deps.now()
  await lockSchedules(trx, userId, { brandId })
  const schedules = await findSchedules(trx, userId, { brandId })
  await lockInOrder(trx, {
    userId,
    scheduleIds: schedules.map(({ schedule_id }) => schedule_id),
    postId: null,
    now,
  })
  const changes = []
  for (const schedule of schedules) {
    const posts = await lockSlottedPosts(trx, { scheduleId: schedule.schedule_id, now })
    changes.push({ schedule, ...reslot(weekOf(schedule), posts, spanFrom(now)) })
  }
  const moving = changes.flatMap(({ moves }) => moves).length
  if (moving !== agreed) throw postsMove(moving)
  for (const { schedule, moves, stays } of changes) {
    await applyMoves(trx, deps, schedule, moves)
    await leaveSchedule(trx, stays)
  }
}

/**
 * The moves that `reslotBrandSchedules` would make in this zone.
 * @throws Problem not_found
 */
export async function previewBrandZone(
  { db, now }: ScheduleDeps,
  userId: number,
  brandId: number,
  timezone: string,
): Promise<{ moves: ScheduleMove[] }> {
  if (!(await ownsBrand(db, userId, brandId))) throw notFound('brand')
  const found: ScheduleMove[] = []
  for (const schedule of await findSchedules(db, userId, { brandId })) {
    const changed = { ...schedule, timezone }
    const posts = await readSlottedPosts(db, { scheduleId: schedule.schedule_id, now: now() })
    const { moves } = reslot(weekOf(changed), posts, spanFrom(now()))
    found.push(...describeMoves(changed, posts, moves))
  }
  return { moves: found.toSorted((a, b) => a.from.localeCompare(b.from)) }
}

/** Deletes the brand's schedules, in the transaction that deletes the brand. */
export async function deleteBrandSchedules(
  trx: Db,
  userId: number,
  brandId: number,
  now: number,
): Promise<void> {
  await lockSchedules(trx, userId, { brandId })
  for (const { schedule_id } of await findSchedules(trx, userId, { brandId }))
    await markScheduleDeleted(trx, schedule_id, now)
}
