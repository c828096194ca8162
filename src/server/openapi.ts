import { z } from 'zod'
import { API } from '#contract/api.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { ProblemBody, PROBLEMS, type ProblemCode } from '#contract/problem.ts'

/** What any call may answer, whatever it says of itself. */
const EVERYWHERE: readonly ProblemCode[] = ['malformed', 'too_many_requests', 'internal', 'unavailable']

/** The contract as OpenAPI 3.1. `docs/api.json` is a copy, so that a change to the API is seen in review. */
export function openapi(): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const [name, endpoint] of Object.entries(API) as [string, Endpoint][]) {
    const path = `/api/v1${endpoint.path.replaceAll(/:(\w+)/g, '{$1}')}`
    ;(paths[path] ??= {})[endpoint.method.toLowerCase()] = operation(name, endpoint)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Reelay',
      version: '1',
      description: 'Post one video to many accounts, exactly once each.',
    },
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: { Problem: schemaOf(ProblemBody, 'output') },
    },
  }
}

function operation(name: string, endpoint: Endpoint): object {
  return {
    operationId: name,
    summary: endpoint.summary,
    tags: [endpoint.tag],
    security: endpoint.auth === 'bearer' ? [{ bearer: [] }] : [],
    parameters: [
      ...parameters('path', endpoint.params),
      ...parameters('query', endpoint.query),
      ...(endpoint.idempotent
        ? [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string', maxLength: 200 } }]
        : []),
    ],
    ...(endpoint.body && { requestBody: requestBody(endpoint) }),
    responses: {
      [endpoint.status]: success(endpoint),
      ...Object.fromEntries(problemsByStatus(endpoint)),
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
    schema: schemaOf(field, 'input'),
  }))
}

function requestBody(endpoint: Endpoint): object {
  const schema = endpoint.body ? schemaOf(endpoint.body, 'input') : {}
  if (!endpoint.file) return { required: true, content: { 'application/json': { schema } } }
  const file = { type: 'string', format: 'binary', description: endpoint.file.description }
  const properties = 'properties' in schema && typeof schema.properties === 'object' ? schema.properties : {}
  return {
    required: true,
    content: {
      'multipart/form-data': {
        schema: { ...schema, properties: { [endpoint.file.field]: file, ...properties } },
      },
    },
  }
}

function success(endpoint: Endpoint): object {
  if (endpoint.status === 204) return { description: 'Done.' }
  const type = endpoint.stream ? 'text/event-stream' : 'application/json'
  return {
    description: endpoint.summary,
    content: { [type]: { schema: schemaOf(endpoint.reply, 'output') } },
  }
}

function problemsByStatus(endpoint: Endpoint): [string, object][] {
  const codes = [
    ...EVERYWHERE,
    ...(endpoint.auth === 'bearer' ? (['unauthorized'] as const) : []),
    ...endpoint.problems,
  ]
  const byStatus = Map.groupBy(new Set(codes), (code) => PROBLEMS[code])
  return [...byStatus].map(([status, those]) => [
    String(status),
    {
      description: those.join(', '),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  ])
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): object {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return json
}
