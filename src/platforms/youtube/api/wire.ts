import { z } from 'zod'
import { fail, ok } from '#domain/delivery/failure.ts'
import type { Failure, Result } from '#domain/delivery/failure.ts'
import { type FailureRule, toFailure, unexpectedFailure, unreachableFailure } from '../../kit/failure-rule.ts'
import { type Answered, type Call, call, type HttpReply, parseJson, retryAfterS } from '../../kit/http.ts'
import { Count } from '../../kit/numbers.ts'
import type { Deps } from './config.ts'
import { type Bucket, findRule, OAUTH_RULES, ruleOfStatus, type YouTubeError } from './failures.ts'

export const PLATFORM = 'YouTube'

const ErrorAnswer = z.object({
  error: z.object({
    code: z.number().optional().catch(undefined),
    message: z.string().default('').catch(''),
    status: z.string().optional().catch(undefined),
    errors: z
      .array(z.object({ reason: z.string().optional(), domain: z.string().optional() }))
      .optional()
      .catch(undefined),
    details: z
      .array(z.object({ reason: z.string().optional() }).loose())
      .optional()
      .catch(undefined),
  }),
})

const OAuthError = z.object({ error: z.string().min(1), error_description: z.string().optional() })

/** An answer with the details that classify it more precisely than its failure does. */
export type Api<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false
      readonly failure: Failure
      readonly error: YouTubeError | null
      readonly unsent: boolean
    }

/** A call of the Data API, or of another API at `baseUrl`. Token and text go into header and body, never into an address or a log. */
export async function api<T>(
  { config, now }: Deps,
  request: Omit<Call, 'url'> & {
    readonly path: string
    readonly baseUrl?: string
    readonly bucket?: Bucket
  },
  schema: z.ZodType<T>,
): Promise<Api<T>> {
  const { path, baseUrl = config.apiUrl, bucket = 'units', ...rest } = request
  return readApi(await call({ ...rest, url: `${baseUrl}${path}` }), schema, { bucket, now: now() })
}

/** @param about the quota that the call counts against, and the time (epoch ms) */
export function readApi<T>(
  reply: HttpReply,
  schema: z.ZodType<T>,
  about: { readonly bucket: Bucket; readonly now: number },
): Api<T> {
  if (reply.kind === 'unreachable') {
    return {
      ok: false,
      failure: unreachableFailure(PLATFORM, reply),
      error: null,
      unsent: !reply.maybeExecuted,
    }
  }
  const refused = readRefusal(reply, about)
  if (refused !== null) return { ok: false, ...refused, unsent: false }
  const body = parseJson(reply.text, NO_IDS)
  const value = reply.status < 300 ? schema.safeParse(body) : null
  if (value?.success) return { ok: true, value: value.data }
  return { ok: false, failure: foreignAnswer(reply), error: null, unsent: false }
}

/** Google's ids are texts. */
const NO_IDS = ['_'] as const

/** "Errors" (2026-06-01): an error in Google's own form; `null`: the answer has none. */
export function readRefusal(
  reply: Answered,
  about: { readonly bucket: Bucket; readonly now: number },
): { readonly failure: Failure; readonly error: YouTubeError } | null {
  const parsed = ErrorAnswer.safeParse(parseJson(reply.text, NO_IDS))
  if (!parsed.success || reply.status < 400) return null
  const { message, status = '', errors = [], details = [] } = parsed.data.error
  // Newer answers may have the last two alone.
  const reason = errors[0]?.reason ?? details.find((one) => one.reason !== undefined)?.reason ?? status
  const words = `${message} ${JSON.stringify(details)}`
  const error = { status: reply.status, reason, isDaily: /per ?day/i.test(words) }
  const rule = findRule(error, about.bucket, about.now)
  const code = reason === '' ? `http_${reply.status}` : reason
  const failure =
    rule === null
      ? unexpectedFailure(PLATFORM, { status: reply.status, code, text: plain(message) })
      : toFailure(code, withRetryAfter(reply, rule), plain(message))
  return { failure, error }
}

/** Messages may contain HTML. */
const plain = (message: string): string => message.replaceAll(/<[^>]*>/g, '')

const RETRY_AFTER_S = { least: 1, most: 3600 }

function withRetryAfter(reply: Answered, rule: FailureRule): FailureRule {
  const wait = retryAfterS(reply)
  if (rule.kind !== 'throttled' || rule.limit || wait === null) return rule
  return { ...rule, retryAfterS: Math.min(Math.max(wait, RETRY_AFTER_S.least), RETRY_AFTER_S.most) }
}

/** A gateway's page or an empty body is not YouTube's answer. */
export function foreignAnswer(reply: Answered): Failure {
  const rule = ruleOfStatus(reply.status)
  return rule === null
    ? unexpectedFailure(PLATFORM, { status: reply.status, code: null, text: reply.text })
    : toFailure(`http_${reply.status}`, withRetryAfter(reply, rule), reply.text)
}

/** `oauth2.googleapis.com` has flat errors. */
export function readOAuth<T>(reply: HttpReply, schema: z.ZodType<T>): Result<T> {
  if (reply.kind === 'unreachable') return fail(unreachableFailure(PLATFORM, reply))
  const body = parseJson(reply.text, NO_IDS)
  const refused = OAuthError.safeParse(body)
  if (refused.success && reply.status < 500) {
    const { error, error_description: detail = '' } = refused.data
    const rule = OAUTH_RULES[error] ?? ruleOfStatus(reply.status === 401 ? 400 : reply.status)
    return fail(
      rule === null
        ? unexpectedFailure(PLATFORM, { status: reply.status, code: error, text: detail })
        : toFailure(error, withRetryAfter(reply, rule), detail === '' ? null : detail),
    )
  }
  const value = reply.status < 300 ? schema.safeParse(body) : null
  return value?.success ? ok(value.data) : fail(foreignAnswer(reply))
}

export const TokenAnswer = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().positive().catch(3599),
  refresh_token: z.string().min(1).optional(),
  /** Only where the access ends at a fixed time. */
  refresh_token_expires_in: z.number().positive().optional().catch(undefined),
  scope: z.string().default(''),
  id_token: z.string().optional().catch(undefined),
})
export type TokenAnswer = z.infer<typeof TokenAnswer>

/** Ids go into addresses. */
const Id = z.string().regex(/^[\w-]{1,64}$/)

const Picture = z.object({ url: z.string() }).optional()

export const Channels = z.object({
  items: z
    .array(
      z.object({
        id: Id,
        snippet: z.object({
          title: z.string(),
          customUrl: z.string().optional(),
          thumbnails: z.object({ default: Picture, medium: Picture, high: Picture }).optional(),
        }),
        contentDetails: z
          .object({ relatedPlaylists: z.object({ uploads: Id.optional() }).optional() })
          .optional(),
        status: z.object({ longUploadsStatus: z.string().optional() }).optional(),
      }),
    )
    .default([]),
})
export type Channel = z.infer<typeof Channels>['items'][number]

export const Inserted = z.object({ id: Id })

export const Videos = z.object({
  items: z
    .array(
      z.object({
        id: Id,
        snippet: z
          .object({
            title: z.string().optional(),
            description: z.string().optional(),
            thumbnails: z.record(z.string(), z.object({ url: z.string() })).optional(),
          })
          .optional(),
        status: z
          .object({
            uploadStatus: z.string().optional(),
            failureReason: z.string().optional(),
            rejectionReason: z.string().optional(),
            privacyStatus: z.string().optional(),
          })
          .optional(),
        statistics: z.object({ viewCount: Count, likeCount: Count, commentCount: Count }).optional(),
        processingDetails: z.object({ processingStatus: z.string().optional() }).optional(),
        fileDetails: z
          .object({
            /** A 64-bit number as a text. */
            fileSize: z.union([z.string(), z.number()]).optional(),
            durationMs: z.union([z.string(), z.number()]).optional(),
          })
          .optional(),
      }),
    )
    .default([]),
})
export type Video = z.infer<typeof Videos>['items'][number]

/** Without `rows` there is nothing in the report. */
export const Report = z.object({
  columnHeaders: z.array(z.object({ name: z.string() })).default([]),
  rows: z.array(z.array(z.unknown())).default([]),
})
export type Report = z.infer<typeof Report>

export const PlaylistItems = z.object({
  items: z
    .array(
      z.object({
        snippet: z.object({ publishedAt: z.string().optional() }).optional(),
        contentDetails: z.object({ videoId: Id, videoPublishedAt: z.string().optional() }),
      }),
    )
    .default([]),
  nextPageToken: z.string().optional(),
})

const Comment = z.object({
  id: z.string().min(1),
  snippet: z
    .object({
      textOriginal: z.string().optional(),
      textDisplay: z.string().optional(),
      authorChannelId: z.object({ value: z.string() }).optional(),
      publishedAt: z.string().optional(),
    })
    .optional(),
})

const Thread = z.object({
  id: z.string().min(1),
  snippet: z.object({ topLevelComment: Comment }),
})
export const CommentMade = Thread
export const CommentThreads = z.object({
  items: z.array(Thread).default([]),
  nextPageToken: z.string().optional(),
})
export type CommentThread = z.infer<typeof Thread>
