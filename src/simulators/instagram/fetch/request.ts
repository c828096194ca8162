import type { ReadableStreamDefaultReader } from 'node:stream/web'
import { setTimeout as wait } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'
import { mediaType } from '../../kit/http/body.ts'
import { mayFetch } from './robots-txt.ts'

const crawler = 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)'
const maxRedirects = 3

/** Subcodes that a container's `status` names. */
export const timedOut = 2207003
export const notFetched = 2207052

/** What may be fetched, and the subcodes of what may not. */
export interface Wanted {
  types: readonly string[]
  otherType: number
  maxBytes: number
  tooLarge: number
}

export interface Manner {
  timeoutMs: number
  publicOnly: boolean
}

export interface Refused {
  subcode: number
  detail: string
  status?: number
}

/** Obeys robots.txt and follows a few redirects. */
export async function request(
  url: string,
  method: 'HEAD' | 'GET',
  wanted: Wanted,
  { timeoutMs, publicOnly }: Manner,
): Promise<Response | Refused> {
  let address = new URL(url)
  if (publicOnly && !isPublic(address)) {
    return { subcode: notFetched, detail: `Not a public https address: ${address.href}` }
  }
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    if (!(await mayFetch(address, crawler, timeoutMs))) {
      return { subcode: notFetched, detail: `Restricted by robots.txt: ${address.href}` }
    }
    const response = await fetchOnce(address, method, timeoutMs)
    const location = response.headers.get('location')
    if (response.status < 300 || response.status >= 400 || location === null)
      return checkHead(response, wanted)
    await response.body?.cancel()
    address = new URL(location, address)
  }
  return { subcode: notFetched, detail: 'Too many redirects' }
}

/** "localhost, RFC1918, .local fail". An IPv6 address in brackets fails, too. */
const isPublic = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' &&
  !/^(?:localhost|.*\.local|.*\.internal|\[.*\])$/i.test(hostname) &&
  !(ipaddr.IPv4.isValid(hostname) && ipaddr.parse(hostname).range() !== 'unicast')

/** The time limit is for the answer to begin; the body has its own, for standing still. */
async function fetchOnce(address: URL, method: string, timeoutMs: number): Promise<Response> {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(new Error('timed out')), timeoutMs)
  try {
    return await fetch(address, {
      method,
      redirect: 'manual',
      headers: { 'user-agent': crawler, accept: '*/*', 'accept-encoding': 'identity' },
      signal: abort.signal,
    })
  } finally {
    clearTimeout(timer)
  }
}

async function checkHead(response: Response, wanted: Wanted): Promise<Response | Refused> {
  const type = mediaType(response.headers.get('content-type') ?? '')
  const bytes = Number(response.headers.get('content-length') ?? '0')
  const refuse = async (subcode: number, detail: string): Promise<Refused> => {
    await response.body?.cancel()
    return { subcode, detail, status: response.status }
  }
  if (!response.ok) return refuse(notFetched, `HTTP error code ${response.status}`)
  if (!wanted.types.includes(type)) return refuse(wanted.otherType, `Content-Type ${type} is not taken`)
  if (response.headers.has('content-encoding')) return refuse(notFetched, 'Content-Encoding is not allowed')
  if (bytes > wanted.maxBytes) return refuse(wanted.tooLarge, `${bytes} bytes are too many`)
  return response
}

/** The body, chunk by chunk. Throws when it stands still for too long. */
export async function* chunksOf(response: Response, timeoutMs: number): AsyncGenerator<Uint8Array> {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader()
  try {
    for (;;) {
      const next = await withinTime(reader?.read(), timeoutMs)
      if (next?.value === undefined) return
      yield next.value
    }
  } finally {
    // After the end this does nothing.
    await reader?.cancel().catch(() => undefined)
  }
}

async function withinTime<T>(work: Promise<T> | undefined, ms: number): Promise<T | undefined> {
  const abort = new AbortController()
  try {
    const late = wait(ms, undefined, { signal: abort.signal }).then(() => {
      throw new Error('timed out')
    })
    // When the work wins the race, the abandoned wait is aborted; nobody listens to that.
    late.catch(() => undefined)
    return await Promise.race([work, late])
  } finally {
    abort.abort()
  }
}

export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unreachable'
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
