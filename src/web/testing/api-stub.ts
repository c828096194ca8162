import axios, { AxiosError, CanceledError, type AxiosAdapter, type InternalAxiosRequestConfig } from 'axios'
import { z } from 'zod'
import { API, type Api, type EndpointName } from '#contract/api/api.ts'
import type { Endpoint } from '#contract/http/endpoint.ts'
import { PROBLEMS, type ProblemCode } from '#contract/http/problem.ts'
import { answerTus, tus } from './tus-stub.ts'

/** A call as the page made it. */
export type StubbedCall = {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  /** The JSON body; of a form, `form` has the parts. */
  readonly body: unknown
  /** The parts of a form in order; of a file its name. */
  readonly form: readonly (readonly [name: string, value: string])[]
  readonly headers: Readonly<Record<string, unknown>>
  readonly uploaded: (sent: number, total: number) => void
}

type RawReply = {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}
type ReplyOf<N extends EndpointName> = z.input<Api[N]['reply']>
type Handler = (call: StubbedCall) => RawReply | 'disconnected' | Promise<RawReply | 'disconnected'>

const handlers = new Map<EndpointName, Handler>()
const made = new Map<EndpointName, StubbedCall[]>()
const unexpected: string[] = []

function set(name: EndpointName, handler: Handler): void {
  handlers.set(name, handler)
}

/** The server of a component test: each endpoint of the contract answers what the test says. */
export const api = {
  /** Answers with this reply, which the contract's schema must accept. */
  reply<N extends EndpointName>(name: N, reply: ReplyOf<N> | ((call: StubbedCall) => ReplyOf<N>)): void {
    set(name, (call) => ({
      status: API[name].status,
      body: checked(name, typeof reply === 'function' ? reply(call) : reply),
    }))
  },
  /** Refuses in the contract's words. */
  refuse(
    name: EndpointName,
    code: ProblemCode,
    message: string,
    errors?: Readonly<Record<string, readonly string[]>>,
  ): void {
    set(name, () => ({ status: PROBLEMS[code], body: { code, message, ...(errors && { errors }) } }))
  },
  /** Answers with a status and a body that are not the contract's, as a proxy does. */
  fail(name: EndpointName, status: number, body: unknown = ''): void {
    set(name, () => ({ status, body }))
  },
  /** Breaks the connection. */
  disconnect(name: EndpointName): void {
    set(name, () => 'disconnected')
  },
  /** Delays the answer that is set now until the returned function is called. */
  hold(name: EndpointName): () => void {
    const handler = handlers.get(name)
    const released = Promise.withResolvers<void>()
    set(name, async (call) => {
      await released.promise
      return handler?.(call) ?? { status: 501 }
    })
    return released.resolve
  },
  calls: (name: EndpointName): readonly StubbedCall[] => made.get(name) ?? [],
  /** The calls that have no answer set; empty in a test that says all it needs. */
  unexpectedCalls: (): readonly string[] => unexpected,
  reset(): void {
    handlers.clear()
    made.clear()
    unexpected.length = 0
    tus.reset()
  },
}

function checked(name: EndpointName, reply: unknown): unknown {
  const endpoint: Endpoint = API[name]
  if (endpoint.status === 204) return undefined
  endpoint.reply.parse(reply)
  return reply
}

type Route = { readonly name: EndpointName; readonly method: string; readonly pattern: RegExp }
/** Paths without a parameter come first, as the server prefers them: `/posts/export` is no post. */
const ROUTES: readonly Route[] = Object.entries<Endpoint>(API)
  .toSorted(([, one], [, other]) => Number(one.path.includes(':')) - Number(other.path.includes(':')))
  .map(([name, { method, path }]) => ({
    name: name as EndpointName, // the keys of the contract
    method,
    pattern: new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
  }))

const recordOf = z.record(z.string(), z.unknown())

/** Stands for the network under axios: `listBrands` and so on answer by the handlers above. */
const adapter: AxiosAdapter = async (config) => {
  const { method = 'get', url = '' } = config
  // The first match: `/platforms/tiktok/video` comes before no pattern that would also take it.
  const route = ROUTES.find((one) => one.method === method.toUpperCase() && one.pattern.test(url))
  const call = callOf(config, route?.pattern.exec(url)?.groups ?? {})
  const handler = route && handlers.get(route.name)
  if (route) made.set(route.name, [...(made.get(route.name) ?? []), call])
  const tusAnswer = handler ? null : answerTus(config)
  if (!handler && !tusAnswer) unexpected.push(`${method} ${url}`)
  const answer = await Promise.race([
    Promise.resolve(tusAnswer ?? (handler ? handler(call) : { status: 501 })),
    aborted(config),
  ])
  if (answer === 'aborted') throw new CanceledError(undefined, undefined, config)
  if (answer === 'disconnected') throw new AxiosError('Network Error', AxiosError.ERR_NETWORK, config)
  return settled(config, answer)
}
axios.defaults.adapter = adapter

function callOf(config: InternalAxiosRequestConfig, params: Record<string, string>): StubbedCall {
  const data: unknown = config.data
  const parts = data instanceof FormData ? [...data] : []
  return {
    params,
    query: recordOf.catch({}).parse(config.params),
    body: typeof data === 'string' ? (JSON.parse(data) as unknown) : undefined,
    form: parts.map(([name, value]) => [name, typeof value === 'string' ? value : value.name] as const),
    headers: config.headers.toJSON(),
    uploaded: (loaded, total) => {
      config.onUploadProgress?.({ loaded, total, bytes: loaded, lengthComputable: true })
    },
  }
}

/** Resolves when the page gives the call up. */
const aborted = ({ signal }: InternalAxiosRequestConfig): Promise<'aborted'> =>
  new Promise((resolve) => {
    if (signal?.aborted) resolve('aborted')
    signal?.addEventListener?.('abort', () => resolve('aborted'))
  })

/** As axios settles an answer of a server. */
function settled(config: InternalAxiosRequestConfig, { status, body, headers = {} }: RawReply) {
  const data = config.responseType === 'text' ? JSON.stringify(body ?? null) : body
  const response = { data, status, statusText: '', headers, config }
  const isValid = config.validateStatus ?? ((one: number) => one >= 200 && one < 300)
  if (isValid(status)) return response
  const code = status < 500 ? AxiosError.ERR_BAD_REQUEST : AxiosError.ERR_BAD_RESPONSE
  throw new AxiosError(`Request failed with status code ${status}`, code, config, null, response)
}
