import { z } from 'zod'
import { endpoint, noContent } from './http/endpoint.ts'
import { BrandId, PostId } from './ids.ts'
import { REPORT_LINK_DAYS_MAX, REPORT_NOTE_MAX_CHARS } from './limits.ts'
import { PlatformId } from './platforms/index.ts'
import { Band, Measured } from './results.ts'
import { PosterUrl } from './videos.ts'

/** Years of four digits, none before posts. */
export const Month = z.string().regex(/^2\d{3}-(0[1-9]|1[0-2])$/, 'Give the month as YYYY-MM.')

const total = (what: string) =>
  z
    .object({ value: z.int(), counted: z.int(), of: z.int() })
    .describe(
      `${what} when they were 7 days old. \`counted\` of \`of\` posts told it; the others have no number yet, or never will.`,
    )

const ofPlatform = z.object({ platform: PlatformId, value: z.int(), counted: z.int(), of: z.int() })

/** The numbers of a brand's month. */
const ReportNumbers = z.object({
  videos: z.int().describe('The videos that went out.'),
  live: z.int().describe('Posts that went live, each on one account.'),
  views: z
    .array(ofPlatform)
    .describe(
      'Their views when they were 7 days old, by platform. Platforms count views in different ways, so these are not added up.',
    ),
  likes: total('Their likes'),
  comments: total('Their comments'),
  followers_gained: z
    .array(ofPlatform)
    .describe(
      'The followers that they had brought when they were 7 days old, one for each platform that reports it. It may report it days late.',
    ),
})
export type ReportNumbers = z.infer<typeof ReportNumbers>

const ReportPost = z.object({
  post_id: PostId,
  platform: PlatformId,
  username: z.string().nullable(),
  display_name: z.string(),
  text: z.string().describe('The caption on that account.'),
  poster_url: PosterUrl,
  url: z.string().nullable().describe('The address of the live post, if it is known.'),
  live_at: z.iso.datetime(),
  views: Measured.describe('When it was 7 days old.'),
  usual: z.number().nullable().describe("The median of the account's last posts at that age."),
  band: Band.nullable(),
})
export type ReportPost = z.infer<typeof ReportPost>

export const Report = z.object({
  brand_title: z.string(),
  month: Month,
  timezone: z.string().describe("The zone of the month's days: the brand's, or its user's."),
  note: z.string().describe('What the agency says of it.'),
  numbers: ReportNumbers,
  last_month: ReportNumbers,
  best: ReportPost.nullable().describe(
    'The post that is furthest above what its account is used to. null if none is above it.',
  ),
  weakest: ReportPost.nullable().describe('The one furthest below. null if none is below it.'),
})
export type Report = z.infer<typeof Report>

export const OwnReport = Report.extend({
  link_expires_at: z.iso.datetime().nullable().describe('null if nobody else can read it.'),
})
export type OwnReport = z.infer<typeof OwnReport>

/** Answered once: only a hash of it is stored. */
export const NewReportLink = z.object({
  url: z
    .string()
    .describe('The address of the report. Anybody who has it can read this report and nothing else.'),
  expires_at: z.iso.datetime(),
})
export type NewReportLink = z.infer<typeof NewReportLink>

const byMonth = z.object({ brandId: BrandId, month: Month })

export const reportEndpoints = {
  getReport: endpoint({
    method: 'GET',
    path: '/brands/:brandId/reports/:month',
    tag: 'Results',
    summary: 'Show what a brand did in a month, against the month before',
    auth: 'read',
    params: byMonth,
    status: 200,
    reply: OwnReport,
    problems: ['not_found'],
  }),
  setReportNote: endpoint({
    method: 'PUT',
    path: '/brands/:brandId/reports/:month',
    tag: 'Results',
    summary: "Save the words that stand above a month's numbers",
    auth: 'write',
    params: byMonth,
    body: z.object({ note: z.string().max(REPORT_NOTE_MAX_CHARS) }),
    status: 204,
    reply: noContent,
    problems: ['invalid', 'not_found'],
  }),
  createReportLink: endpoint({
    method: 'POST',
    path: '/brands/:brandId/reports/:month/link',
    tag: 'Results',
    summary:
      'Create the address at which a client reads the report without an account. An earlier address of it stops working',
    auth: 'session',
    params: byMonth,
    body: z.object({ days: z.int().min(1).max(REPORT_LINK_DAYS_MAX).describe('The days until it ends.') }),
    status: 201,
    reply: NewReportLink,
    problems: ['invalid', 'not_found'],
  }),
  deleteReportLink: endpoint({
    method: 'DELETE',
    path: '/brands/:brandId/reports/:month/link',
    tag: 'Results',
    summary: 'End the address of the report',
    auth: 'write',
    params: byMonth,
    status: 204,
    reply: noContent,
    problems: ['not_found'],
  }),
  getSharedReport: endpoint({
    method: 'GET',
    path: '/reports/:token',
    tag: 'Results',
    summary: 'Read a report by its secret address',
    auth: 'none',
    params: z.object({ token: z.string().max(100) }),
    status: 200,
    reply: Report,
    problems: ['not_found'],
  }),
} as const
