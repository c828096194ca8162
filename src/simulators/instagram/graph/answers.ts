import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { readBearer, bodyText, parseForm, mediaType, parseQuery } from '../../kit/http/body.ts'
import type { ScriptedError } from '../../kit/faults.ts'
import { asObject, parseJson, toJson } from '../../kit/json.ts'
import type { Answer, Dialect } from '../../kit/http/serve.ts'
import { appId, type Creator, type Instagram, type Token } from '../state/state.ts'

export const json = (status: number, body: unknown): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=UTF-8', 'cache-control': 'no-store' },
  body: toJson(body),
})

interface GraphError {
  code: number
  subcode?: number
  message: string
  type?: string
  status?: number
  transient?: boolean
  userTitle?: string
  userMessage?: string
}

export function graphError(error: GraphError): Answer {
  return json(error.status ?? 400, {
    error: {
      message: error.message,
      type: error.type ?? 'OAuthException',
      code: error.code,
      ...(error.subcode === undefined ? {} : { error_subcode: error.subcode }),
      is_transient: error.transient ?? false,
      ...(error.userTitle === undefined ? {} : { error_user_title: error.userTitle }),
      ...(error.userMessage === undefined ? {} : { error_user_msg: error.userMessage }),
      fbtrace_id: `A${randomBytes(16).toString('base64url')}`,
    },
  })
}

export const invalidParameter = (message: string): Answer => graphError({ code: 100, message })

export const missingObject = (id: string): Answer =>
  graphError({
    code: 100,
    subcode: 33,
    type: 'GraphMethodException',
    message: `Unsupported request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
  })

const expiredToken = (): Answer =>
  graphError({
    code: 190,
    subcode: 463,
    message: 'Error validating access token: Session has expired.',
  })

/** "accepts query, form or JSON bodies": merges all of them, the body first. */
export async function readParameters(request: FastifyRequest): Promise<URLSearchParams> {
  const all = new URLSearchParams(parseQuery(request))
  for (const [name, value] of (await parseForm(request)) ?? new URLSearchParams()) all.set(name, value)
  if (mediaType(request.headers['content-type']) === 'application/json') {
    for (const [name, value] of Object.entries(asObject(parseJson(bodyText(request))) ?? {})) {
      all.set(name, typeof value === 'string' ? value : JSON.stringify(value))
    }
  }
  return all
}

export interface Caller {
  token: Token
  creator: Creator
}

export function authenticate(
  instagram: Instagram,
  request: FastifyRequest,
  parameters: URLSearchParams,
  scope: string,
): Caller | Answer {
  const given = readBearer(request) ?? parameters.get('access_token')
  if (given === null) {
    return graphError({
      code: 2500,
      message: 'An active access token must be used to query information about the current user.',
    })
  }
  const token = instagram.tokens.get(given)
  const creator = token === undefined ? undefined : instagram.creators.get(token.username)
  if (token === undefined || creator === undefined) {
    return graphError({
      status: 401,
      code: 190,
      message: 'Invalid OAuth access token - Cannot parse access token',
    })
  }
  if (token.ended !== undefined) {
    return graphError({
      code: 190,
      subcode: token.ended,
      message: 'Error validating access token: The user has not authorized the application.',
    })
  }
  if (token.expires_at <= instagram.clock.now()) return expiredToken()
  if (!token.scopes.includes(scope)) {
    return graphError({
      status: 403,
      code: 10,
      message: '(#10) Application does not have permission for this action',
    })
  }
  return { token, creator }
}

/** The account of a request's token, even an expired one. Reads only header and query. */
export const findAccount =
  (instagram: Instagram) =>
  (request: FastifyRequest): string | null =>
    instagram.tokens.get(readToken(request))?.username ?? null

function readToken(request: FastifyRequest): string {
  const inBody = /(?:^|&)access_token=([^&]+)/.exec(bodyText(request))?.[1]
  return readBearer(request) ?? parseQuery(request).get('access_token') ?? inBody ?? ''
}

export const scriptedError = ({ code, subcode, status }: ScriptedError): Answer =>
  graphError({
    status,
    code: Number(code),
    ...(subcode === null ? {} : { subcode }),
    message: 'Words of a scripted error',
  })

export const dialect = (instagram: Instagram): Dialect => ({
  platform: 'instagram',
  serverError: () =>
    graphError({
      status: 500,
      code: 2,
      transient: true,
      message: 'An unexpected error has occurred. Please retry your request later.',
    }),
  // Instagram throttles with status 400; the code and a header with the minutes to wait tell.
  throttled: () => {
    const answer = graphError({
      code: 80002,
      subcode: 2446079,
      message: '(#80002) There have been too many calls to this Instagram account.',
    })
    const usage = {
      type: 'instagram',
      call_count: 100,
      total_cputime: 25,
      total_time: 25,
      estimated_time_to_regain_access: 1,
    }
    const headers = { ...answer.headers, 'x-business-use-case-usage': JSON.stringify({ [appId]: [usage] }) }
    return { ...answer, headers }
  },
  expireToken: (request) => {
    const token = instagram.tokens.get(readToken(request))
    if (token !== undefined)
      instagram.tokens.put(token.token, { ...token, expires_at: instagram.clock.now() })
    return expiredToken()
  },
  scriptedError,
})

/** v26 was released on 2026-07-29. */
const NEWEST = 26

/** Meta documents that a path may have no version, and that a retired one is served as the oldest that is supported. */
export function checkVersion(version: string): Answer | null {
  const number = Number(/^v(\d+)\.\d+$/.exec(version)?.[1] ?? NaN)
  return version === '' || number <= NEWEST
    ? null
    : graphError({ code: 2500, message: `Unknown path components: /${version}` })
}
