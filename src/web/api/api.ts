import { AxiosError, create, type AxiosProgressEvent } from 'axios'
import type { Api, EndpointName } from '#contract/api/api.ts'
import { MAIN_API } from '#contract/api/main-api.ts'
import { API_PREFIX } from '#contract/http/addresses.ts'
import type { Call, Endpoint, Reply } from '#contract/http/endpoint.ts'
import { ProblemBody, type ProblemCode, type Repeat } from '#contract/http/problem.ts'
import { TEXTS } from '#contract/texts.ts'
import { jsonOf } from '#web/lib/json-of.ts'
import { readServerTime } from '#web/lib/server-time.ts'

/** A user's session: provides the token, and is told when the server rejects it. */
export type Credentials = {
  /** `renewed`: fetch a new token instead of the current one. */
  token: (renewed: boolean) => Promise<string | null>
  refused: (why?: 'disabled') => void
}

let credentials: Credentials = { token: () => Promise.resolve(null), refused: () => undefined }
export function setCredentials(given: Credentials): void {
  credentials = given
}

/** Why a call failed. `refused`: a problem reply of the server. `unreachable`, `unreadable`: no answer or a foreign one;
 * the server may have acted. `no_token`: the call was not made. */
type ProblemKind = 'refused' | 'unreachable' | 'unreadable' | 'aborted' | 'no_token'

type ProblemInit = {
  kind: ProblemKind
  message: string
  code?: ProblemCode
  errors?: Record<string, string[]>
  requestId?: string
  repeats?: readonly Repeat[]
  retryAfterS?: number
  cause?: unknown
}

export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  readonly kind: ProblemKind
  /** Only where the server refused. */
  readonly code: ProblemCode | null
  /** Messages by field. */
  readonly errors: Readonly<Record<string, readonly string[]>>
  readonly requestId: string | null
  /** Only `already_posted` has them. */
  readonly repeats: readonly Repeat[]
  readonly retryAfterS: number | null

  constructor(init: ProblemInit) {
    super(init.message, { cause: init.cause })
    this.kind = init.kind
    this.code = init.code ?? null
    this.errors = init.errors ?? {}
    this.requestId = init.requestId ?? null
    this.repeats = init.repeats ?? []
    this.retryAfterS = init.retryAfterS ?? null
  }
}

/** A platform's refusal of an account, as a sentence or two; null: another error. */
export const refusalOf = (error: unknown): string | null =>
  error instanceof ApiProblem && error.code === 'platform_refused' ? error.message : null

// A tuple, so that a body of several shapes stays one type.
type Needs<T, K extends string> = [T] extends [undefined]
  ? object
  : object extends T
    ? { readonly [P in K]?: T }
    : { readonly [P in K]: T }

type FilePart<E extends Endpoint> = E extends { file: object } ? { readonly file: File } : object

/** The parts that the endpoint declares, plus progress, abort and timeout. */
export type CallOptions<E extends Endpoint> = Needs<Call<E>['params'], 'params'> &
  Needs<Call<E>['query'], 'query'> &
  Needs<Call<E>['body'], 'body'> &
  FilePart<E> & {
    readonly idempotencyKey?: string | undefined
    readonly signal?: AbortSignal | undefined
    /** Aborts the call after this time; no limit by default. */
    readonly timeoutMs?: number | undefined
    readonly onUploadProgress?: ((progress: AxiosProgressEvent) => void) | undefined
  }

type Rest<E extends Endpoint> =
  object extends CallOptions<E> ? [options?: CallOptions<E>] : [options: CallOptions<E>]

/** The parts of a call without the endpoint's types, as the code below handles them. */
type LooseOptions = {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
  file?: File
  idempotencyKey?: string
  signal?: AbortSignal
  timeoutMs?: number
  onUploadProgress?: (progress: AxiosProgressEvent) => void
}

/** No default timeout, because uploads may take long. Axios treats 200 to 299 as success. */
export const http = create({ baseURL: API_PREFIX, timeout: 0 })

/**
 * Calls an endpoint of the contract and parses the reply.
 * @throws {ApiProblem} for every expected failure; a reply that breaks the contract is `unreadable` */
export async function call<N extends EndpointName>(name: N, ...rest: Rest<Api[N]>): Promise<Reply<Api[N]>> {
  const endpoint: Endpoint = isMainCall(name) ? MAIN_API[name] : await findRareCall(name)
  const options = (rest[0] ?? {}) as LooseOptions // Rest<> has checked each part against the endpoint
  const data =
    endpoint.auth === 'none'
      ? await send(endpoint, options, {})
      : await signedIn((auth) => send(endpoint, options, auth))

  const parsed = endpoint.reply.safeParse(endpoint.status === 204 ? undefined : data)
  if (!parsed.success) {
    const message = "This page doesn't understand the server's answer. Reload the page."
    throw new ApiProblem({ kind: 'unreadable', message, cause: parsed.error })
  }
  return parsed.data as Reply<Api[N]> // parsed by this endpoint's own schema
}

const isMainCall = (name: EndpointName): name is keyof typeof MAIN_API => Object.hasOwn(MAIN_API, name)

const findRareCall = async (name: Exclude<EndpointName, keyof typeof MAIN_API>) =>
  (await import('#contract/api/rare-api.ts')).RARE_API[name]

/** Opens the event stream; by `fetch`, because axios cannot stream a body. @throws {ApiProblem} */
export const openEvents = (how: {
  lastEventId: string | null
  signal: AbortSignal
}): Promise<ReadableStream<Uint8Array>> =>
  signedIn(async (auth) => {
    const headers = { ...auth, ...(how.lastEventId !== null && { 'Last-Event-ID': how.lastEventId }) }
    const url = http.getUri({ url: MAIN_API.streamEvents.path })
    const answer = await fetch(url, { headers, signal: how.signal }).catch((cause: unknown) => {
      throw new ApiProblem({ kind: 'unreachable', message: 'Network Error', cause })
    })
    if (answer.ok && answer.body) return answer.body
    const refusal = jsonOf(await answer.text().catch(() => ''))
    throw (
      readProblem(refusal, answer.headers.get('Retry-After'), null) ??
      new ApiProblem({ kind: 'unreadable', message: `Request failed with status code ${answer.status}` })
    )
  })

/** Retries a 401 once with a new token; a second 401 ends the session, and so does the refusal of a disabled user.
 * Keeps the credentials it started with, so it never acts for another user who has logged in since. */
async function signedIn<T>(attempt: (auth: Record<string, string>) => Promise<T>): Promise<T> {
  const speaker = credentials
  return attempt(await bearer(speaker, false)).catch(async (error: unknown) => {
    if (hasCode(error, 'user_disabled')) speaker.refused('disabled')
    if (!hasCode(error, 'unauthorized')) throw error
    return attempt(await bearer(speaker, true)).catch((again: unknown) => {
      if (hasCode(again, 'unauthorized')) speaker.refused()
      throw again
    })
  })
}

/** A server that runs as many calls of the user as it may refuses more before it does anything, and takes them in a moment. */
const BUSY = { waitsAtMostS: 2, tries: 5 }

const isBusy = (error: unknown): error is ApiProblem & { retryAfterS: number } =>
  error instanceof ApiProblem &&
  error.code === 'too_many_requests' &&
  error.retryAfterS !== null &&
  error.retryAfterS <= BUSY.waitsAtMostS

async function send(
  endpoint: Endpoint,
  options: LooseOptions,
  auth: Record<string, string>,
): Promise<unknown> {
  for (let tries = 1; ; tries++) {
    try {
      return await sendOnce(endpoint, options, auth)
    } catch (error) {
      if (!isBusy(error) || tries === BUSY.tries || options.signal?.aborted === true) throw error
      // Calls that were refused together must not come back together.
      const waitMs = error.retryAfterS * 1000 * (1 + Math.random())
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  }
}

async function sendOnce(
  endpoint: Endpoint,
  options: LooseOptions,
  auth: Record<string, string>,
): Promise<unknown> {
  const startedAt = performance.now()
  const answer = await http
    .request<unknown>({
      method: endpoint.method,
      url: fillPath(endpoint.path, options.params ?? {}),
      params: options.query,
      data: endpoint.file ? formOf(endpoint.file.field, options) : options.body,
      headers: {
        ...auth,
        ...(options.idempotencyKey !== undefined && { 'Idempotency-Key': options.idempotencyKey }),
      },
      ...(options.signal && { signal: options.signal }),
      ...(options.timeoutMs !== undefined && { timeout: options.timeoutMs }),
      ...(options.onUploadProgress && { onUploadProgress: options.onUploadProgress }),
    })
    .catch((error: unknown) => {
      throw problemOf(error)
    })
  // An answer for everybody may come out of a cache, and be as old.
  if (endpoint.auth !== 'none') readServerTime(answer.headers['date'], startedAt)
  return answer.data
}

/** Signs requests that are not calls of the contract. Like a call, it never acts for another user. */
export type Signer = {
  /** @throws {ApiProblem} */
  readonly headers: (renewed: boolean) => Promise<Record<string, string>>
  /** The server refused a renewed token too. */
  readonly refused: () => void
}

export function signerOfNow(): Signer {
  const speaker = credentials
  return { headers: (renewed) => bearer(speaker, renewed), refused: () => speaker.refused() }
}

const hasCode = (error: unknown, code: ProblemCode): boolean =>
  error instanceof ApiProblem && error.code === code

async function bearer(speaker: Credentials, renewed: boolean): Promise<Record<string, string>> {
  const token = await speaker.token(renewed).catch((cause: unknown) => {
    logNoToken()
    throw new ApiProblem({ kind: 'unreachable', message: 'Network Error', cause })
  })
  if (token !== null) return { Authorization: `Bearer ${token}` }
  logNoToken()
  // The specified text is only logged; the user sees what it means.
  throw new ApiProblem({ kind: 'no_token', message: TEXTS.sessionEnded })
}

/** Called whenever there is no token: nobody is logged in, or the renewal failed. */
const logNoToken = (): void => {
  // oxlint-disable-next-line no-console -- the specification has this logged
  console.error(TEXTS.noToken)
}

/** Puts values into the `:name` parts of a path. */
const fillPath = (path: string, params: Readonly<Record<string, unknown>>): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))

/** The fields go before the file, so that the server can refuse them before the bytes arrive. */
function formOf(field: string, options: LooseOptions): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(options.body ?? {}))
    form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  if (options.file) form.append(field, options.file, options.file.name)
  return form
}

function problemOf(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error
  if (!(error instanceof AxiosError)) throw error
  if (error.code === AxiosError.ERR_CANCELED)
    return new ApiProblem({ kind: 'aborted', message: 'Request aborted', cause: error })
  if (!error.response) return new ApiProblem({ kind: 'unreachable', message: error.message, cause: error })
  const { response } = error
  return (
    readProblem(response.data, response.headers['retry-after'], error) ??
    new ApiProblem({ kind: 'unreadable', message: error.message, cause: error })
  )
}

/** The server's refusal in a reply; null: the body is not the server's, but a proxy's for instance. */
export function readProblem(data: unknown, retryAfter: unknown, cause: unknown): ApiProblem | null {
  const body = ProblemBody.safeParse(data)
  if (!body.success) return null
  const retryAfterS = Number(retryAfter)
  return new ApiProblem({
    kind: 'refused',
    message: body.data.message,
    code: body.data.code,
    ...(body.data.errors && { errors: body.data.errors }),
    ...(body.data.repeats && { repeats: body.data.repeats }),
    ...(body.data.request_id !== undefined && { requestId: body.data.request_id }),
    ...(retryAfterS > 0 && { retryAfterS }),
    cause,
  })
}
