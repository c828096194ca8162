import { z } from 'zod'
import { endpoint, noContent } from './http/endpoint.ts'
import { AccountId, BrandId, DeliveryId, DraftId, VideoId } from './ids.ts'
import {
  DRAFT_MAX_CHARS,
  DRAFT_TEXT_MAX_CHARS,
  DRAFT_UNDO_DAYS,
  DRAFTS_MAX,
  POST_TARGETS_MAX,
} from './limits.ts'
import { DRAFT_CHOICES, PLATFORM_IDS, PLATFORM_OPTIONS, PlatformId } from './platforms/index.ts'
import { AfterMinutes, Moment, ZonedTime, SchedulePlace, SavedPlace, SavedZonedTime } from './posts.ts'
import { PosterUrl } from './videos.ts'

/** Options as the composer keeps them, in drafts and presets. */
export const Options = z
  .record(z.string(), z.unknown())
  .describe(
    'The options as the composer keeps them. `{ posted }` holds the options of a post from which the draft was made.',
  )

/** A post that is being written. What platforms take is checked when it is published. */
export const DraftContent = z.object({
  video_id: VideoId.nullable(),
  text: z.string().max(DRAFT_TEXT_MAX_CHARS),
  platform_texts: z
    .partialRecord(PlatformId, z.string().max(DRAFT_TEXT_MAX_CHARS))
    .optional()
    .describe("Captions of a platform's accounts that have none of their own, instead of `text`."),
  platform_options: z
    .partialRecord(PlatformId, Options)
    .describe('Options shared by all accounts of a platform.'),
  targets: z
    .array(
      z.object({
        account_id: AccountId,
        text: z
          .string()
          .max(DRAFT_TEXT_MAX_CHARS)
          .nullable()
          .describe('null to use the text of its platform, else the shared one.'),
        options: Options.nullable().describe("null to use the options shared by the platform's accounts."),
        after_minutes: AfterMinutes.optional(),
      }),
    )
    .max(POST_TARGETS_MAX),
  publish_at: ZonedTime.nullable().describe('null to post now, unless it takes a slot.'),
  replaces: z
    .array(DeliveryId)
    .max(POST_TARGETS_MAX)
    .optional()
    .describe('The failed deliveries that its post will replace.'),
  schedule: SchedulePlace.optional().describe('A place in a posting schedule instead of a time.'),
})
export type DraftContent = z.infer<typeof DraftContent>

/** The same as it was saved: a browser may be older than the zone that the server knows. */
export const SavedContent = DraftContent.extend({
  publish_at: SavedZonedTime.nullable().describe('null to post now, unless it takes a slot.'),
  schedule: SavedPlace.optional().describe('A place in a posting schedule instead of a time.'),
})

/** The longest list that an option takes. */
const OPTION_ENTRIES_MAX = 250
const OPTION_NAMES = PLATFORM_IDS.flatMap((id) => [
  ...DRAFT_CHOICES[id],
  ...Object.keys(PLATFORM_OPTIONS[id].shape),
])
const OPTION_VALUES = [
  z.string().max(DRAFT_TEXT_MAX_CHARS),
  z.number(),
  z.boolean(),
  z.null(),
  z.array(z.string().max(DRAFT_TEXT_MAX_CHARS)).max(OPTION_ENTRIES_MAX),
  z.record(z.string(), z.string().max(DRAFT_TEXT_MAX_CHARS)),
] as const
/** In `posted`: the options of the post. */
const PostedOptions = z.partialRecord(z.enum(OPTION_NAMES), z.union(OPTION_VALUES))
export const AcceptedOptions: z.ZodType<z.infer<typeof Options>, z.input<typeof Options>> = z.partialRecord(
  z.enum([...OPTION_NAMES, 'posted']),
  z.union(
    [...OPTION_VALUES, PostedOptions],
    `An option is a text of up to ${DRAFT_TEXT_MAX_CHARS} characters, a number, true, false, null or a list of texts.`,
  ),
)

/** `DraftContent` as it is taken: what has no meaning is refused, so that nobody takes it for saved. */
const AcceptedContent = z.strictObject({
  ...DraftContent.shape,
  platform_options: z.partialRecord(PlatformId, AcceptedOptions),
  targets: z
    .array(
      z.strictObject({ ...DraftContent.shape.targets.element.shape, options: AcceptedOptions.nullable() }),
    )
    .max(POST_TARGETS_MAX),
})

export const Draft = z.object({
  draft_id: DraftId,
  version: z.int().describe('Starts at 1 and grows by one with each change.'),
  content: SavedContent,
  author: z.string().describe("The user's nickname."),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  deleted_at: z.iso.datetime().nullable(),
})
export type Draft = z.infer<typeof Draft>

export const DraftSummary = z.object({
  draft_id: DraftId,
  version: z.int(),
  text: z.string().describe('The first 200 characters of the shared text.'),
  video: z
    .object({ video_id: VideoId, filename: z.string(), poster_url: PosterUrl })
    .nullable()
    .describe('null if none was chosen, or if it was deleted.'),
  accounts: z.int().describe('The number of chosen accounts.'),
  account_ids: z
    .array(AccountId)
    .max(POST_TARGETS_MAX)
    .describe('The chosen accounts, in the order in which they were chosen.'),
  brand_ids: z.array(BrandId).describe('The brands of the chosen accounts.'),
  planned: z.boolean().describe('The draft has a proposed time, so the calendar shows it.'),
  planned_for: z.iso.datetime().nullable().describe('The proposed time; null: none.'),
  place: z
    .enum(['next', 'top', 'bottom'])
    .nullable()
    .describe('The place in a posting schedule that it is to take instead of a time; null: none.'),
  author: z.string().describe("The user's nickname."),
  updated_at: z.iso.datetime(),
  deleted_at: z.iso.datetime().nullable(),
})
export type DraftSummary = z.infer<typeof DraftSummary>

const byDraft = z.object({ draftId: DraftId })

export const draftEndpoints = {
  listDrafts: endpoint({
    method: 'GET',
    path: '/drafts',
    tag: 'Drafts',
    summary: 'List the drafts, latest first',
    auth: 'read',
    query: z.object({
      deleted: z
        .enum(['false', 'true'])
        .default('false')
        .describe(
          `true to list deleted drafts instead: the last ${DRAFTS_MAX} of the past ${DRAFT_UNDO_DAYS} days.`,
        ),
    }),
    status: 200,
    reply: z.object({ items: z.array(DraftSummary) }),
    problems: [],
  }),
  getDraft: endpoint({
    method: 'GET',
    path: '/drafts/:draftId',
    tag: 'Drafts',
    summary: 'Get a draft, even for a while after it was deleted',
    auth: 'read',
    params: byDraft,
    status: 200,
    reply: Draft,
    problems: ['not_found'],
  }),
  saveDraft: endpoint({
    method: 'PUT',
    path: '/drafts/:draftId',
    tag: 'Drafts',
    summary: `Save a draft of up to ${DRAFT_MAX_CHARS} characters of JSON. Version 0 creates it under an id that the caller chooses; a user has up to ${DRAFTS_MAX}. Any other version must be the stored one, else the call gets 409 \`conflict\`. Saving the same content again always succeeds`,
    auth: 'write',
    params: byDraft,
    body: z.object({
      version: z.int().min(0),
      content: AcceptedContent,
      moment: Moment.optional().describe(
        'Plans the draft in the calendar. It replaces `publish_at` and `schedule` of the content, and the reply says what they became. A draft without accounts can take a slot of any posting schedule. The slot is not reserved.',
      ),
    }),
    status: 200,
    reply: Draft,
    problems: ['invalid', 'not_found', 'conflict', 'slot_not_free', 'too_large', 'quota_exceeded'],
  }),
  deleteDraft: endpoint({
    method: 'DELETE',
    path: '/drafts/:draftId',
    tag: 'Drafts',
    summary: `Delete a draft. It can be restored for ${DRAFT_UNDO_DAYS} days`,
    auth: 'write',
    params: byDraft,
    status: 204,
    reply: noContent,
    problems: ['not_found'],
  }),
  restoreDraft: endpoint({
    method: 'POST',
    path: '/drafts/:draftId/restore',
    tag: 'Drafts',
    summary: 'Restore a deleted draft',
    auth: 'write',
    params: byDraft,
    status: 200,
    reply: Draft,
    problems: ['not_found', 'conflict'],
  }),
} as const
