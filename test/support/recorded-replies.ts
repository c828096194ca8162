import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { FastifyInstance } from 'fastify'
import { API_PREFIX } from '#contract/http/addresses.ts'
import { API } from '#contract/api/api.ts'
import type { Endpoint } from '#contract/http/endpoint.ts'
import { openapi } from '#server/http/openapi.ts'

const countParameters = ({ path }: Endpoint): number => path.split(':').length
/** `/posts/export` before `/posts/:postId`, as in the router. */
const endpoints = Object.values<Endpoint>(API)
  .toSorted((one, other) => countParameters(one) - countParameters(other))
  .map((endpoint) => ({
    endpoint,
    address: new RegExp(`^${API_PREFIX}${endpoint.path.replaceAll(/:\w+/g, '[^/]+')}$`),
  }))
const validators = new Map<string, ValidateFunction | null>()
let described: { readonly document: Document; readonly ajv: Ajv2020 } | null = null

/**
 * Compares each JSON reply of a test server with the OpenAPI document, by an independent validator. @returns a line per
 * reply that the document does not describe; it grows while the server runs
 */
export function recordReplies(app: FastifyInstance): readonly string[] {
  const mismatches: string[] = []
  app.server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const endpoint = findEndpoint(request)
    if (!endpoint || endpoint.stream || endpoint.download) return
    const [end, writeHead] = [response.end.bind(response), response.writeHead.bind(response)]
    let encoding: unknown
    // Fastify passes its headers here, and `getHeader` does not return them.
    response.writeHead = (...args: unknown[]) => {
      const headers = new Map(Object.entries(args.at(-1) ?? {}))
      encoding = headers.get('content-encoding')
      return Reflect.apply(writeHead, response, args) as ServerResponse
    }
    // Fastify sends JSON in one piece.
    response.end = (...args: unknown[]) => {
      const { statusCode } = response
      const mismatch = findMismatch(endpoint, statusCode, readText(args[0], encoding))
      if (mismatch) mismatches.push(`${endpoint.method} ${endpoint.path} ${statusCode}: ${mismatch}`)
      return Reflect.apply(end, response, args) as ServerResponse
    }
  })
  return mismatches
}

function readText(body: unknown, encoding: unknown): string {
  if (typeof body === 'string') return body
  if (!Buffer.isBuffer(body)) return ''
  if (encoding === 'br') return brotliDecompressSync(body).toString()
  return (encoding === 'gzip' ? gunzipSync(body) : body).toString()
}

function findEndpoint({ method, url = '' }: IncomingMessage): Endpoint | undefined {
  const [path = ''] = url.split('?')
  return endpoints.find(({ endpoint, address }) => endpoint.method === method && address.test(path))?.endpoint
}

function findMismatch(endpoint: Endpoint, status: number, body: string): string | null {
  const validate = findValidator(endpoint, status)
  if (!validate) return 'the document does not name this status'
  if (status === 204 || status === 304) return body === '' ? null : 'a body'
  if (body === '') return 'no body'
  if (validate(JSON.parse(body))) return null
  const [error] = validate.errors ?? []
  return `${error?.instancePath} ${error?.message} (${JSON.stringify(error?.params)})`
}

function findValidator(endpoint: Endpoint, status: number): ValidateFunction | null {
  const path = `${API_PREFIX}${endpoint.path.replaceAll(/:(\w+)/g, '{$1}')}`
  const key = `${endpoint.method.toLowerCase()} ${path} ${status}`
  const known = validators.get(key)
  if (known !== undefined) return known
  const made = makeValidator(path, endpoint.method.toLowerCase(), status)
  validators.set(key, made)
  return made
}

type Responses = Record<string, { content?: { 'application/json': { schema: object } } }>
type Document = { paths: Record<string, Record<string, { responses: Responses }>> }

function makeValidator(path: string, method: string, status: number): ValidateFunction | null {
  const { document, ajv } = (described ??= readDescription())
  const response = document.paths[path]?.[method]?.responses[status]
  if (!response) return null
  const schema = response.content?.['application/json'].schema
  // References are relative to the document.
  return ajv.compile(schema ? (JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as object) : {})
}

function readDescription() {
  const document = openapi() as Document // as it is made
  // OpenAPI has keywords that JSON Schema lacks.
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  return { document, ajv: ajv.addSchema(document, 'api') }
}
