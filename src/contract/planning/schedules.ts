import { z } from 'zod'
import { PausedUntil } from '../deliveries.ts'
import { endpoint, noContent } from '../http/endpoint.ts'
import { AccountId, BrandId, PostId, ScheduleId } from '../ids.ts'
import {
  ALL_SLOTS_MAX,
  NEXT_SLOTS_MAX,
  POST_TARGETS_MAX,
  SCHEDULE_POSTS_MAX,
  SCHEDULE_JITTER_MAX_MINUTES,
  SCHEDULE_NAME_MAX_CHARS,
  SCHEDULE_SLOTS_MAX,
  SCHEDULES_MAX,
  SCHEDULES_PER_BRAND_MAX,
} from '../limits.ts'
import { PLATFORM_IDS, PlatformId } from '../platforms/index.ts'
import { TimeZone } from '../users.ts'

const ScheduleName = z
  .string()
  .trim()
  .min(1, 'Give the schedule a name.')
  .max(SCHEDULE_NAME_MAX_CHARS, `Use at most ${SCHEDULE_NAME_MAX_CHARS} characters.`)
  .regex(/^\P{Cc}*$/u, 'Use letters, numbers and symbols only.')

export const ScheduleSlot = z.object({
  weekday: z.int().min(1).max(7).describe('ISO 8601: 1 is Monday, 7 is Sunday.'),
  time: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Give the time as HH:MM.')
    .describe("A time of day in the schedule's time zone."),
  platforms: z
    .array(PlatformId)
    .min(1, 'Choose at least one platform.')
    .max(PLATFORM_IDS.length)
    .nullable()
    .describe(
      'The platforms that the slot is for. A post takes it only if all its accounts are on them. null for any platform.',
    ),
})
export type ScheduleSlot = z.infer<typeof ScheduleSlot>

const ScheduleSlots = z
  .array(ScheduleSlot)
  .min(1, 'Add at least one slot.')
  .max(SCHEDULE_SLOTS_MAX, `A posting schedule has at most ${SCHEDULE_SLOTS_MAX} slots.`)
  .refine((slots) => new Set(slots.map(({ weekday, time }) => `${weekday} ${time}`)).size === slots.length, {
    message: 'Two slots have the same time.',
  })

const ScheduleFields = z.object({
  name: ScheduleName,
  slots: ScheduleSlots,
  jitter_minutes: z
    .int()
    .min(0)
    .max(SCHEDULE_JITTER_MAX_MINUTES)
    .default(0)
    .describe(
      'Posts go out up to this many minutes after their slot, so that they do not all appear on the dot.',
    ),
})

export const Schedule = z.object({
  schedule_id: ScheduleId,
  brand_id: BrandId,
  name: z.string(),
  timezone: z.string().describe("The time zone of its slots: the brand's, else the user's."),
  paused: z.boolean(),
  paused_until: PausedUntil,
  jitter_minutes: z.int(),
  slots: z.array(ScheduleSlot).describe('In the order of the week.'),
  waiting: z.int().describe('The number of posts that have a slot and are not finished.'),
  version: z.int(),
})
export type Schedule = z.infer<typeof Schedule>

/** `version` is the one that was changed. */
const ScheduleChange = ScheduleFields.extend({ version: z.int().positive() })
export type ScheduleChange = z.infer<typeof ScheduleChange>

export const ScheduleMove = z.object({
  post_id: PostId,
  from: z.iso.datetime(),
  to: z.iso.datetime(),
})
export type ScheduleMove = z.infer<typeof ScheduleMove>

/** `local` and `at` are the slot's own: a post's jitter comes on top. */
export const FreeSlot = z.object({
  schedule_id: ScheduleId,
  schedule_name: z.string(),
  brand_id: BrandId,
  local: z.string().describe('A wall clock time, such as `2026-12-24T18:30`.'),
  timezone: z.string(),
  at: z.iso.datetime(),
  platforms: z
    .array(PlatformId)
    .nullable()
    .describe('The platforms that the slot is for. null for any platform.'),
})
export type FreeSlot = z.infer<typeof FreeSlot>

const Placement = z.object({
  at: z.iso.datetime().describe('The time at which the post would go out, jitter included.'),
  moves: z.array(ScheduleMove).describe('The posts that would move to make room.'),
})

/** A query gives a list as one text. */
const splitList = (maxChars: number) =>
  z
    .string()
    .max(maxChars)
    .transform((list): unknown[] => list.split(',').filter((name) => name !== ''))

const bySchedule = z.object({ scheduleId: ScheduleId })

export const scheduleEndpoints = {
  listSchedules: endpoint({
    method: 'GET',
    path: '/schedules',
    tag: 'Posting schedules',
    summary:
      'List the posting schedules of all brands, oldest first. The weekly slots of a posting schedule give posts their times',
    auth: 'read',
    status: 200,
    reply: z.array(Schedule),
    problems: [],
  }),
  createSchedule: endpoint({
    method: 'POST',
    path: '/schedules',
    tag: 'Posting schedules',
    summary: `Create a posting schedule. A brand has up to ${SCHEDULES_PER_BRAND_MAX}, a user up to ${SCHEDULES_MAX} with ${ALL_SLOTS_MAX} slots in all. Each holds up to ${SCHEDULE_POSTS_MAX} posts`,
    auth: 'write',
    body: ScheduleFields.extend({ brand_id: BrandId }),
    status: 201,
    reply: Schedule,
    problems: ['invalid', 'not_found'],
  }),
  changeSchedule: endpoint({
    method: 'PUT',
    path: '/schedules/:scheduleId',
    tag: 'Posting schedules',
    summary:
      'Change a posting schedule. A post whose slot is gone takes the nearest free slot of the same date, else the next free one. A post that fits no slot keeps its time and leaves the schedule. If posts move, confirm their number with `moves`, else the call gets 409 `posts_move`',
    auth: 'publish',
    params: bySchedule,
    body: ScheduleChange.extend({
      moves: z.int().min(0).default(0).describe('The number of posts that the user agreed to move.'),
    }),
    status: 200,
    reply: Schedule,
    problems: ['invalid', 'not_found', 'conflict', 'posts_move'],
  }),
  previewSchedule: endpoint({
    method: 'POST',
    path: '/schedules/:scheduleId/preview',
    tag: 'Posting schedules',
    summary: 'Preview which posts a change of this posting schedule would move. Nothing is changed',
    auth: 'read',
    params: bySchedule,
    body: ScheduleChange,
    status: 200,
    reply: z.object({ moves: z.array(ScheduleMove) }),
    problems: ['invalid', 'not_found', 'conflict'],
  }),
  previewBrandZone: endpoint({
    method: 'POST',
    path: '/brands/:brandId/preview',
    tag: 'Brands',
    summary: 'Preview which posts another time zone of the brand would move. Nothing is changed',
    auth: 'read',
    params: z.object({ brandId: BrandId }),
    body: z.object({ timezone: TimeZone.nullable().describe("null for the user's time zone.") }),
    status: 200,
    reply: z.object({ moves: z.array(ScheduleMove) }),
    problems: ['invalid', 'not_found'],
  }),
  deleteSchedule: endpoint({
    method: 'DELETE',
    path: '/schedules/:scheduleId',
    tag: 'Posting schedules',
    summary: 'Delete a posting schedule. Its posts keep their times',
    auth: 'publish',
    params: bySchedule,
    status: 204,
    reply: noContent,
    problems: ['not_found'],
  }),
  listNextSlots: endpoint({
    method: 'GET',
    path: '/schedules/:scheduleId/next',
    tag: 'Posting schedules',
    summary:
      'List the next free slots of a posting schedule, and preview what placing a post at its top or end would do. Nothing is changed',
    auth: 'read',
    limitedKeys: 'named',
    params: bySchedule,
    query: z.object({
      count: z.coerce.number().int().min(1).max(NEXT_SLOTS_MAX).default(1),
      platforms: splitList(100)
        .pipe(z.array(PlatformId))
        .optional()
        .describe('Only slots for all of these platforms, separated by commas.'),
      accounts: splitList(2000)
        .pipe(z.array(AccountId).max(POST_TARGETS_MAX))
        .optional()
        .describe(
          'The ids of the accounts that get the post, separated by commas: a slot at which one of them has another post is not free.',
        ),
      postId: PostId.optional().describe(
        'The post that will move within the schedule. Its own slot counts as free.',
      ),
    }),
    status: 200,
    reply: z.object({
      slots: z.array(FreeSlot),
      top: Placement.nullable().describe('null if no slot is free.'),
      bottom: Placement.nullable().describe('null if no slot is free.'),
    }),
    problems: ['not_found'],
  }),
} as const
