import { z } from 'zod'
import { BlockedCause, DeliveryStatus } from '../deliveries.ts'
import { endpoint } from '../http/endpoint.ts'
import { AccountId, BrandId, DraftId, PostId, QueueId } from '../ids.ts'
import { CALENDAR_DAYS_MAX, CALENDAR_POSTS_MAX, CALENDAR_SLOTS_MAX, CALENDAR_TEXT_CHARS } from '../limits.ts'
import { PlatformId } from '../platforms/index.ts'
import { SavedTime } from '../posts.ts'
import { TimeZone } from '../users.ts'
import { FreeSlot } from './queues.ts'
import { PosterUrl } from '../videos.ts'

/** How many accounts of a platform a post goes to. */
const Mark = z.object({ platform: PlatformId, accounts: z.int() })

const Entry = z.object({
  at: z.iso.datetime().describe('When it goes out or went out.'),
  text: z.string().describe(`The shared text, cut with "…" to ${CALENDAR_TEXT_CHARS} characters.`),
  poster_url: PosterUrl,
  brand_id: BrandId.nullable().describe('null: accounts of several brands.'),
  marks: z.array(Mark).describe('The platforms it goes to, the first one chosen first.'),
  slot: SavedTime.extend({ queue_id: QueueId })
    .nullable()
    .describe('The slot of a queue that a post has, or that a draft is to take.'),
})

export const CalendarPost = Entry.extend({
  post_id: PostId,
  version: z.int().describe('The one that a change is made to.'),
  timezone: z
    .string()
    .nullable()
    .describe('The zone in which its time was chosen; null: it was to go out at once.'),
  status: DeliveryStatus.describe(
    'The one to show: of several accounts that which most needs somebody to look, else what is least far.',
  ),
  settled: z
    .boolean()
    .describe('It is failed, and each failure was dismissed or replaced by a newer post: it needs nobody.'),
  held_for: BlockedCause.nullable().describe('While `status` is blocked: what it waits for.'),
  fixed: z
    .string()
    .nullable()
    .describe('Why it cannot be moved, as a sentence. null: nothing of it has started, so it can.'),
})
export type CalendarPost = z.infer<typeof CalendarPost>

export const CalendarDraft = Entry.extend({
  draft_id: DraftId,
  version: z.int(),
  publish_at: SavedTime.describe('The proposed time; `at` is its instant.'),
})
export type CalendarDraft = z.infer<typeof CalendarDraft>

export const CALENDAR_STATUSES = [
  'draft',
  'scheduled',
  'publishing',
  'published',
  'in_inbox',
  'unconfirmed',
  'held',
  'failed',
  'cancelled',
] as const
export const CalendarStatus = z.enum(CALENDAR_STATUSES)
export type CalendarStatus = z.infer<typeof CalendarStatus>

export const Calendar = z.object({
  timezone: z.string().describe("The zone of the days: the one asked for, else the user's."),
  posts: z
    .array(CalendarPost)
    .describe(
      'Soonest first. A post whose accounts go out at different times is there once for each of these times.',
    ),
  drafts: z.array(CalendarDraft).describe('Drafts with a proposed time, soonest first.'),
  slots: z
    .array(FreeSlot)
    .describe(
      'The free slots to come of the queues, soonest first; none where an account or a status is asked for.',
    ),
  more: z.boolean().describe(`There are more than ${CALENDAR_POSTS_MAX} posts; the first ones are given.`),
  more_slots: z
    .boolean()
    .describe(`There are more than ${CALENDAR_SLOTS_MAX} free slots; the first ones are given.`),
})
export type Calendar = z.infer<typeof Calendar>

export const calendarEndpoints = {
  getCalendar: endpoint({
    method: 'GET',
    path: '/calendar',
    tag: 'Posts',
    summary: 'What goes out or went out on some days',
    auth: 'bearer',
    query: z.object({
      from: z.iso
        .date()
        .refine((day) => day >= '2000-01-01' && day < '2200-01-01', 'Choose a day between 2000 and 2199.')
        .describe('The first day, such as `2026-12-24`.'),
      days: z.coerce.number().int().min(1).max(CALENDAR_DAYS_MAX),
      timezone: TimeZone.optional().describe("Default: the user's."),
      brandId: BrandId.optional().describe('Only what goes to an account of this brand.'),
      accountId: AccountId.optional().describe('Only what goes to this account.'),
      status: CalendarStatus.optional().describe(
        'Only what shows this status; `publishing` is preparing, committing and processing. Cancelled posts are left out unless asked for.',
      ),
    }),
    status: 200,
    reply: Calendar,
    problems: ['not_found'],
  }),
} as const
