import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { BrandId, PostId } from '../ids.ts'
import {
  IMPORT_BODY_MAX_BYTES,
  IMPORT_CELLS_MAX,
  IMPORT_ERRORS_MAX,
  IMPORT_LINES_MAX,
  IMPORT_TARGETS_MAX,
  IMPORT_TEXT_CHARS,
} from '../limits.ts'
import { PLATFORM_IDS, PLATFORM_OPTIONS, PlatformId } from '../platforms/index.ts'
import { ListDay } from '../search.ts'

/** The columns of a file of posts, as its first line names them. */
export const IMPORT_COLUMNS = ['caption', 'video', 'accounts', 'time', 'zone', 'spread'] as const
const HANDLES = PLATFORM_IDS.map((id) => `${id}:@nova`).join(' ')

/** A post to the platform needs no options, for which a line has no column. */
export const hasDefaults = (platform: PlatformId): boolean => PLATFORM_OPTIONS[platform].safeParse({}).success

export const ImportColumn = z.enum(IMPORT_COLUMNS)
export type ImportColumn = z.infer<typeof ImportColumn>

export const ImportError = z.object({
  line: z.int().describe('The line at which the post begins. The first line of the file is 1.'),
  column: ImportColumn.nullable().describe(
    'The column with the error. null if the error is about the whole line or file.',
  ),
  message: z.string(),
})
export type ImportError = z.infer<typeof ImportError>

export const ImportedLine = z.object({
  line: z.int(),
  text: z.string().describe(`The first ${IMPORT_TEXT_CHARS} characters of the caption.`),
  filename: z.string(),
  accounts: z.array(z.object({ platform: PlatformId, name: z.string(), avatar_url: z.string().nullable() })),
  at: z.iso.datetime().describe('The time at which it would go out.'),
  timezone: z.string().describe('The time zone in which the time was read.'),
  last_at: z.iso.datetime().describe('The time at which its last account would get it.'),
})
export type ImportedLine = z.infer<typeof ImportedLine>

export const PostImport = z.object({
  posts: z
    .int()
    .describe('The number of posts that were made. In a dry run: the number of lines without an error.'),
  post_ids: z.array(PostId).describe('The posts that were made, in the order of the file.'),
  errors: z
    .array(ImportError)
    .describe(`The errors of a dry run in the order of the file, up to ${IMPORT_ERRORS_MAX}.`),
  lines: z.array(ImportedLine).describe('The posts that a dry run would make.'),
})
export type PostImport = z.infer<typeof PostImport>

/** The first line of an export names these. */
export const EXPORT_COLUMNS = [
  'post_id',
  'time',
  'zone',
  'brand',
  'platform',
  'account',
  'video',
  'caption',
  'status',
  'published_at',
  'link',
  'reason',
  'remedy',
] as const

export const csvEndpoints = {
  importPosts: endpoint({
    method: 'POST',
    path: '/posts/import',
    tag: 'Posts',
    summary: `Schedule the posts of a CSV file, all or none: up to ${IMPORT_LINES_MAX} lines, ${IMPORT_CELLS_MAX} cells and ${IMPORT_TARGETS_MAX} deliveries. Each post is checked like one of POST /posts and uses its platform's default options. Errors are named like \`lines.12.video\`; a dry run returns them as a list`,
    auth: 'publish',
    body: z.object({
      csv: z
        .string()
        .describe(
          `The first line names the columns, in any order: caption, video (its name in the library, or its id), accounts (${HANDLES}, or ids, or a set as \`set:"All shops"\`), time (2026-12-24 18:30) and optionally zone (by default that of the accounts' brand, else yours) and spread (the minutes over which its accounts get it, evenly in their order). Cells are separated by commas, semicolons or tabs. An apostrophe before a formula, as the export writes it, is removed.`,
        ),
      dry_run: z.boolean().default(false).describe('true to check the file without making posts.'),
    }),
    maxBodyBytes: IMPORT_BODY_MAX_BYTES,
    idempotent: true,
    status: 200,
    reply: PostImport,
    problems: ['invalid', 'conflict', 'too_large'],
  }),
  exportPosts: endpoint({
    method: 'GET',
    path: '/posts/export',
    tag: 'Posts',
    summary:
      'Export the posts and what happened to them as a CSV file: one line for each delivery, in the order in which they go out',
    auth: 'read',
    query: z.object({
      brandId: BrandId.optional(),
      from: ListDay.optional().describe('The first day, in your time zone.'),
      to: ListDay.optional().describe('The last day.'),
    }),
    download: 'text/csv',
    status: 200,
    reply: z
      .string()
      .describe(
        `UTF-8 with the columns ${EXPORT_COLUMNS.join(', ')}. An apostrophe precedes everything that a spreadsheet would read as a formula, even after a semicolon or a line break.`,
      ),
    problems: ['not_found'],
  }),
} as const
