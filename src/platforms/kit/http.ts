import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Readable } from 'node:stream'

/** Network failures are values; nothing here throws for them. */
export type HttpReply = Answered | Unreachable

export type Answered = {
  readonly kind: 'answered'
  readonly status: number
  readonly headers: { get(name: string): string | null }
  readonly text: string
}

/**
 * No complete answer. `cause` is a code such as `ECONNRESET` or `timeout`, never a text that could contain a token. `maybeExecuted` is
 * false only if no connection was made or our file could not be read to its end.
 */
export type Unreachable = {
  readonly kind: 'unreachable'
  readonly cause: string
  readonly maybeExecuted: boolean
}

export type Call = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly bearer?: string
  readonly query?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly bytes?: { readonly type: string; readonly data: Uint8Array<ArrayBuffer> }
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

const CALL_TIMEOUT_MS = 30_000
const PUT_IDLE_MS = 120_000
/** Chunks are at most 64 MB; a slower line cannot finish within TikTok's hour either. */
const PUT_TIMEOUT_MS = 1_800_000
const PUT_ANSWER_MAX_CHARS = 65_536

/** One small call: JSON or form out, text in. Redirects are not followed, since they would carry secrets elsewhere. */
export async function call(request: Call): Promise<HttpReply> {
  const url = new URL(request.url)
  for (const [name, value] of Object.entries(request.query ?? {})) url.searchParams.set(name, value)
  if (request.signal?.aborted) return { kind: 'unreachable', cause: 'aborted', maybeExecuted: false }
  const timeout = startTimeout(request.timeoutMs ?? CALL_TIMEOUT_MS, request.signal)
  try {
    const response = await fetch(url, {
      method: request.method,
      headers: buildHeaders(request),
      body: buildBody(request),
      redirect: 'manual',
      signal: timeout.signal,
    })
    const text = await response.text()
    if (response.status >= 300 && response.status < 400) {
      return { kind: 'unreachable', cause: `redirect_${response.status}`, maybeExecuted: true }
    }
    return { kind: 'answered', status: response.status, headers: response.headers, text }
  } catch (error) {
    return unreachable(error, timeout.isOver())
  } finally {
    timeout.clear()
  }
}

type Timeout = { readonly signal: AbortSignal; isOver(): boolean; clear(): void }

/** `AbortSignal.timeout` would keep everything a call refers to until it ends: for half an hour after a PUT. */
function startTimeout(ms: number, stopping: AbortSignal | undefined): Timeout {
  const own = new AbortController()
  const timer = setTimeout(() => own.abort(), ms).unref()
  return {
    signal: stopping === undefined ? own.signal : AbortSignal.any([stopping, own.signal]),
    isOver: () => own.signal.aborted,
    clear: () => clearTimeout(timer),
  }
}

function buildHeaders(request: Call): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json', ...request.headers }
  if (request.bearer !== undefined) headers['authorization'] = `Bearer ${request.bearer}`
  if (request.json !== undefined) headers['content-type'] = 'application/json; charset=UTF-8'
  if (request.bytes !== undefined) headers['content-type'] = request.bytes.type
  return headers
}

/** `URLSearchParams` brings its own content type, and encodes the `*` and `!` of TikTok's codes. */
function buildBody(request: Call): URLSearchParams | Uint8Array<ArrayBuffer> | string | null {
  if (request.bytes !== undefined) return request.bytes.data
  if (request.form !== undefined) return new URLSearchParams({ ...request.form })
  return request.json === undefined ? null : JSON.stringify(request.json)
}

export type Put = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly length: number
  /** Opens exactly `length` bytes, in buffers that nothing else uses: each is freed once it is written. */
  readonly body: () => Promise<Readable>
  readonly signal: AbortSignal
  /** Uses a new connection: an idle one may die during a call whose outcome would then be unknown. */
  readonly fresh?: boolean
}

const agents = { 'http:': new HttpAgent({ keepAlive: true }), 'https:': new HttpsAgent({ keepAlive: true }) }

/**
 * Streams a range of a file as a PUT body with an exact Content-Length. Uses `node:http`: `fetch` streams at half the
 * speed. An answer that arrives before the body is complete ends the upload and counts.
 */
export async function putRange(put: Put): Promise<HttpReply> {
  if (put.signal.aborted) return { kind: 'unreachable', cause: 'aborted', maybeExecuted: false }
  const body = await opened(put.body)
  if ('failure' in body) return body.failure
  const timeout = startTimeout(PUT_TIMEOUT_MS, put.signal)
  try {
    return await sent(put, body.stream, timeout.signal)
  } catch (error) {
    return unreachable(error, timeout.isOver())
  } finally {
    timeout.clear()
    body.stream.destroy()
  }
}

async function opened(open: Put['body']): Promise<{ stream: Readable } | { failure: Unreachable }> {
  try {
    return { stream: await open() }
  } catch (error) {
    return {
      failure: { kind: 'unreachable', cause: `storage_${errorCode(error) ?? 'error'}`, maybeExecuted: false },
    }
  }
}

async function sent(put: Put, body: Readable, signal: AbortSignal): Promise<Answered> {
  const url = new URL(put.url)
  const secure = url.protocol === 'https:'
  const request = (secure ? httpsRequest : httpRequest)(url, {
    method: 'PUT',
    headers: { ...put.headers, 'content-length': put.length },
    agent: put.fresh === true ? false : agents[secure ? 'https:' : 'http:'],
    signal,
  })
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.setTimeout(PUT_IDLE_MS, () => request.destroy(coded('idle')))
    request.on('response', resolve)
    request.on('error', reject)
    // A broken body must break the request: the platform must never get a complete part with wrong bytes.
    let read = 0
    body.on('data', (part: Buffer<ArrayBuffer>) => {
      read += part.length
      if (!request.write(part, (error) => error || free(part))) body.pause()
    })
    request.on('drain', () => body.resume())
    body.on('error', () => request.destroy(coded(read < put.length ? 'storage_error' : 'storage_late')))
    body.on('end', () => {
      if (read === put.length) request.end()
      else request.destroy(coded(read < put.length ? 'storage_short' : 'storage_long'))
    })
  })
  const early = !request.writableFinished
  if (early) body.destroy()
  const text = await readText(response)
  // The rest of an unfinished body must not follow on this connection.
  if (early) request.destroy()
  return {
    kind: 'answered',
    status: response.statusCode ?? 0,
    headers: { get: (name) => header(response, name) },
    text,
  }
}

/**
 * Frees the memory of a written part at once. Otherwise V8 collects its whole heap every 30 MB: two thirds of an upload's processor time.
 */
function free({ buffer, length }: Buffer<ArrayBuffer>): void {
  if (buffer.byteLength === length) buffer.transfer(0)
}

async function readText(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8')
  let text = ''
  for await (const part of response) if (text.length < PUT_ANSWER_MAX_CHARS) text += String(part)
  return text
}

function header(response: IncomingMessage, name: string): string | null {
  const value = response.headers[name.toLowerCase()]
  return Array.isArray(value) ? value.join(', ') : (value ?? null)
}

const coded = (code: string): Error => Object.assign(new Error(code), { code })

/** Failures before a connection exists, or bodies that broke on our side: the call cannot have been executed. */
const NEVER_ARRIVED = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'storage_error',
  'storage_short',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

function unreachable(error: unknown, timedOut: boolean): Unreachable {
  const code = errorCode(error) ?? 'network_error'
  if (timedOut) return { kind: 'unreachable', cause: 'timeout', maybeExecuted: true }
  return { kind: 'unreachable', cause: code, maybeExecuted: !neverArrived(error) }
}

/** The error proves that the call was not executed. */
export const neverArrived = (error: unknown): boolean =>
  NEVER_ARRIVED.has(errorCode(error) ?? '') || isConnectError(error)

/** The same codes occur on established connections: a route lost during a call also ends in EHOSTUNREACH. */
function isConnectError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(isConnectError)
  if ('syscall' in error) return error.syscall === 'connect'
  return isConnectError(error.cause)
}

/** Only the code: messages of network errors can contain whole addresses. */
function errorCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  if (error.name === 'AbortError') return 'aborted'
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.cause === undefined ? null : errorCode(error.cause)
}

/** The parsed text, or undefined when it is not JSON. The numbers of `ids` become strings, digit for digit. */
export function parseJson(text: string, ids: readonly string[]): unknown {
  try {
    return JSON.parse(quoteIds(text, ids))
  } catch {
    return undefined
  }
}

/**
 * Puts quotes around the whole numbers, alone or in a list, under the given keys: 64-bit ids lose their last digits as
 * JavaScript numbers.
 */
export function quoteIds(text: string, ids: readonly string[]): string {
  const key = `("(?:${ids.join('|')})"\\s*:\\s*)`
  return text
    .replaceAll(new RegExp(`${key}(\\d+)(?![\\d.eE])`, 'g'), '$1"$2"')
    .replaceAll(
      new RegExp(`${key}\\[([\\d\\s,]*)\\]`, 'g'),
      (_all, head: string, list: string) => `${head}[${list.replaceAll(/\d+/g, '"$&"')}]`,
    )
}

export function retryAfterS(reply: Answered): number | null {
  const seconds = Number(reply.headers.get('retry-after') ?? NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) : null
}
