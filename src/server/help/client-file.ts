import type { Schema } from '../http/examples.ts'
import { type ApiDescription, type Call, listCalls } from './api-page.ts'

/** `reelay.ts`: the calls that API keys can make as a TypeScript client without dependencies, made from the API's description. */
export function clientFile(api: ApiDescription): string {
  const calls = listCalls(api).filter(({ operation }) => operation.security[0]?.bearer[0] !== undefined)
  const types = Object.entries(api.components.schemas).map(
    ([name, schema]) => `export type ${name} = ${printType(schema)}\n`,
  )
  return [
    '// The client of this Reelay server, without dependencies. Made from the description of its API: do not change it, load it again.',
    '/* eslint-disable */',
    '',
    ...types,
    '/** What each call takes and answers. */',
    `export type Calls = {\n${calls.map(printCall).join('')}}\n`,
    `const CALLS = {\n${calls.map(printRoute).join('')}} as const\n`,
    RUNTIME,
  ].join('\n')
}

function printCall({ operation }: Call): string {
  const { operationId, summary, parameters, requestBody } = operation
  const part = (name: string, where: string) => {
    const fields = parameters.filter((one) => one.in === where)
    if (fields.length === 0) return ''
    const isOptional = fields.every(({ required }) => required !== true)
    return `    ${name}${isOptional ? '?' : ''}: ${printObject(fields, '    ')}\n`
  }
  const body = Object.values(requestBody?.content ?? {})[0]
  return `${printComment(`${summary}.`, '  ')}  ${operationId}: {
${part('params', 'path')}${part('query', 'query')}${part('headers', 'header')}${
    body ? `    body: ${printType(body.schema, '    ')}\n` : ''
  }    reply: ${printReply(operation)}
  }
`
}

/** A reply that is not JSON is returned as the `Response`. */
function printReply({ responses }: Call['operation']): string {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  const [type, content] = Object.entries(success?.content ?? {})[0] ?? []
  if (!content) return 'undefined'
  return type === 'application/json' ? printType(content.schema, '    ') : 'Response'
}

const printRoute = (call: Call): string => {
  const { operationId, requestBody } = call.operation
  const kind = requestBody?.content['multipart/form-data'] ? 'form' : 'json'
  return `  ${operationId}: ['${call.method}', '${call.path}', '${kind}', ${printReply(call.operation) === 'Response'}],\n`
}

const isName = (text: string): boolean => /^[a-z_$][\w$]*$/i.test(text)

type Field = {
  readonly name: string
  readonly required?: boolean
  readonly schema: Schema
  readonly description?: string
}

/** Optional fields take `undefined`, so that callers with `exactOptionalPropertyTypes` can pass a value that they may lack. */
function printObject(fields: readonly Field[], indent: string): string {
  const inner = `${indent}  `
  const lines = fields.map(({ name, required = false, schema, description = schema.description }) => {
    const comment = description === undefined ? '' : printComment(description, inner)
    const key = isName(name) ? name : JSON.stringify(name)
    const type = printType(schema, inner)
    return `${comment}${inner}${key}${required ? `: ${type}` : `?: ${type} | undefined`}\n`
  })
  return `{\n${lines.join('')}${indent}}`
}

const printComment = (text: string, indent: string): string =>
  `${indent}/** ${text.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ')} */\n`

/** `indent` is that of the line on which the type begins. */
function printType(schema: Schema, indent = ''): string {
  const { $ref, const: value, enum: values, type, properties, items, additionalProperties: more } = schema
  if ($ref !== undefined) return $ref.split('/').at(-1) ?? 'unknown'
  if (value !== undefined) return JSON.stringify(value)
  if (values) return values.map((one) => JSON.stringify(one)).join(' | ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return [...new Set(choices.map((one) => printType(one, indent)))].join(' | ')
  if (Array.isArray(type))
    return type.map((one: string) => printType({ ...schema, type: one }, indent)).join(' | ')
  switch (String(type)) {
    case 'object':
      return properties
        ? printObject(
            Object.entries(properties).map(([name, one]) => ({
              name,
              schema: one,
              required: schema.required?.includes(name) ?? false,
            })),
            indent,
          )
        : `Record<string, ${typeof more === 'object' ? printType(more, indent) : 'unknown'}>`
    case 'array': {
      const item = items ? printType(items, indent) : 'unknown'
      return /[ |]/.test(item) ? `(${item})[]` : `${item}[]`
    }
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
      return schema.format === 'binary' ? 'Blob' : 'string'
    case 'boolean':
    case 'null':
      return String(type)
    default:
      return 'unknown'
  }
}

const RUNTIME = `/** The server refused the call; \`retryable\`: the same call may succeed later. */
export class ReelayError extends Error {
  readonly status: number
  /** \`unreadable\`: the answer did not come from Reelay, but from a proxy for example. */
  readonly code: Problem['code'] | 'unreadable'
  readonly retryable: boolean
  /** Messages by field. */
  readonly errors: Record<string, string[]>
  /** Seconds to wait before another try; null: the server did not say. */
  readonly retryAfter: number | null
  constructor(answer: Response, body: Partial<Problem>) {
    super(body.message ?? \`Reelay answered \${answer.status}.\`)
    this.name = 'ReelayError'
    this.status = answer.status
    this.code = body.code ?? 'unreadable'
    this.retryable = body.retryable ?? answer.status >= 500
    this.errors = body.errors ?? {}
    this.retryAfter = Number(answer.headers.get('retry-after')) || null
  }
}

type Input<N extends keyof Calls> = Omit<Calls[N], 'reply'> & { signal?: AbortSignal | undefined }
type Rest<N extends keyof Calls> = {} extends Input<N> ? [input?: Input<N>] : [input: Input<N>]
export type Reelay = <N extends keyof Calls>(name: N, ...rest: Rest<N>) => Promise<Calls[N]['reply']>

/** \`url\` is the server's address, and \`key\` the secret of an API key. */
export function createReelay({ url, key }: { url: string; key: string }): Reelay {
  return async (name, ...[input = {}]) => {
    const [method, path, kind, isRaw] = CALLS[name]
    const { params = {}, query = {}, headers = {}, body, signal } = input as {
      params?: Record<string, unknown>
      query?: Record<string, unknown>
      headers?: Record<string, string | undefined>
      body?: Record<string, unknown>
      signal?: AbortSignal
    }
    const address = new URL(path.replace(/\\{(\\w+)\\}/g, (_all, field) => encodeURIComponent(String(params[field]))), url)
    for (const [field, value] of Object.entries(query))
      if (value !== undefined) address.searchParams.set(field, String(value))
    const sent = new Headers({ authorization: \`Bearer \${key}\` })
    if (kind === 'json' && body !== undefined) sent.set('content-type', 'application/json')
    for (const [field, value] of Object.entries(headers)) if (value !== undefined) sent.set(field, value)
    const answer = await fetch(address, {
      method,
      headers: sent,
      ...(body !== undefined && { body: kind === 'form' ? toForm(body) : JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    if (!answer.ok) throw new ReelayError(answer, (await answer.json().catch(() => ({}))) as Partial<Problem>)
    const reply: unknown = isRaw ? answer : answer.status === 204 ? undefined : await answer.json()
    return reply as Calls[typeof name]['reply']
  }
}

function toForm(body: Record<string, unknown>): FormData {
  const form = new FormData()
  // Fields come before files.
  for (const [name, value] of Object.entries(body))
    if (!(value instanceof Blob) && value !== undefined)
      form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  for (const [name, value] of Object.entries(body)) if (value instanceof Blob) form.append(name, value)
  return form
}
`
