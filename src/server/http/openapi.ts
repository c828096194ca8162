import { z } from 'zod'
import { exampleOf, type Schema, type Schemas } from './examples.ts'
import { Account, AccountHealth } from '#contract/accounts.ts'
import { API } from '#contract/api/api.ts'
import { Brand } from '#contract/brands.ts'
import { Delivery, DeliveryEvent, Reason } from '#contract/deliveries.ts'
import { Draft, DraftContent, SavedContent } from '#contract/drafts.ts'
import { API_PREFIX } from '#contract/http/addresses.ts'
import { type Endpoint } from '#contract/http/endpoint.ts'
import { KEY_SCOPES, TAGS } from '#contract/http/key-rights.ts'
import { API_KEY_CALLS_PER_MINUTE, CALLS_PER_USER, WAITING_CALLS_PER_USER } from '#contract/limits.ts'
import { AccountOptions } from '#contract/platforms/index.ts'
import { Schedule } from '#contract/planning/schedules.ts'
import { Post, PostDetail } from '#contract/posts.ts'
import { ProblemBody, PROBLEMS, type ProblemCode } from '#contract/http/problem.ts'
import { Settings } from '#contract/settings.ts'
import { Upload } from '#contract/uploads.ts'
import { User } from '#contract/users.ts'
import { Finding, Picture, Video, VideoFacts } from '#contract/videos.ts'
import { WEBHOOK_BODIES } from '#contract/webhooks.ts'

const EVERYWHERE: readonly ProblemCode[] = ['malformed', 'too_many_requests', 'internal', 'unavailable']

/** Schemas used by several replies, by name. Whole replies are named after their endpoints. */
const SHARED = {
  Account,
  AccountHealth,
  AccountOptions,
  Brand,
  Delivery,
  DeliveryEvent,
  Draft,
  DraftContent,
  SavedContent,
  Finding,
  Picture,
  Post,
  PostDetail,
  Problem: ProblemBody,
  Schedule,
  Reason,
  Settings,
  Upload,
  User,
  Video,
  VideoFacts,
  ...WEBHOOK_BODIES,
}
const endpoints = Object.entries(API) as [string, Endpoint][] // by name

export function openapi(): object {
  const { components, replyOf, exampleOfReply } = replySchemas()
  const paths: Record<string, Record<string, object>> = {}
  for (const [name, endpoint] of endpoints) {
    const path = `${API_PREFIX}${endpoint.path.replaceAll(/:(\w+)/g, '{$1}')}`
    ;(paths[path] ??= {})[endpoint.method.toLowerCase()] = operation(name, endpoint, {
      replyOf,
      exampleOfReply,
    })
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Reelay',
      version: '1',
      description: `Post one video to many accounts, exactly once each. The server runs ${CALLS_PER_USER} calls of a user at a time, not counting
uploads and event streams, and ${WAITING_CALLS_PER_USER} more wait in order. Further calls get 429 and change nothing: repeat them after \`Retry-After\`. An API key may make ${API_KEY_CALLS_PER_MINUTE} calls a minute; the headers
\`RateLimit-Policy\` and \`RateLimit\` say how many are left.`,
    },
    tags: TAGS.map((name) => ({ name })),
    paths,
    webhooks: Object.fromEntries(
      Object.values(WEBHOOK_BODIES).flatMap((body) =>
        body.shape.type.options.map((type) => [
          type,
          { post: message(type, body, { replyOf, exampleOfReply }) },
        ]),
      ),
    ),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The secret of an API key that has the named scope, or the ID token of a session. Calls without a scope take sessions only.',
        },
      },
      schemas: components,
    },
  }
}

const isForKeys = ({ auth }: Endpoint): boolean => (KEY_SCOPES as readonly string[]).includes(auth)

type Replies = Omit<ReturnType<typeof replySchemas>, 'components'>

function operation(name: string, endpoint: Endpoint, replies: Replies): object {
  return {
    operationId: name,
    summary: endpoint.summary,
    tags: [endpoint.tag],
    // The scopes that an API key needs; a session needs none.
    security: endpoint.auth === 'none' ? [] : [{ bearer: isForKeys(endpoint) ? [endpoint.auth] : [] }],
    parameters: [
      ...parameters('path', endpoint.params),
      ...parameters('query', endpoint.query),
      ...(endpoint.idempotent
        ? [
            {
              name: 'Idempotency-Key',
              in: 'header',
              description: IDEMPOTENCY,
              schema: { type: 'string', maxLength: 200 },
            },
          ]
        : []),
    ],
    ...(endpoint.body && { requestBody: requestBody(name, endpoint) }),
    responses: {
      [endpoint.status]: success(name, endpoint, replies),
      ...(endpoint.publicForS !== undefined && { 304: { description: 'Unchanged since the given ETag.' } }),
      ...Object.fromEntries(problemsByStatus(endpoint)),
    },
  }
}

/** What a webhook gets, as a call that the receiver answers. */
function message(type: string, body: z.ZodType, { replyOf, exampleOfReply }: Replies): object {
  const example = { ...(exampleOfReply(body) as object), type } // every body is an object
  return {
    operationId: type,
    summary: `A message of the event \`${type}\``,
    tags: ['Webhooks'],
    parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
      name,
      in: 'header',
      required: true,
      schema: { type: 'string' },
    })),
    requestBody: { required: true, content: { 'application/json': { schema: replyOf(body), example } } },
    responses: {
      '2XX': { description: 'It was received.' },
      default: { description: 'It is sent again, with the same id.' },
    },
  }
}

function parameters(where: 'path' | 'query', schema: z.ZodObject | undefined): object[] {
  if (!schema) return []
  const shape: Record<string, z.ZodType> = schema.shape
  return Object.entries(shape).map(([name, field]) => ({
    name,
    in: where,
    required: where === 'path' || !field.safeParse(undefined).success,
    schema: inputSchema(field),
  }))
}

function requestBody(call: string, endpoint: Endpoint): object {
  const schema = endpoint.body ? inputSchema(endpoint.body) : {}
  const example = exampleOf(schema as Schema, {}, 'required', { call })
  if (!endpoint.file) return { required: true, content: { 'application/json': { schema, example } } }
  const file = { type: 'string', format: 'binary', description: endpoint.file.description }
  return {
    required: true,
    content: {
      'multipart/form-data': {
        schema: {
          ...schema,
          properties: { [endpoint.file.field]: file, ...schema.properties },
          required: [endpoint.file.field, ...(schema.required ?? [])],
        },
      },
    },
  }
}

function success(call: string, endpoint: Endpoint, { replyOf, exampleOfReply }: Replies): object {
  if (endpoint.status === 204) return { description: 'Done.' }
  const type = endpoint.stream ? 'text/event-stream' : (endpoint.download ?? 'application/json')
  return {
    description: endpoint.summary,
    ...(endpoint.idempotent && { headers: REPLAYED }),
    content: {
      [type]: {
        schema: replyOf(endpoint.reply),
        ...(endpoint.download === undefined && { example: exampleOfReply(endpoint.reply, call) }),
      },
    },
  }
}

function problemsByStatus(endpoint: Endpoint): [string, object][] {
  const codes = [
    ...EVERYWHERE,
    ...(endpoint.auth === 'none' ? [] : (['unauthorized', 'user_disabled'] as const)),
    ...(endpoint.auth === 'operator' || isForKeys(endpoint) ? (['forbidden'] as const) : []),
    ...(endpoint.method === 'GET' ? [] : (['too_large', 'unsupported_media'] as const)),
    ...(endpoint.idempotent ? (['key_reused'] as const) : []),
    ...endpoint.problems,
  ]
  const byStatus = Map.groupBy(new Set(codes), (code) => PROBLEMS[code])
  return [...byStatus].map(([status, grouped]) => [
    String(status),
    {
      description: grouped.join(', '),
      ...(status === PROBLEMS.too_many_requests && { headers: RETRY_AFTER }),
      content: { 'application/json': { schema: { $ref: uri('Problem') } } },
    },
  ])
}

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds until the call may be repeated.', schema: { type: 'integer' } },
}

const IDEMPOTENCY =
  'The same key is the same post for ever. Another request with the key gets 422 `key_reused`; one at the same moment waits for the first.'

const REPLAYED = {
  'Idempotent-Replayed': {
    description: '`true` if an earlier request with the same key did this. The reply is how it is now.',
    schema: { type: 'string' },
  },
}

export const inputSchema = (schema: z.ZodType) =>
  bare(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))

const uri = (id: string) => `#/components/schemas/${id}`

/** Converts all replies in one call: only then do the schemas refer to each other by name. */
function replySchemas() {
  const names = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(SHARED)) names.add(schema, { id })
  for (const [name, { status, reply }] of endpoints)
    if (status !== 204 && !names.has(reply)) names.add(reply, { id: replyName(name) })
  const { schemas } = z.toJSONSchema(names, { uri, io: 'output', unrepresentable: 'any' })
  const components = Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, bare(schema)]))
  const replyOf = (reply: z.ZodType) => ({ $ref: uri(names.get(reply)?.id ?? '') })
  return {
    components,
    replyOf,
    exampleOfReply: (reply: z.ZodType, call = '') =>
      exampleOf(replyOf(reply), components as Schemas, 'all', { call }),
  }
}

const replyName = (endpoint: string) => `${endpoint.charAt(0).toUpperCase()}${endpoint.slice(1)}Reply`

/** OpenAPI states these once for the whole document. */
function bare({ $schema: _schema, $id: _id, ...json }: z.core.JSONSchema.BaseSchema) {
  return json
}
