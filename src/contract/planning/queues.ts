import { z } from 'zod'
import { endpoint, noContent } from '../http/endpoint.ts'
import { BrandId, PostId, QueueId } from '../ids.ts'
import {
  ALL_SLOTS_MAX,
  NEXT_SLOTS_MAX,
  QUEUE_POSTS_MAX,
  QUEUE_JITTER_MAX_MINUTES,
  QUEUE_NAME_MAX_CHARS,
  QUEUE_SLOTS_MAX,
  QUEUES_MAX,
  QUEUES_PER_BRAND_MAX,
} from '../limits.ts'
import { PLATFORM_IDS, PlatformId } from '../platforms/index.ts'
import { TimeZone } from '../users.ts'

const QueueName = z
  .string()
  .trim()
  .min(1, 'Give the queue a name.')
  .max(QUEUE_NAME_MAX_CHARS, `Use at most ${QUEUE_NAME_MAX_CHARS} characters.`)
  .regex(/^\P{Cc}*$/u, 'Use letters, numbers and symbols only.')

export const QueueSlot = z.object({
  weekday: z.int().min(1).max(7).describe('ISO 8601: 1 is Monday, 7 is Sunday.'),
  time: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Give the time as HH:MM.')
    .describe("A time of day in the queue's time zone."),
  platforms: z
    .array(PlatformId)
    .min(1, 'Choose at least one platform.')
    .max(PLATFORM_IDS.length)
    .nullable()
    .describe(
      'The platforms that the slot is for. A post takes it only if all its accounts are on them. null for any platform.',
    ),
})
export type QueueSlot = z.infer<typeof QueueSlot>

const QueueSlots = z
  .array(QueueSlot)
  .min(1, 'Add at least one slot.')
  .max(QUEUE_SLOTS_MAX, `A queue has at most ${QUEUE_SLOTS_MAX} slots.`)
  .refine((slots) => new Set(slots.map(({ weekday, time }) => `${weekday} ${time}`)).size === slots.length, {
    message: 'Two slots are at the same time.',
  })

const QueueFields = z.object({
  name: QueueName,
  slots: QueueSlots,
  jitter_minutes: z
    .int()
    .min(0)
    .max(QUEUE_JITTER_MAX_MINUTES)
    .default(0)
    .describe(
      'Posts go out up to this many minutes after their slot, so that they do not all appear on the dot.',
    ),
})

export const Queue = z.object({
  queue_id: QueueId,
  brand_id: BrandId,
  name: z.string(),
  timezone: z.string().describe("The time zone of its slots: the brand's, else the user's."),
  paused: z.boolean(),
  jitter_minutes: z.int(),
  slots: z.array(QueueSlot).describe('In the order of the week.'),
  waiting: z.int().describe('The number of posts that have a slot and are not finished.'),
  version: z.int(),
})
export type Queue = z.infer<typeof Queue>

/** A queue as it is to be; `version` is the one that was changed. */
const QueueChange = QueueFields.extend({ version: z.int().positive() })
export type QueueChange = z.infer<typeof QueueChange>

/** What a change of slots does to a post that waits in the queue. */
const QueueMove = z.object({
  post_id: PostId,
  from: z.iso.datetime(),
  to: z.iso.datetime(),
})
export type QueueMove = z.infer<typeof QueueMove>

/** A slot of a date that no post has. `local` and `at` are the slot's own: jitter comes on top. */
export const FreeSlot = z.object({
  queue_id: QueueId,
  queue_name: z.string(),
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

/** What a place in a queue would mean for a post. */
const Placement = z.object({
  at: z.iso.datetime().describe('The time at which the post would go out, jitter included.'),
  moves: z.array(QueueMove).describe('The posts that would move to make room.'),
})

/** A query gives a list as one text. */
const PlatformList = z
  .string()
  .max(100)
  .transform((list) => list.split(',').filter((name) => name !== ''))
  .pipe(z.array(PlatformId))

const byQueue = z.object({ queueId: QueueId })

export const queueEndpoints = {
  listQueues: endpoint({
    method: 'GET',
    path: '/queues',
    tag: 'Queues',
    summary:
      'List the queues of all brands, oldest first. A queue is a weekly posting schedule: its slots give posts their times',
    auth: 'bearer',
    status: 200,
    reply: z.array(Queue),
    problems: [],
  }),
  createQueue: endpoint({
    method: 'POST',
    path: '/queues',
    tag: 'Queues',
    summary: `Create a queue. A brand has up to ${QUEUES_PER_BRAND_MAX}, a user up to ${QUEUES_MAX} with ${ALL_SLOTS_MAX} slots in all. Each holds up to ${QUEUE_POSTS_MAX} posts`,
    auth: 'bearer',
    body: QueueFields.extend({ brand_id: BrandId }),
    status: 201,
    reply: Queue,
    problems: ['invalid', 'not_found'],
  }),
  changeQueue: endpoint({
    method: 'PUT',
    path: '/queues/:queueId',
    tag: 'Queues',
    summary:
      'Change a queue. A post whose slot is gone takes the nearest free slot of the same date, else the next free one. A post that fits no slot keeps its time and leaves the queue. If posts move, confirm their number with `moves`, else the call gets 409 `posts_move`',
    auth: 'bearer',
    params: byQueue,
    body: QueueChange.extend({
      moves: z.int().min(0).default(0).describe('The number of posts that the user agreed to move.'),
    }),
    status: 200,
    reply: Queue,
    problems: ['invalid', 'not_found', 'conflict', 'posts_move'],
  }),
  previewQueue: endpoint({
    method: 'POST',
    path: '/queues/:queueId/preview',
    tag: 'Queues',
    summary: 'Preview which posts a change of this queue would move. Nothing is changed',
    auth: 'bearer',
    params: byQueue,
    body: QueueChange,
    status: 200,
    reply: z.object({ moves: z.array(QueueMove) }),
    problems: ['invalid', 'not_found', 'conflict'],
  }),
  previewBrandZone: endpoint({
    method: 'POST',
    path: '/brands/:brandId/preview',
    tag: 'Brands',
    summary: 'Preview which posts another time zone of the brand would move. Nothing is changed',
    auth: 'bearer',
    params: z.object({ brandId: BrandId }),
    body: z.object({ timezone: TimeZone.nullable().describe("null for the user's time zone.") }),
    status: 200,
    reply: z.object({ moves: z.array(QueueMove) }),
    problems: ['invalid', 'not_found'],
  }),
  deleteQueue: endpoint({
    method: 'DELETE',
    path: '/queues/:queueId',
    tag: 'Queues',
    summary: 'Delete a queue. Its posts keep their times',
    auth: 'bearer',
    params: byQueue,
    status: 204,
    reply: noContent,
    problems: ['not_found'],
  }),
  listNextSlots: endpoint({
    method: 'GET',
    path: '/queues/:queueId/next',
    tag: 'Queues',
    summary:
      'List the next free slots of a queue, and preview what placing a post at its top or end would do. Nothing is changed',
    auth: 'bearer',
    params: byQueue,
    query: z.object({
      count: z.coerce.number().int().min(1).max(NEXT_SLOTS_MAX).default(1),
      platforms: PlatformList.optional().describe(
        'Only slots for all of these platforms, separated by commas.',
      ),
      postId: PostId.optional().describe(
        'The post that will move within the queue. Its own slot counts as free.',
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
