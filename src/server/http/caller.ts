import type { FastifyReply, FastifyRequest } from 'fastify'
import { API_KEY_START, type KeyLimit } from '#contract/api-keys.ts'
import type { Endpoint } from '#contract/http/endpoint.ts'
import type { KeyScope, Tag } from '#contract/http/key-rights.ts'
import { API_KEY_CALLS_PER_MINUTE } from '#contract/limits.ts'
import type { User } from '#contract/users.ts'
import { Problem } from '#base/problem.ts'

/** What an API key may do. */
export type KeyRights = {
  readonly keyId: number
  readonly scopes: readonly KeyScope[]
  readonly tags: readonly Tag[]
  /** null: all of its user's brands and accounts. */
  readonly limitedTo: KeyLimit | null
}

/** Who makes a call; `key` is null for a user who signed in. */
export type Caller = { readonly user: User; readonly key: KeyRights | null }

export type CallerDeps = {
  /** Null for an invalid token or key. @throws Problem user_disabled */
  readonly authenticate: (token: string) => Promise<Caller | null>
  readonly keyRate: KeyRate
}

/** Authenticates before anything else, so that refusals reveal nothing to strangers. @throws Problem unauthorized, forbidden, too_many_requests */
export async function requireCaller(
  deps: CallerDeps,
  endpoint: Pick<Endpoint, 'auth' | 'tag' | 'limitedKeys'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Caller> {
  const token = bearerToken(request)
  const caller = token === undefined ? null : await deps.authenticate(token)
  if (!caller)
    throw new Problem(
      'unauthorized',
      token?.startsWith(API_KEY_START) === true
        ? 'This API key does not work: it has expired, or was deleted or ended.'
        : 'Log in first.',
    )
  if (caller.key) {
    // Only the server itself injects requests, for a call of an assistant that it has counted.
    if (!('isLightMyRequest' in request.raw)) deps.keyRate.count(caller.key, reply)
    const why = explainRefusal(caller.key, endpoint)
    if (why !== null) throw new Problem('forbidden', why)
  }
  if (endpoint.auth === 'operator' && !caller.user.operator)
    throw new Problem('forbidden', 'Only an operator of this server can do this.')
  return caller
}

export const bearerToken = (request: FastifyRequest): string | undefined =>
  /^Bearer ([^\s]+)$/i.exec(request.headers.authorization ?? '')?.[1]

export const mayCall = (key: KeyRights, endpoint: Parameters<typeof requireCaller>[1]): boolean =>
  explainRefusal(key, endpoint) === null

/** null: the key may make the call. */
function explainRefusal(
  key: KeyRights,
  { auth, tag, limitedKeys }: Parameters<typeof requireCaller>[1],
): string | null {
  if (auth === 'session' || auth === 'operator') return 'API keys cannot do this. Log in to Reelay.'
  if (auth !== 'none' && !key.scopes.includes(auth)) return `This API key lacks the right \`${auth}\`.`
  if (!key.tags.includes(tag))
    return `This API key is older than ${tag.toLowerCase()}. Extend it in Settings.`
  if (key.limitedTo && limitedKeys === undefined)
    return 'API keys that are limited to some brands or accounts cannot do this.'
  return null
}

const WINDOW_MS = 60_000

/** Bounds the calls of each API key in this process. */
export type KeyRate = {
  /** Counts a call, and answers what is left. @throws Problem too_many_requests */
  count(key: Pick<KeyRights, 'keyId'>, reply: FastifyReply): void
}

/** @param now epoch ms */
export function createKeyRate(now: () => number, max: number = API_KEY_CALLS_PER_MINUTE): KeyRate {
  let endsAt = 0
  const calls = new Map<number, number>()
  return {
    count({ keyId }, reply) {
      // A clock that was set back starts a new minute too.
      if (now() >= endsAt || now() < endsAt - WINDOW_MS) {
        calls.clear()
        endsAt = now() + WINDOW_MS
      }
      const count = (calls.get(keyId) ?? 0) + 1
      calls.set(keyId, count)
      const resetS = Math.ceil((endsAt - now()) / 1000)
      // draft-ietf-httpapi-ratelimit-headers-10, 3 and 4.
      reply.header('ratelimit-policy', `"key";q=${max};w=${WINDOW_MS / 1000}`)
      reply.header('ratelimit', `"key";r=${Math.max(0, max - count)};t=${resetS}`)
      if (count > max)
        throw new Problem('too_many_requests', 'This API key makes too many calls. Slow down.', {
          retryAfterS: resetS,
        })
    },
  }
}
