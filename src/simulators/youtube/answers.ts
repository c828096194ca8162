import type { FastifyRequest } from 'fastify'
import { parseQuery, readBearer } from '../kit/http/body.ts'
import type { Answer, Call, Dialect, Outcome } from '../kit/http/serve.ts'
import { newApp, type AccessToken, type Bucket, type Creator, type YouTube } from './state.ts'

export const json = (status: number, body: object): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=UTF-8', 'cache-control': 'private' },
  body: JSON.stringify(body),
})

interface ApiError {
  status: number
  reason: string
  message: string
  domain?: string
  location?: string
  /** The reason in `details`, in newer answers. */
  info?: string
}

const statusNames: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ALREADY_EXISTS',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
}

/** "status and details only in newer answers": a setting leaves them out, or leaves nothing else. */
export function apiError(youtube: YouTube, error: ApiError): Answer {
  const { status, reason, message, domain = 'global', location, info } = error
  const shape = youtube.settings.get().youtube_error_shape
  const errors = [{ message, domain, reason, ...(location !== undefined && { location }) }]
  const detail = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: info,
    domain: 'googleapis.com',
  }
  const newer = {
    status: statusNames[status] ?? 'UNKNOWN',
    ...(info !== undefined && { details: [detail] }),
  }
  return json(status, {
    error: {
      code: status,
      message,
      ...(shape !== 'status' && { errors }),
      ...(shape !== 'reasons' && newer),
    },
  })
}

export const badRequest = (
  youtube: YouTube,
  reason: string,
  message: string,
  domain = 'youtube.api',
): Answer => apiError(youtube, { status: 400, reason, message, domain })

export const notFound = (youtube: YouTube, reason: string, message: string): Answer =>
  apiError(youtube, { status: 404, reason, message, domain: 'youtube.api' })

export const forbidden = (youtube: YouTube, reason: string, message: string): Answer =>
  apiError(youtube, { status: 403, reason, message, domain: 'youtube.api' })

export interface Caller {
  creator: Creator
  query: URLSearchParams
}

/** The bucket of the app's project that a call is charged to, and how much. */
export type Cost = { bucket: Bucket; cost: number }

export interface ApiCall extends Cost {
  scope: string
  /** The query parameters of the method, beside `part`. */
  parameters: string[]
  /** `part` is required and may name these. */
  parts?: string[]
  /** Persons without a channel may make it. */
  withoutChannel?: boolean
  run: (youtube: YouTube, call: Call, caller: Caller) => Answer | Promise<Answer>
}

/** Checks what all calls share: token, quota, scope, account and query. Every call is counted, also an invalid one. */
export const apiCall =
  (youtube: YouTube, method: ApiCall) =>
  async (call: Call): Promise<Outcome> => {
    const creator = authenticate(youtube, call.request)
    if ('status' in creator) {
      charge(youtube, method, 1)
      return creator
    }
    if (used(youtube)[method.bucket] + method.cost > limitOf(youtube, method.bucket))
      return quotaExceeded(youtube)
    const answer =
      refuseCaller(youtube, method, call.request, creator) ??
      (await method.run(youtube, call, { creator, query: parseQuery(call.request) }))
    charge(youtube, method, answer.status < 400 ? method.cost : 1)
    return answer
  }

function refuseCaller(
  youtube: YouTube,
  method: ApiCall,
  request: FastifyRequest,
  creator: Creator,
): Answer | null {
  const { api_enabled, analytics_enabled } = youtube.app.get('app') ?? newApp()
  const [api, isEnabled] =
    method.bucket === 'reports'
      ? ['YouTube Analytics API', analytics_enabled]
      : ['YouTube Data API v3', api_enabled]
  if (!isEnabled) {
    const message = `${api} has not been used in this project before or it is disabled.`
    return apiError(youtube, {
      status: 403,
      reason: 'accessNotConfigured',
      domain: 'usageLimits',
      message,
      info: 'SERVICE_DISABLED',
    })
  }
  const missing = refuseScope(youtube, request, method.scope)
  if (missing !== null) return missing
  if (creator.banned)
    return forbidden(
      youtube,
      'authenticatedUserAccountSuspended',
      'The YouTube account of the user is suspended.',
    )
  if (!creator.has_channel && method.withoutChannel !== true) return signUpRequired(youtube)
  return refuseQuery(youtube, method, parseQuery(request))
}

export const signUpRequired = (youtube: YouTube): Answer =>
  youtube.settings.get().youtube_no_channel === 'not_channel'
    ? forbidden(youtube, 'authenticatedUserNotChannel', 'The user has no channel.')
    : apiError(youtube, {
        status: 401,
        reason: 'youtubeSignupRequired',
        domain: 'youtube.header',
        message: 'Unauthorized',
        location: 'Authorization',
      })

export function refuseScope(youtube: YouTube, request: FastifyRequest, scope: string): Answer | null {
  if (readToken(youtube, request)?.scopes.includes(scope) === true) return null
  return apiError(youtube, {
    status: 403,
    reason: 'insufficientPermissions',
    message: 'Request had insufficient authentication scopes.',
    info: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
  })
}

/** Parameters of every Google API that change nothing here. */
const commonParameters = ['alt', 'prettyPrint', 'quotaUser']

function refuseQuery(
  youtube: YouTube,
  { parts, parameters }: ApiCall,
  query: URLSearchParams,
): Answer | null {
  const known = [...parameters, ...commonParameters, ...(parts === undefined ? [] : ['part'])]
  const strange = [...query.keys()].find((name) => !known.includes(name))
  if (strange !== undefined)
    return badRequest(youtube, 'unexpectedParameter', `Unexpected parameter: ${strange}`, 'youtube.parameter')
  if (parts === undefined) return null
  const named = readParts(query)
  if (named.length === 0) return missingParameter(youtube, 'part')
  const unknown = named.find((name) => !parts.includes(name))
  return unknown === undefined ? null : unexpectedPart(youtube, unknown)
}

/** "part=a,b", or the parameter repeated. */
export const readParts = (query: URLSearchParams): string[] => [
  ...new Set(query.getAll('part').flatMap((names) => names.split(',').filter((name) => name !== ''))),
]

export const unexpectedPart = (youtube: YouTube, part: string): Answer =>
  badRequest(youtube, 'unexpectedPart', `'${part}'`, 'youtube.part')

export const missingParameter = (youtube: YouTube, name: string): Answer =>
  badRequest(youtube, 'missingRequiredParameter', `Missing required parameter: ${name}`, 'youtube.parameter')

const readToken = (youtube: YouTube, request: FastifyRequest): AccessToken | undefined =>
  youtube.accessTokens.get(readBearer(request) ?? '')

/** The account of a request's token, even an expired one. */
export const findAccount =
  (youtube: YouTube) =>
  (request: FastifyRequest): string | null =>
    readToken(youtube, request)?.username ?? null

/** Tokens are read from the header only. */
export function authenticate(youtube: YouTube, request: FastifyRequest): Creator | Answer {
  if (readBearer(request) === null || parseQuery(request).has('access_token')) {
    return apiError(youtube, {
      status: 401,
      reason: 'required',
      message: 'Login Required.',
      location: 'Authorization',
    })
  }
  const token = readToken(youtube, request)
  const creator = token === undefined ? undefined : youtube.creators.get(token.username)
  return token === undefined || creator === undefined || token.expires_at <= youtube.clock.now()
    ? invalidCredentials(youtube)
    : creator
}

const invalidCredentials = (youtube: YouTube): Answer =>
  apiError(youtube, {
    status: 401,
    reason: 'authError',
    message: 'Invalid Credentials',
    location: 'Authorization',
  })

export const californianDate = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Los_Angeles' })
/** The quota begins anew at midnight there. */
const today = (youtube: YouTube): string => californianDate.format(youtube.clock.now())

const used = (youtube: YouTube): Record<Bucket, number> => ({
  uploads: 0,
  units: 0,
  reports: 0,
  ...youtube.used.get(today(youtube)),
})

function limitOf(youtube: YouTube, bucket: Cost['bucket']): number {
  const { youtube_quota_uploads, youtube_quota_units, youtube_quota_reports } = youtube.settings.get()
  return { uploads: youtube_quota_uploads, units: youtube_quota_units, reports: youtube_quota_reports }[
    bucket
  ]
}

function charge(youtube: YouTube, { bucket }: Cost, cost: number): void {
  const before = used(youtube)
  youtube.used.put(today(youtube), { ...before, [bucket]: before[bucket] + cost })
}

const quotaExceeded = (youtube: YouTube): Answer =>
  apiError(youtube, {
    status: 403,
    reason: 'quotaExceeded',
    domain: 'youtube.quota',
    message:
      'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.',
  })

export const dialect = (youtube: YouTube): Dialect => ({
  platform: 'youtube',
  serverError: () =>
    apiError(youtube, { status: 500, reason: 'internalError', message: 'Internal error encountered.' }),
  throttled: () =>
    apiError(youtube, {
      status: 429,
      reason: 'rateLimitExceeded',
      domain: 'usageLimits',
      message: 'Rate Limit Exceeded',
    }),
  expireToken: (request) => {
    const token = readToken(youtube, request)
    if (token !== undefined)
      youtube.accessTokens.put(token.token, { ...token, expires_at: youtube.clock.now() })
    return invalidCredentials(youtube)
  },
  scriptedError: ({ code, status }) =>
    apiError(youtube, { status, reason: String(code), domain: 'youtube.api', message: 'A scripted error.' }),
})
