import { API } from '#contract/api/api.ts'
import type { Endpoint } from '#contract/http/endpoint.ts'
import { API_PREFIX, CLIENT_FILE, LINKED_PAGES, MCP_PATH } from '#contract/http/addresses.ts'
import { TAGS } from '#contract/http/key-rights.ts'
import { PROBLEMS, type ProblemCode } from '#contract/http/problem.ts'
import { API_KEY_CALLS_PER_MINUTE } from '#contract/limits.ts'
import { isRetryable } from '#base/problem.ts'
import { escapeHtml } from '#base/escape-html.ts'
import { exampleOf, type Schema, type Schemas } from '../http/examples.ts'
import { plainPage } from '../http/plain-page.ts'

type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>
type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly security: readonly { readonly bearer: readonly string[] }[]
  readonly parameters: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly description?: string
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
}
/** The API's description, as far as its page shows it. */
export type ApiDescription = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  /** Messages to receivers, by their event. */
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>
  readonly components: { readonly schemas: Schemas }
}

const STYLE = `
body { max-width: 60rem; }
code, pre { font: 14px/20px ui-monospace, monospace; }
pre { padding: 12px; overflow-x: auto; border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: 6px; }
nav ul { columns: 3 12rem; padding-left: 20px; }
h2 { margin-top: 48px; }
details { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding: 8px 0; }
summary { cursor: pointer; }
summary code { font-weight: 600; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: 4px 12px 4px 0; text-align: left; vertical-align: top; overflow-wrap: normal; }
td code { white-space: nowrap; }
td:nth-child(2) { min-width: 5rem; }
td:nth-child(3) { min-width: 14rem; }
td:nth-child(3) code { white-space: normal; }
.scroll { overflow-x: auto; }
@media (max-width: 40rem) {
  .fields thead { display: none; }
  .fields tr { display: block; padding: 8px 0; }
  .fields td { display: inline; }
  .fields td:nth-child(3) { display: block; }
}`

const code = (text: string): string => `<code>${escapeHtml(text)}</code>`
/** The contract's texts mark code as Markdown does. */
const prose = (text: string): string => escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
const slug = (text: string): string => text.toLowerCase().replaceAll(' ', '-')

/** `/help/api`: every call with its fields and examples, one page without scripts. @param publicUrl where this server is reached */
export function apiPage(api: ApiDescription, publicUrl: string): string {
  const operations = listCalls(api)
  const sections = TAGS.flatMap((tag) => {
    const calls = operations.filter(({ operation }) => operation.tags.includes(tag))
    return calls.length === 0
      ? []
      : [
          `<h2 id="${slug(tag)}">${escapeHtml(tag)}</h2>`,
          ...calls.map((call) => callPart(call, api.components.schemas, publicUrl)),
        ]
  })
  return plainPage(
    'API',
    [
      `<p>A program can do nearly everything that the screens do. Make a key in <a href="${LINKED_PAGES.settings}">Settings</a> and send it with each call:</p>`,
      `<pre>${escapeHtml(`curl -H "Authorization: Bearer reelay_…" ${publicUrl}${API_PREFIX}/user`)}</pre>`,
      ...RULES.map((rule) => `<p>${prose(rule)}</p>`),
      `<p>For TypeScript: <a href="${CLIENT_FILE}">reelay.ts</a>, a client in one file without dependencies. For generators: <a href="${API_PREFIX}/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>`,
      `<nav aria-label="Contents"><ul>${[
        ...TAGS.filter((tag) => sections.some((part) => part.includes(`id="${slug(tag)}"`))),
        'Messages',
        'Shapes',
        'Refusals',
      ]
        .map((tag) => `<li><a href="#${slug(tag)}">${escapeHtml(tag)}</a></li>`)
        .join('')}</ul></nav>`,
      ...sections,
      '<h2 id="messages">Messages</h2>',
      '<p>Webhooks are sent these, signed as <a href="https://www.standardwebhooks.com">Standard Webhooks</a> says.</p>',
      ...Object.entries(api.webhooks).map(([event, { post }]) =>
        messagePart(event, post, api.components.schemas),
      ),
      '<h2 id="shapes">Shapes</h2>',
      '<p>What several calls answer.</p>',
      ...Object.entries(api.components.schemas)
        .filter(([name]) => isShape(name))
        .map(([name, schema]) => shapePart(name, schema, api.components.schemas)),
      '<h2 id="refusals">Refusals</h2>',
      '<p>A refused call answers JSON with a <code>message</code> for people and a <code>code</code> for programs; <code>errors</code> names the fields.</p>',
      problemTable(),
    ],
    STYLE,
  )
}

const RULES: readonly string[] = [
  'A key has one or more rights. In Settings `read` is called See, `write` Change, and `publish` Publish. No key links accounts, makes keys or webhooks, or runs the server.',
  'From a terminal, `/cli/reelay.mjs` does all this for you: one file for Node.',
  'Programs ask users for a key by OAuth 2.1, from a browser or with a code: `/.well-known/oauth-authorization-server` says how.',
  `Assistants connect to \`${MCP_PATH}\` with a key, by the Model Context Protocol.`,
  'Ids are positive integers, times are ISO 8601 in UTC. Ignore fields, values and events that you do not know: new ones come without notice.',
  'A call that makes posts may be repeated safely with the header `Idempotency-Key`: the same key is the same post for ever.',
  'Lists have pages: send `next_cursor` as `cursor` until it is null.',
  `A key may make ${API_KEY_CALLS_PER_MINUTE} calls a minute. The headers \`RateLimit-Policy\` and \`RateLimit\` say how many are left; over it, calls get 429 with \`Retry-After\`.`,
  `The version is in the address, \`${API_PREFIX}\`. Within it fields and calls are added, and none is removed or changes its meaning. What is to go is named in the changelog under "Callers must change", and works for one more release at least.`,
]

export type Call = { readonly path: string; readonly method: string; readonly operation: Operation }

export const listCalls = ({ paths }: Pick<ApiDescription, 'paths'>): Call[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )

function callPart({ path, method, operation }: Call, schemas: Schemas, publicUrl: string): string {
  const { parameters, requestBody, responses, security } = operation
  const [type, body] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const [status, success] = Object.entries(responses).find(([one]) => one.startsWith('2')) ?? []
  const [answer] = Object.values(success?.content ?? {})
  const refusals = Object.entries(responses).filter(([one]) => one >= '400')
  const scope = security[0]?.bearer[0]
  const who =
    security.length === 0
      ? 'Needs no login.'
      : scope === undefined
        ? 'Works only for users who are logged in: API keys cannot do this.'
        : `Needs the right \`${scope}\`. ${describeLimit(operation)}`
  return `<details id="${operation.operationId}">
<summary>${code(`${method} ${path}`)} ${prose(operation.summary)}.</summary>
<p>${prose(who)}</p>
${fieldTable(
  'Parameters',
  parameters.map(({ name, in: where, required, description, schema }) => ({
    name: where === 'header' ? `${name} (header)` : name,
    required: required === true,
    type: typeName(schema, schemas),
    text: description ?? schema.description ?? '',
  })),
)}
${body ? fieldTable(`Body (${type})`, listFields(body.schema, schemas)) : ''}
${security.length > 0 && scope === undefined ? '' : `<pre>${escapeHtml(curlExample({ path, method, operation }, schemas, publicUrl))}</pre>`}
${answer ? `<p>Answers ${status}: ${typeName(answer.schema, schemas)}.</p>${fieldTable(`Answer ${status}`, listFields(answer.schema, schemas))}` : `<p>Answers ${status} without a body.</p>`}
${answer?.example === undefined ? '' : `<pre>${escapeHtml(JSON.stringify(answer.example, null, 2))}</pre>`}
<p>Refusals: ${refusals
    .flatMap(([, { description }]) => description.split(', '))
    .map((one) => `<a href="#refusal-${one}">${code(one)}</a>`)
    .join(', ')}.</p>
</details>`
}

const endpoints: Readonly<Record<string, Endpoint>> = API

/** Says what a key gets from a call that is limited to some brands or accounts. */
function describeLimit({ operationId }: Operation): string {
  switch (endpoints[operationId]?.limitedKeys) {
    case 'any':
      return ''
    case 'named':
      return 'A key that is limited to some brands or accounts can do this with those alone.'
    case 'filtered':
      return 'A key that is limited to some brands or accounts gets those alone.'
    case undefined:
      return 'Keys that are limited to some brands or accounts cannot do this.'
  }
}

/** A command for the call with a key, with all that it must have. Users fill in the parts of the path. */
function curlExample({ path, method, operation }: Call, schemas: Schemas, publicUrl: string): string {
  const { parameters, requestBody, security } = operation
  const [type, body] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const query = parameters
    .filter((one) => one.in === 'query' && one.required === true)
    .map(({ name, schema }) => `${name}=${String(exampleOf(schema, schemas, 'required', { name }))}`)
  const lines = [
    `curl -X ${method} ${query.length === 0 ? publicUrl + path : `"${publicUrl}${path}?${query.join('&')}"`}`,
  ]
  if (security.length > 0) lines.push('-H "Authorization: Bearer reelay_…"')
  if (body?.example !== undefined)
    lines.push(`-H "Content-Type: application/json" -d '${JSON.stringify(body.example)}'`)
  if (body && type === 'multipart/form-data') lines.push(...formFields(body.schema, schemas))
  return lines.join(' \\\n  ')
}

/** The fields that a form must have; those that are no files are JSON. */
const formFields = ({ properties = {}, required = [] }: Schema, schemas: Schemas): string[] =>
  required.map((name) => {
    const field = properties[name] ?? {}
    if (field.format === 'binary') {
      const picture = /JPEG|PNG/.exec(field.description ?? '')?.[0]
      return `-F ${name}=@${picture ? `picture.${picture.toLowerCase()}` : 'opening-day.mp4'}`
    }
    const value = exampleOf(field, schemas, 'required', { name })
    return `-F '${name}=${JSON.stringify(value)}'`
  })

function messagePart(event: string, { requestBody }: Operation, schemas: Schemas): string {
  const [body] = Object.values(requestBody?.content ?? {})
  return `<details id="message-${event}">
<summary>${code(event)}</summary>
${body ? fieldTable('Body (application/json)', listFields(resolve(body.schema, schemas), schemas)) : ''}
<pre>${escapeHtml(JSON.stringify(body?.example, null, 2))}</pre>
</details>`
}

/** Replies of a single call are written out where it is; messages have a part of their own. */
const isShape = (name: string): boolean => !/(?:Reply|Message)$/.test(name)
const shapeOf = ({ $ref }: Schema): string | null => {
  const name = $ref?.split('/').at(-1)
  return name !== undefined && isShape(name) ? name : null
}

const shapePart = (name: string, schema: Schema, schemas: Schemas): string =>
  fieldTable(name, listFields(schema, schemas), `shape-${name}`)

type Field = {
  readonly name: string
  readonly required: boolean
  /** HTML. */
  readonly type: string
  readonly text: string
}

const fieldTable = (caption: string, fields: readonly Field[], id?: string): string =>
  fields.length === 0
    ? ''
    : `<h3${id === undefined ? '' : ` id="${id}"`}>${escapeHtml(caption)}</h3><div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(caption)}"><table class="fields">
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">What it is</th></tr></thead>
<tbody>${fields
        .map(
          ({ name, required, type, text }) =>
            `<tr><td>${code(name)}${required ? '' : ' (optional)'}</td><td>${type}</td><td>${prose(text)}</td></tr>`,
        )
        .join('')}</tbody></table></div>`

const resolve = (schema: Schema, schemas: Schemas): Schema =>
  schema.$ref === undefined ? schema : (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {})

const choicesOf = ({ anyOf, oneOf }: Schema): readonly Schema[] => anyOf ?? oneOf ?? []

const isNested = (name: string, prefix: string): boolean => name.lastIndexOf('.') > prefix.length

/** The fields of an object or of a list's items, those of nested objects by their path. A shape has its own table. */
function listFields(given: Schema, schemas: Schemas, prefix = '', seen: readonly Schema[] = []): Field[] {
  const schema = resolve(given, schemas)
  if (shapeOf(given) !== null || seen.includes(schema)) return []
  const inner = (one: Schema, path: string) => listFields(one, schemas, path, [...seen, schema])
  if (schema.items) return inner(schema.items, `${prefix}[]`)
  const choices = choicesOf(schema)
  if (choices.length > 0) {
    const variants = choices.map((one) => inner(one, prefix)).filter((fields) => fields.length > 0)
    return [...Map.groupBy(variants.flat(), ({ name }) => name).values()].flatMap((same) =>
      same.slice(0, 1).map((field) => ({
        ...field,
        required:
          (isNested(field.name, prefix) || same.length === variants.length) &&
          same.every(({ required }) => required),
        type: [...new Set(same.map(({ type }) => type))].join(' | '),
      })),
    )
  }
  return Object.entries(schema.properties ?? {}).flatMap(([name, one]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    return [
      {
        name: path,
        required: schema.required?.includes(name) ?? false,
        type: typeName(one, schemas),
        text: one.description ?? resolve(one, schemas).description ?? '',
      },
      ...inner(one, path),
    ]
  })
}

/** A type as HTML; a shape is a link to its table. */
function typeName(given: Schema, schemas: Schemas): string {
  const shape = shapeOf(given)
  if (shape !== null) return `<a href="#shape-${shape}">${escapeHtml(shape)}</a>`
  const schema = resolve(given, schemas)
  if (schema.const !== undefined) return escapeHtml(JSON.stringify(schema.const))
  if (schema.enum) return escapeHtml(schema.enum.map((one) => JSON.stringify(one)).join(' | '))
  const choices = choicesOf(schema)
  if (choices.length > 0) return [...new Set(choices.map((one) => typeName(one, schemas)))].join(' | ')
  if (schema.items) return `list of ${typeName(schema.items, schemas)}`
  return escapeHtml(schema.format ?? [schema.type ?? 'any'].flat().join(' | '))
}

const problemTable = (): string => `<div class="scroll" tabindex="0" role="region" aria-label="Codes"><table>
<thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Try again unchanged?</th></tr></thead>
<tbody>${(Object.entries(PROBLEMS) as [ProblemCode, number][])
  .map(
    ([name, status]) =>
      `<tr id="refusal-${name}"><td>${code(name)}</td><td>${status}</td><td>${isRetryable(name) ? 'later' : 'no'}</td></tr>`,
  )
  .join('')}</tbody></table></div>`
