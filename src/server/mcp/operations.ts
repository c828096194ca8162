import type { z } from 'zod'
import { API, type Api, type EndpointName } from '#contract/api/api.ts'
import type { Endpoint } from '#contract/http/endpoint.ts'
import { KEY_SCOPES, type KeyScope } from '#contract/http/key-rights.ts'
import { type KeyRights, mayCall } from '../http/caller.ts'
import { exampleOf, type Schema } from '../http/examples.ts'
import { inputSchema } from '../http/openapi.ts'

/** Without the calls that take files, which no assistant can send. */
type PublishName = {
  [N in EndpointName]: Api[N] extends { file: object }
    ? never
    : Api[N] extends { auth: 'publish' }
      ? N
      : never
}[EndpointName]

/**
 * How an assistant may make a call. `needs_token`: only with the token of a dry run. `unless_restored`: not for a delivery that is held
 * after a restore, which may be live already. `never`: it would send or move what no dry run has shown, or answers a person's question.
 */
type Use = 'offered' | 'needs_token' | 'unless_restored' | 'never'

/** The calls that make posts, or make them go out otherwise. A new one does not compile until it is listed. */
export const PUBLISHING: Readonly<Record<PublishName, Use>> = {
  createPost: 'needs_token',
  // They send what a person approved, or stop it.
  retryDelivery: 'unless_restored',
  pauseAccount: 'offered',
  pauseBrand: 'offered',
  pauseSchedule: 'offered',
  // They take content that cannot be tried first.
  createPosts: 'never',
  importPosts: 'never',
  editPost: 'never',
  // They move posts to other times or accounts.
  bulkPosts: 'never',
  moveAccount: 'never',
  moveAccountPosts: 'never',
  renameBrand: 'never',
  deleteBrand: 'never',
  changeSchedule: 'never',
  deleteSchedule: 'never',
  // Only a person can look whether a post or a comment is live.
  resolveDelivery: 'never',
  decideRestored: 'never',
  retryFollowUp: 'never',
}

/** A call of the API that assistants may make. */
export type Operation = {
  readonly name: string
  readonly endpoint: Endpoint
  readonly scope: KeyScope
  readonly use: Exclude<Use, 'never'>
}

/** By name. Calls with files, streams and downloads are not for assistants, nor is what keys cannot do. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  (Object.entries(API) as [EndpointName, Endpoint][]).flatMap(([name, endpoint]) => {
    const scope = KEY_SCOPES.find((one) => one === endpoint.auth)
    const use = isPublishing(name) ? PUBLISHING[name] : scope === 'publish' ? 'never' : 'offered'
    const isPlain = !endpoint.file && !endpoint.stream && endpoint.download === undefined
    if (scope === undefined || !isPlain || use === 'never') return []
    return [[name, { name, endpoint, scope, use }]]
  }),
)

function isPublishing(name: string): name is PublishName {
  return Object.hasOwn(PUBLISHING, name)
}

/** The schema of one operation has up to 9 KB, so a search describes only a few. */
const DESCRIBED_MAX = 5
const NAMED_MAX = 20

/** Describes the operations that fit best of those that a key may carry out, and names others that fit. If none fits, it names all. */
export function searchOperations(key: KeyRights, query: string): { operations: object[]; others: string[] } {
  const allowed = [...OPERATIONS.values()].filter(({ endpoint }) => mayCall(key, endpoint))
  const words = wordsOf(query).filter((word) => word.length > 2)
  const found = allowed
    .map((operation) => ({ operation, score: scoreOperation(operation, words) }))
    .filter(({ score }) => score > 0)
    .toSorted(
      (one, other) => other.score - one.score || one.operation.name.length - other.operation.name.length,
    )
    .map(({ operation }) => operation)
  const others = found.length === 0 ? allowed : found.slice(DESCRIBED_MAX, DESCRIBED_MAX + NAMED_MAX)
  return {
    operations: found.slice(0, DESCRIBED_MAX).map(describeOperation),
    others: others.map(({ name, endpoint }) => `${name}: ${endpoint.summary}`),
  }
}

/** "listPosts" has the words "list" and "posts". */
const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/([a-z])(?=[A-Z])/g, '$1 ')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)

function scoreOperation({ name, endpoint }: Operation, words: readonly string[]): number {
  const inName = wordsOf(name)
  const inSummary = wordsOf(`${endpoint.auth} ${endpoint.tag} ${endpoint.path} ${endpoint.summary}`)
  const scores = words.map((word) => {
    // "posts" finds "post", and "sched" finds "schedule".
    const fits = (other: string) => other.startsWith(word) || word === `${other}s`
    return (inName.includes(word) ? 1 : 0) + (inName.some(fits) ? 3 : 0) + (inSummary.some(fits) ? 1 : 0)
  })
  const isNamed = words.join(' ') === inName.join(' ')
  return scores.reduce((sum, score) => sum + score, isNamed ? 100 : 0)
}

function describeOperation({ name, endpoint, scope, use }: Operation): object {
  const { params, query } = endpoint
  const body = endpoint.body && bodySchema(endpoint.body, use === 'needs_token')
  return {
    name,
    tool: scope === 'read' ? 'query_operation' : 'execute_operation',
    summary: endpoint.summary,
    right: scope,
    changes_something: scope !== 'read',
    input: {
      ...(params && { params: inputSchema(params) }),
      ...(query && { query: inputSchema(query) }),
      ...(body && { body }),
    },
    ...(body && { example: { body: exampleOf(body, {}, 'required') } }),
  }
}

function bodySchema(body: z.ZodType, needsToken: boolean): Schema {
  const schema = inputSchema(body) as Schema // zod makes the keywords that `Schema` names
  return needsToken ? { ...schema, required: [...(schema.required ?? []), 'preview_token'] } : schema
}
