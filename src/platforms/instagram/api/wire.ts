import { z } from 'zod'
import { fail, ok } from '#domain/delivery/failure.ts'
import type { Failure, Result } from '#domain/delivery/failure.ts'
import { call, parseJson, retryAfterS } from '../../kit/http.ts'
import type { Answered, Call, HttpReply } from '../../kit/http.ts'
import { toFailure, unexpectedFailure, unreachableFailure } from '../../kit/failure-rule.ts'
import { Count } from '../../kit/numbers.ts'
import { GRAPH_VERSION } from './config.ts'
import type { InstagramConfig } from './config.ts'
import { findRule } from './failures.ts'
import { UNKNOWN } from './graph-rules.ts'
import { linkRule } from './link-rules.ts'
import type { GraphError } from './failures.ts'
import type { OnUsage } from '../../kit/platform.ts'
import { readUsage } from './usage.ts'

const PLATFORM = 'Instagram'

/** Often bare numbers above 2^53, sometimes strings. */
const IDS = ['id', 'user_id'] as const

const GraphErrorAnswer = z.object({
  error: z.object({
    message: z.string().default(''),
    code: z.number(),
    error_subcode: z.number().optional(),
    is_transient: z.boolean().optional(),
    error_user_title: z.string().optional(),
    error_user_msg: z.string().optional(),
    fbtrace_id: z.string().optional(),
  }),
})

/** Business Login guide: the token endpoint's own, flat shape. */
const LinkErrorAnswer = z.object({
  error_type: z.string().optional(),
  code: z.number().optional(),
  error_message: z.string(),
})

/** An answer with the details that classify it more precisely than its failure does. */
export type Graph<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false
      readonly failure: Failure
      readonly error: GraphError | null
      readonly unsent: boolean
    }

/** A call of the versioned Graph API. Token and text go into header and form body, never into an address or a log. */
export async function graph<T>(
  config: InstagramConfig,
  request: Omit<Call, 'url'> & { readonly path: string; readonly onUsage?: OnUsage | undefined },
  schema: z.ZodType<T>,
): Promise<Graph<T>> {
  const { path, onUsage, ...rest } = request
  const reply = await call({ ...rest, url: `${config.graphUrl}/${GRAPH_VERSION}${path}` })
  if (reply.kind === 'answered') onUsage?.(readUsage(reply.headers))
  return readGraph(reply, schema)
}

/** The HTTP status is nearly useless here: throttling comes as 400, dead tokens as 400 or 401. */
export function readGraph<T>(reply: HttpReply, schema: z.ZodType<T>): Graph<T> {
  if (reply.kind === 'unreachable') {
    return {
      ok: false,
      failure: unreachableFailure(PLATFORM, reply),
      error: null,
      unsent: !reply.maybeExecuted,
    }
  }
  const body = parseJson(reply.text, IDS)
  const failed = GraphErrorAnswer.safeParse(body)
  if (failed.success) {
    const { error } = failed.data
    const known = {
      code: error.code,
      subcode: error.error_subcode ?? null,
      message: error.message,
      transient: error.is_transient ?? false,
    }
    const words = [error.message, error.error_user_title, error.error_user_msg]
    const trace = error.fbtrace_id === undefined ? null : `(fbtrace_id ${error.fbtrace_id})`
    const detail = [...words, trace].filter((part) => part != null && part !== '').join(' ')
    return { ok: false, failure: graphFailure(reply, known, detail), error: known, unsent: false }
  }
  const value = schema.safeParse(body)
  if (value.success) return { ok: true, value: value.data }
  return { ok: false, failure: foreignAnswer(reply, body), error: null, unsent: false }
}

function graphFailure(reply: Answered, error: GraphError, detail: string): Failure {
  const code = error.subcode === null ? String(error.code) : `${error.code}/${error.subcode}`
  const rule = findRule(error) ?? (reply.status >= 500 ? UNKNOWN : null)
  if (rule === null) return unexpectedFailure(PLATFORM, { status: reply.status, code, text: detail })
  if (rule.kind !== 'throttled' || rule.limit) return toFailure(code, rule, detail)
  const { regainS } = readUsage(reply.headers)
  const told = regainS > 0 ? regainS : retryAfterS(reply)
  const waits = told === null ? {} : { retryAfterS: Math.max(told, 1), laterS: [] }
  return toFailure(code, { ...rule, ...waits }, detail)
}

/** A gateway's page or an empty body is not Instagram's answer, whatever its status. Unknown JSON is. */
const foreignAnswer = (reply: Answered, body: unknown): Failure =>
  reply.status >= 500 || body === undefined
    ? toFailure(`http_${reply.status}`, UNKNOWN, reply.text)
    : unexpectedFailure(PLATFORM, { status: reply.status, code: null, text: reply.text })

/** `api.instagram.com/oauth/access_token` has flat errors and several shapes of answers. */
export function readLink<T>(reply: HttpReply, schema: z.ZodType<T>): Result<T> {
  if (reply.kind === 'answered') {
    const refused = LinkErrorAnswer.safeParse(parseJson(reply.text, IDS))
    if (refused.success && reply.status < 500) {
      const { code, rule } = linkRule(refused.data.error_message)
      return fail(toFailure(code, rule, refused.data.error_message))
    }
  }
  const answer = readGraph(reply, schema)
  return answer.ok ? ok(answer.value) : fail(answer.failure)
}

/** The documentation wraps objects as `{"data":[{…}]}`; real answers are flat. */
const flatOrWrapped = <T>(schema: z.ZodType<T>) =>
  z.union([z.object({ data: z.tuple([schema], z.unknown()) }).transform(({ data }) => data[0]), schema])

/** Instagram's ids go into addresses: digits only. */
const Id = z.string().regex(/^\d{1,32}$/)

/** `permissions` is a text in the documentation and a list in real answers. */
export const ShortToken = flatOrWrapped(
  z.object({
    access_token: z.string().min(1),
    permissions: z.union([z.string().transform((text) => text.split(',')), z.array(z.string())]).nullish(),
  }),
)

/** Business Login guide: `expires_in` in seconds, about 60 days. */
export const LongToken = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() })

export const Me = flatOrWrapped(
  z.object({
    id: Id.optional(),
    user_id: Id,
    username: z.string(),
    name: z.string().optional(),
    account_type: z.string().optional(),
    profile_picture_url: z.string().optional(),
  }),
)

export type Me = z.infer<typeof Me>

export const Created = z.object({ id: Id })

/** The answer of a call that changes something. With any other answer the change is unknown. */
export const Changed = z.object({ success: z.literal(true) })

export const Container = z.object({ status_code: z.string().default(''), status: z.string().optional() })
export type Container = z.infer<typeof Container>

export const Media = z.object({ id: Id, permalink: z.string().optional() })

export const MediaList = z.object({
  data: z.array(
    z.object({
      id: Id,
      permalink: z.string().optional(),
      caption: z.string().optional(),
      timestamp: z.string().optional(),
      media_type: z.string().optional(),
    }),
  ),
  paging: z.object({ next: z.string().optional() }).optional(),
})

export const CommentList = z.object({
  data: z.array(
    z.object({
      id: Id,
      text: z.string().optional(),
      username: z.string().optional(),
      timestamp: z.string().optional(),
    }),
  ),
  paging: z.object({ cursors: z.object({ after: z.string().optional() }).optional() }).optional(),
})
export type CommentList = z.infer<typeof CommentList>

/** Media insights (2026-06-18): `values` has one entry for the whole life; answers with a breakdown have `total_value` instead. */
export const Insights = z.object({
  data: z.array(
    z.object({
      name: z.string(),
      values: z
        .array(z.object({ value: Count }))
        .optional()
        .catch(undefined),
      total_value: z.object({ value: Count }).optional().catch(undefined),
    }),
  ),
})
export type Insights = z.infer<typeof Insights>

export const PublishingLimit = z.object({
  data: z
    .array(
      z.object({
        quota_usage: z.number().optional(),
        config: z.object({ quota_total: z.number().optional() }).optional(),
      }),
    )
    .min(1),
})
