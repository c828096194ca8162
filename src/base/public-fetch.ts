import type { LookupAddress } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { isPublicAddress } from './ip-address.ts'
import { systemCode } from './system-error.ts'

/** Why a call got no answer: codes, never a text that could contain a secret. */
export type NoAnswer =
  | 'not_public'
  | 'no_address'
  | 'not_https'
  | 'bad_certificate'
  | 'timed_out'
  | 'unreachable'

export type PublicAnswer =
  | { readonly kind: 'answered'; readonly response: http.IncomingMessage }
  | { readonly kind: 'none'; readonly why: NoAnswer }

export type PublicRequest = {
  readonly url: URL
  readonly method: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Ends the call, and the reading of its answer. */
  readonly signal: AbortSignal
}

/** Calls addresses that users chose. */
export type PublicClient = {
  /**
   * Redirects are answers: whoever follows one calls again, and the new address is checked as the first one was. The caller reads or
   * destroys the response.
   */
  open(request: PublicRequest): Promise<PublicAnswer>
  close(): void
}

type Options = {
  /** Also http, and addresses of the machine's own networks. */
  readonly allowPrivate: boolean
  /** For tests. */
  readonly resolve?: Resolve
}

/** All addresses of a host. */
type Resolve = (host: string) => Promise<readonly string[]>

const CONNECT_MS = 5_000
/** Idle connections that stay open, so that a busy receiver needs no handshake for each call. */
const IDLE_SOCKETS = 8

/**
 * A client for https calls to public networks only. Every address is checked when the socket connects to it, so that no name can
 * change its address between check and call. Answers are not decompressed.
 */
export function createPublicClient({ allowPrivate, resolve }: Options): PublicClient {
  const agentOptions = { keepAlive: true, maxFreeSockets: IDLE_SOCKETS, maxTotalSockets: Infinity }
  const agents = { 'http:': new http.Agent(agentOptions), 'https:': new https.Agent(agentOptions) }
  const checked = checkedLookup(resolve ?? (allowPrivate ? resolveBySystem : resolvePublic), allowPrivate)

  const whyNot = ({ protocol, hostname }: URL): NoAnswer | null => {
    if (protocol !== 'https:' && !(allowPrivate && protocol === 'http:')) return 'not_https'
    // No look-up is made for a literal address.
    const host = withoutBrackets(hostname)
    return isIP(host) !== 0 && !allowPrivate && !isPublicAddress(host) ? 'not_public' : null
  }

  const send = (request: PublicRequest, isRepeated: boolean): Promise<PublicAnswer> =>
    new Promise((resolveAnswer) => {
      const { url, method, headers, body, signal } = request
      const isHttps = url.protocol === 'https:'
      const call = (isHttps ? https : http).request(url, {
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
        agent: agents[isHttps ? 'https:' : 'http:'],
        lookup: checked,
        signal,
      })
      const connecting = setTimeout(() => call.destroy(new Refusal('timed_out')), CONNECT_MS)
      call.once('socket', (socket) => {
        if (!socket.connecting) return clearTimeout(connecting)
        return socket.once(isHttps ? 'secureConnect' : 'connect', () => clearTimeout(connecting))
      })
      call.once('response', (response) => resolveAnswer({ kind: 'answered', response }))
      call.on('error', (error) => {
        clearTimeout(connecting)
        // The receiver closed an idle connection while this call began on it.
        const isStale = call.reusedSocket && systemCode(error) === 'ECONNRESET' && !isRepeated
        if (isStale && !signal.aborted) return resolveAnswer(send(request, true))
        return resolveAnswer({ kind: 'none', why: toNoAnswer(error) })
      })
      call.end(body)
    })

  return {
    async open(request) {
      const why = whyNot(request.url)
      return why === null ? send(request, false) : { kind: 'none', why }
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

/** @returns the first bytes of the body; reading ends there, or when the answer breaks off */
export async function readBeginning(response: http.IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let left = maxBytes
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, left))
      left -= chunk.length
      if (left <= 0) break // which destroys the response, and so its connection
    }
  } catch (error) {
    if (systemCode(error) === null && !isAbort(error)) throw error
  }
  return Buffer.concat(chunks)
}

class Refusal extends Error {
  readonly why: NoAnswer
  constructor(why: NoAnswer) {
    super(why)
    this.why = why
  }
}

const isAbort = (error: unknown): boolean =>
  error instanceof Error && ['AbortError', 'TimeoutError'].includes(error.name)

function toNoAnswer(error: Error): NoAnswer {
  if (error instanceof Refusal) return error.why
  if (isAbort(error)) return 'timed_out'
  return /CERT|ERR_TLS|UNABLE_TO_(GET|VERIFY)/.test(systemCode(error) ?? '')
    ? 'bad_certificate'
    : 'unreachable'
}

const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')

/** Answers connections with the addresses that may be called, in the form that they ask for. */
function checkedLookup(resolve: Resolve, allowPrivate: boolean): LookupFunction {
  const find = callbackify(async (host: string): Promise<[LookupAddress, ...LookupAddress[]]> => {
    const found = await resolve(host).catch(() => [])
    const [first, ...others] = found
      .filter((address) => allowPrivate || isPublicAddress(address))
      .map((address) => ({ address, family: isIP(address) }))
    if (!first) throw new Refusal(found.length > 0 ? 'not_public' : 'no_address')
    return [first, ...others]
  })
  return (host, options, done) =>
    find(host, (error, addresses) => {
      if (error) return done(error, '', 0)
      return options.all ? done(null, addresses) : done(null, addresses[0].address, addresses[0].family)
    })
}

/** Knows the names of the machine and its networks, too. */
const resolveBySystem: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address)

const RESOLVE_MS = 2_000
const RESOLVE_TRIES = 2

/** Asks name servers itself: the system's look-up holds one of few threads, and a stranger's name server may never answer. */
const resolvePublic: Resolve = async (host) => {
  const resolver = new Resolver({ timeout: RESOLVE_MS, tries: RESOLVE_TRIES })
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
}
