import { z } from 'zod'
import { BlockedCause, DeliveryStatus } from '../deliveries.ts'
import { endpoint } from '../http/endpoint.ts'
import { AccountId, BrandId, DraftId, PostId, ScheduleId } from '../ids.ts'
import { CALENDAR_DAYS_MAX, CALENDAR_POSTS_MAX, CALENDAR_SLOTS_MAX, CALENDAR_TEXT_CHARS } from '../limits.ts'
import { PlatformId } from '../platforms/index.ts'
import { SavedZonedTime } from '../posts.ts'
import { TimeZone } from '../users.ts'
import { FreeSlot } from './schedules.ts'
import { PosterUrl } from '../videos.ts'

const Mark = z.object({ platform: PlatformId, accounts: z.int() })

const Entry = z.object({
  at: z.iso.datetime().describe('The time at which the post goes out or went out.'),
  text: z.string().describe(`The shared text, cut with "…" to ${CALENDAR_TEXT_CHARS} characters.`),
  poster_url: PosterUrl,
  brand_id: BrandId.nullable().describe('null if the accounts belong to several brands.'),
  marks: z.array(Mark).describe('The platforms that it goes to, in the order in which they were chosen.'),
  slot: SavedZonedTime.extend({
    schedule_id: ScheduleId,
    at: z.iso
      .datetime()
      .describe('The time at which the slot begins. With jitter, the post goes out some minutes later.'),
  })
    .nullable()
    .describe('The slot of a posting schedule that the post has, or that the draft proposes.'),
})

export const CalendarPost = Entry.extend({
  post_id: PostId,
  last_at: z.iso.datetime().describe('The time at which the last of these accounts gets it.'),
  post_at: z.iso
    .datetime()
    .describe(
      "The post's own time, from which the distances of its accounts are counted. A move changes it.",
    ),
  version: z.int().describe('Send this version with a change.'),
  timezone: z
    .string()
    .nullable()
    .describe('The time zone in which its time was chosen. null if it was sent at once.'),
  status: DeliveryStatus.describe(
    'The status to show. With several accounts: the one that most needs attention, else the one that is furthest from done.',
  ),
  settled: z
    .boolean()
    .describe(
      'The post failed, and each failure was dismissed or replaced by a newer post, so it needs nobody.',
    ),
  held_for: BlockedCause.nullable().describe(
    'The reason why the post waits. A scheduled post has `paused` from the moment of a pause that it falls into.',
  ),
  fixed: z
    .string()
    .nullable()
    .describe('The reason why the post cannot be moved, as a sentence. null if it can be moved.'),
})
export type CalendarPost = z.infer<typeof CalendarPost>

export const CalendarDraft = Entry.extend({
  draft_id: DraftId,
  version: z.int(),
  publish_at: SavedZonedTime.describe('The proposed time. `at` is the same moment in UTC.'),
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
  timezone: z.string().describe("The time zone of the days: the one asked for, else the user's."),
  posts: z
    .array(CalendarPost)
    .describe(
      'Soonest first. A post whose accounts get it an hour or more apart is listed once for each of these times.',
    ),
  drafts: z.array(CalendarDraft).describe('Drafts with a proposed time, soonest first.'),
  slots: z
    .array(FreeSlot)
    .describe('The free slots to come, soonest first. Empty when filtered by account or status.'),
  more: z.boolean().describe(`There are more than ${CALENDAR_POSTS_MAX} posts; only the first are returned.`),
  more_slots: z
    .boolean()
    .describe(`There are more than ${CALENDAR_SLOTS_MAX} free slots; only the first are returned.`),
})
export type Calendar = z.infer<typeof Calendar>

export const calendarEndpoints = {
  getCalendar: endpoint({
    method: 'GET',
    path: '/calendar',
    tag: 'Posts',
    summary: 'List what goes out or went out in a range of days',
    auth: 'read',
    query: z.object({
      from: z.iso
        .date()
        .refine((day) => day >= '2000-01-01' && day < '2200-01-01', 'Choose a day between 2000 and 2199.')
        .describe('The first day, such as `2026-12-24`.'),
      days: z.coerce.number().int().min(1).max(CALENDAR_DAYS_MAX),
      timezone: TimeZone.optional().describe("By default the user's time zone."),
      brandId: BrandId.optional().describe('Only posts to accounts of this brand.'),
      accountId: AccountId.optional().describe('Only posts to this account.'),
      status: CalendarStatus.optional().describe(
        'Only posts that show this status. `publishing` means preparing, committing or processing. Cancelled posts are left out unless asked for.',
      ),
    }),
    status: 200,
    reply: Calendar,
    problems: ['not_found'],
  }),
} as const
