import { setTimeout as sleep } from 'node:timers/promises'
import { API, type Api, type EndpointName } from '#contract/api/api.ts'
import { API_PREFIX, COMMAND_PATH } from '#contract/http/addresses.ts'
import type { Call, Endpoint, Reply } from '#contract/http/endpoint.ts'
import { ProblemBody, type ProblemCode } from '#contract/http/problem.ts'
import { type Exit, Stop } from './ends.ts'
import { progressLine } from './output.ts'
import { parseJson, type Server } from './settings.ts'

/** A call that was not answered, or not by Reelay: it may have been carried out. */
export class Unreachable extends Stop {
  constructor(address: string, cause: unknown) {
    super('unreachable', `${address} could not be reached (${reasonOf(cause)}).`, { cause })
  }
}

/** fetch hides why it failed one level deeper, and Node two where a name has several addresses. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  if (cause.cause instanceof Error) return reasonOf(cause.cause)
  return cause.message !== '' ? cause.message : 'code' in cause ? String(cause.code) : cause.name
}

/** A call that the server refused. */
export class Refused extends Stop {
  readonly status: number
  readonly retryAfterS: number | null
  readonly problem: ProblemCode

  constructor(body: ProblemBody, status: number, retryAfterS: number | null) {
    const message =
      body.code === 'unauthorized'
        ? 'The server does not take this API key: it has expired, or was revoked. Log in again.'
        : body.message
    super(exitOfProblem(body.code), message, {
      code: body.code,
      ...(body.errors && { errors: body.errors }),
    })
    this.problem = body.code
    this.status = status
    this.retryAfterS = retryAfterS
  }
}

function exitOfProblem(code: ProblemCode): Exit {
  if (code === 'unauthorized' || code === 'forbidden' || code === 'user_disabled') return 'not_logged_in'
  return code === 'unavailable' || code === 'internal' || code === 'too_many_requests'
    ? 'unreachable'
    : 'refused'
}

/** An answer takes no longer than this, uploads aside. */
const ANSWER_MS = 60_000
/** The pauses between the tries of a call that may be repeated. */
const RETRIES_MS = [500, 2000, 5000]

/** Sends a request and answers what the server answers. @throws Unreachable; Stop for a redirect, which may be that of a café's network */
export async function exchange(address: string, path: string, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(`${address}${path}`, {
    signal: AbortSignal.timeout(ANSWER_MS),
    ...init,
    // A redirected POST becomes a GET, and a key must not go to another host.
    redirect: 'manual',
  }).catch((cause: unknown) => {
    throw new Unreachable(address, cause)
  })
  const location = answer.headers.get('location')
  if (answer.status < 300 || answer.status >= 400 || location === null) return answer
  throw new Stop('unreachable', `${address} leads to ${location}. Use that address.`)
}

/** Sends a request in the user's name. @throws Unreachable, Refused */
export async function request(
  { address, key }: Server,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('authorization', `Bearer ${key}`)
  const answer = await exchange(address, path, { ...init, headers })
  if (answer.ok) return answer
  const text = await answer.text().catch(() => '')
  const problem = ProblemBody.safeParse(parseJson(text))
  const retryAfterS = Number(answer.headers.get('retry-after')) || null
  if (problem.success) throw new Refused(problem.data, answer.status, retryAfterS)
  // A proxy's page: behind it the server may have acted.
  throw new Unreachable(address, `HTTP ${answer.status}`)
}

type Needs<T, K extends string> = [T] extends [undefined] ? object : { readonly [P in K]: T }
export type CallInput<E extends Endpoint> = Needs<Call<E>['params'], 'params'> &
  (Call<E>['query'] extends undefined ? object : { readonly query?: Call<E>['query'] }) &
  Needs<Call<E>['body'], 'body'> & {
    readonly idempotencyKey?: string
    /** How often it is made at most, where it may be repeated. */
    readonly tries?: number
  }

type LooseInput = {
  readonly params?: object
  readonly query?: object
  readonly body?: unknown
  readonly idempotencyKey?: string
  readonly tries?: number
}

export type Answer<N extends EndpointName> = { readonly reply: Reply<Api[N]>; readonly replayed: boolean }

/** Makes a call of the contract. It is repeated only where a repetition changes nothing. @throws Unreachable, Refused */
export async function callWithHeaders<N extends EndpointName>(
  server: Server,
  name: N,
  given: CallInput<Api[N]>,
): Promise<Answer<N>> {
  const endpoint: Endpoint = API[name]
  const input = given as LooseInput // CallInput<> has checked each part against the endpoint
  // A dry run is a POST for its body, and changes nothing.
  const isRepeatable = endpoint.method === 'GET' || name === 'tryPost' || input.idempotencyKey !== undefined
  const init: RequestInit = {
    method: endpoint.method,
    headers: {
      ...(input.body !== undefined && { 'content-type': 'application/json' }),
      ...(input.idempotencyKey !== undefined && { 'idempotency-key': input.idempotencyKey }),
    },
    ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
  }
  const path = `${API_PREFIX}${fillPath(endpoint.path, input.params ?? {}, input.query ?? {})}`
  for (let tries = 0; ; tries++) {
    try {
      const answer = await request(server, path, init)
      if (tries > 0) progressLine.clear()
      const text = await answer.text().catch((cause: unknown) => {
        throw new Unreachable(server.address, cause)
      })
      const parsed = endpoint.reply.safeParse(text === '' ? undefined : parseJson(text))
      if (!parsed.success)
        throw new Stop(
          'unreachable',
          `This command doesn't understand the answer of ${server.address}. Get the one of that server: curl -fO ${server.address}${COMMAND_PATH}`,
          { cause: parsed.error },
        )
      const replayed = answer.headers.get('idempotent-replayed') === 'true'
      return { reply: parsed.data as Reply<Api[N]>, replayed } // parsed by this endpoint's own schema
    } catch (error) {
      const waitMs = RETRIES_MS[tries]
      if (waitMs === undefined || tries + 1 >= (input.tries ?? Infinity) || !mayRepeat(error, isRepeatable))
        throw error
      progressLine.show(`${server.address} does not answer. Trying again …`)
      await sleep(Math.max(waitMs, error instanceof Refused ? (error.retryAfterS ?? 0) * 1000 : 0))
    }
  }
}

export const call = async <N extends EndpointName>(
  server: Server,
  name: N,
  input: CallInput<Api[N]>,
): Promise<Reply<Api[N]>> => (await callWithHeaders(server, name, input)).reply

/** A call that came too soon after others was not carried out. */
const mayRepeat = (error: unknown, isRepeatable: boolean): boolean =>
  error instanceof Refused
    ? error.problem === 'too_many_requests' || (isRepeatable && error.exit === 'unreachable')
    : error instanceof Unreachable && isRepeatable

function fillPath(path: string, params: object, query: object): string {
  const values = new Map<string, string | number>(Object.entries(params))
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(values.get(name) ?? ''))
  const asked = new URLSearchParams()
  for (const [name, value] of Object.entries(query) as [string, string | number | undefined][])
    if (value !== undefined) asked.set(name, String(value))
  return asked.size > 0 ? `${filled}?${asked.toString()}` : filled
}
