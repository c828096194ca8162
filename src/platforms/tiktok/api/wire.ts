import { z } from 'zod'
import { fail, ok } from '#domain/delivery/failure.ts'
import type { Failure, Result } from '#domain/delivery/failure.ts'
import { call, parseJson, retryAfterS } from '../../kit/http.ts'
import type { Answered, HttpReply } from '../../kit/http.ts'
import { toFailure, unexpectedFailure, unreachableFailure } from '../../kit/failure-rule.ts'
import type { FailureRule } from '../../kit/failure-rule.ts'
import { API_RULES, OAUTH_RULES } from './failures.ts'

const PLATFORM = 'TikTok'

/** Bare 64-bit numbers: lists, in TikTok's spelling and in a corrected one, and the id of a video, documented as a text. */
const IDS = ['id', 'publicaly_available_post_id', 'publicly_available_post_id'] as const

/** Real bodies say `log_id`, the documentation `logid`. */
const LogId = { log_id: z.string().optional(), logid: z.string().optional() }
const Envelope = z.object({
  data: z.unknown().optional(),
  error: z.object({ code: z.string(), message: z.string().optional(), ...LogId }),
})
const OAuthError = z.object({ error: z.string(), error_description: z.string().optional(), ...LogId })

export type Api = { readonly apiUrl: string }

export async function post<T>(
  api: Api,
  path: string,
  accessToken: string,
  json: unknown,
  schema: z.ZodType<T>,
  signal?: AbortSignal,
): Promise<Result<T>> {
  const reply = await call({
    method: 'POST',
    url: `${api.apiUrl}${path}`,
    bearer: accessToken,
    json,
    ...(signal === undefined ? {} : { signal }),
  })
  return readEnvelope(reply, schema)
}

/**
 * The API envelope `{data, error}`. Success is `error.code === "ok"`, whatever the HTTP status: "Query Creator Info"
 * answers 200 "intentionally" with error codes.
 */
export function readEnvelope<T>(reply: HttpReply, schema: z.ZodType<T>): Result<T> {
  if (reply.kind === 'unreachable') return fail(unreachableFailure(PLATFORM, reply))
  const envelope = Envelope.safeParse(parseJson(reply.text, IDS))
  if (!envelope.success) return fail(foreignAnswer(reply))
  const { error, data } = envelope.data
  if (error.code === 'ok') {
    const value = schema.safeParse(data)
    return value.success
      ? ok(value.data)
      : fail(unexpectedFailure(PLATFORM, { status: reply.status, code: 'ok', text: reply.text }))
  }
  return fail(coded(reply, API_RULES, error.code, error.message, error.log_id ?? error.logid))
}

/** The token endpoints are flat, and errors may come with HTTP 200: the body decides. */
export function readOAuth<T>(reply: HttpReply, schema: z.ZodType<T>): Result<T> {
  if (reply.kind === 'unreachable') return fail(unreachableFailure(PLATFORM, reply))
  const body = parseJson(reply.text, IDS)
  const error = OAuthError.safeParse(body)
  if (error.success && error.data.error !== '') {
    const { data } = error
    return fail(coded(reply, OAUTH_RULES, data.error, data.error_description, data.log_id ?? data.logid))
  }
  const value = schema.safeParse(body)
  if (value.success) return ok(value.data)
  const envelope = Envelope.safeParse(body)
  if (envelope.success && envelope.data.error.code !== 'ok') {
    const { error: e } = envelope.data
    return fail(coded(reply, API_RULES, e.code, e.message, e.log_id ?? e.logid))
  }
  return fail(foreignAnswer(reply))
}

function coded(
  reply: Answered,
  rules: Readonly<Record<string, FailureRule>>,
  code: string,
  message: string | undefined,
  logId: string | undefined,
): Failure {
  const detail = [message ?? '', logId === undefined ? '' : `(log_id ${logId})`].join(' ').trim()
  const rule = rules[code] ?? ruleOfStatus(reply.status)
  if (rule === undefined) {
    return unexpectedFailure(PLATFORM, { status: reply.status, code: code || null, text: detail })
  }
  return toFailure(
    code === '' ? `http_${reply.status}` : code,
    withRetryAfter(reply, rule),
    detail === '' ? null : detail,
  )
}

/** No page promises a Retry-After, so it is clamped. */
const RETRY_AFTER_S = { least: 5, most: 3600 }

function withRetryAfter(reply: Answered, rule: FailureRule): FailureRule {
  const wait = retryAfterS(reply)
  if (rule.kind !== 'throttled' || rule.limit || wait === null) return rule
  return { ...rule, retryAfterS: Math.min(Math.max(wait, RETRY_AFTER_S.least), RETRY_AFTER_S.most) }
}

const ruleOfStatus = (status: number): FailureRule | undefined => {
  if (status === 429) return API_RULES['rate_limit_exceeded']
  return status >= 500 ? API_RULES['internal_error'] : undefined
}

function foreignAnswer(reply: Answered): Failure {
  const rule = ruleOfStatus(reply.status)
  return rule === undefined
    ? unexpectedFailure(PLATFORM, { status: reply.status, code: null, text: reply.text })
    : toFailure(`http_${reply.status}`, withRetryAfter(reply, rule), reply.text)
}

export const TokenAnswer = z.object({
  access_token: z.string().min(1),
  expires_in: z.number(),
  open_id: z.string().min(1),
  refresh_token: z.string().min(1),
  refresh_expires_in: z.number(),
  scope: z.string(),
})
export type TokenAnswer = z.infer<typeof TokenAnswer>

/** Rejecting a new pair for a missing figure would lose the account: only the token is required. */
export const RefreshAnswer = TokenAnswer.pick({ access_token: true }).extend({
  expires_in: z.number().positive().catch(86_400),
  refresh_token: z.string().min(1).optional().catch(undefined),
  refresh_expires_in: z.number().positive().optional().catch(undefined),
})

export const UserInfo = z.object({
  user: z.object({
    open_id: z.string().min(1),
    avatar_url: z.string().nullish(),
    display_name: z.string().nullish(),
  }),
})

export const CreatorInfo = z.object({
  creator_avatar_url: z.string().nullish(),
  creator_username: z.string(),
  creator_nickname: z.string(),
  privacy_level_options: z.array(z.string()),
  comment_disabled: z.boolean().default(false),
  duet_disabled: z.boolean().default(false),
  stitch_disabled: z.boolean().default(false),
  max_video_post_duration_sec: z.number().int().positive(),
})
export type CreatorInfo = z.infer<typeof CreatorInfo>

export const InitAnswer = z.object({ publish_id: z.string().min(1), upload_url: z.string().min(1) })

/** Only the status is required. Unknown forms of the other fields are dropped. */
export const StatusAnswer = z
  .object({
    status: z.string(),
    fail_reason: z.string().optional().catch(undefined),
    publicaly_available_post_id: z.array(z.string()).optional().catch(undefined),
    publicly_available_post_id: z.array(z.string()).optional().catch(undefined),
    uploaded_bytes: z.number().optional().catch(undefined),
  })
  .transform(({ publicaly_available_post_id, publicly_available_post_id, ...status }) => ({
    ...status,
    post_ids: publicaly_available_post_id ?? publicly_available_post_id ?? [],
  }))
export type StatusAnswer = z.infer<typeof StatusAnswer>
