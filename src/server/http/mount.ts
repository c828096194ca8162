import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { API, type Api, type EndpointName } from '#contract/api/api.ts'
import type { Endpoint, Input, Reply } from '#contract/http/endpoint.ts'
import { IdempotencyKey } from '#contract/http/idempotency-key.ts'
import type { User } from '#contract/users.ts'
import { bearerToken, type Caller, type CallerDeps, type KeyRights, requireCaller } from './caller.ts'
import { goneSignal } from './gone-signal.ts'
import { leastFileBytes, receiveForm } from './form.ts'
import { parse, refusal, refuseBrokenQuery } from './parse.ts'
import { cacheAnswer } from '#base/cached-answer.ts'
import { Problem } from '#base/problem.ts'
import type { Storage, StoredFile } from '../storage/storage.ts'
import type { UploadLimit } from './upload-limit.ts'
import type { UserLimit } from './user-limit.ts'

export type Request<E extends Endpoint> = Input<E> & {
  readonly user: E['auth'] extends 'none' ? undefined : User
  readonly token: E['auth'] extends 'none' ? undefined : string
  /** null: a user who signed in. */
  readonly key: KeyRights | null
  readonly file: E extends { file: object } ? StoredFile : undefined
  readonly idempotencyKey: string | null
  /** Tells the caller that an earlier request with the same key did this. */
  readonly markReplayed: () => void
  readonly ip: string
  /** How the request came: directly, or by a proxy that `TRUST_PROXY` counts or not. */
  readonly via: 'direct' | 'proxy' | 'unknown proxy'
  /** The host, with a port that is not the usual one, that the caller asked. */
  readonly host: string
  readonly gone: AbortSignal
}

export type Handler<E extends Endpoint> = (request: Request<E>) => Promise<Reply<E>>
export type CallName = {
  [N in EndpointName]: Api[N] extends { stream: true } | { download: string } ? never : N
}[EndpointName]
export type Handlers<N extends CallName = CallName> = { [K in N]: Handler<Api[K]> }

type ReachInput = { readonly params: unknown; readonly query: unknown; readonly body: unknown }

export type MountDeps = CallerDeps & {
  readonly storage: Storage
  /** A row refers to this stored file. */
  readonly isKept: (storageKey: string) => Promise<boolean>
  readonly uploadLimit: UploadLimit
  readonly userLimit: UserLimit
  /** Throws the Problem quota_exceeded or disk_full if a form's file cannot fit. */
  readonly assertRoom: (user: User, bytes: number) => Promise<void>
  /** True when a request with this key was completed before. */
  readonly isKeyUsed: (user: User, idempotencyKey: string) => Promise<boolean>
  /** Holds a limited key to its brands and accounts. @throws Problem forbidden */
  readonly assertReach: (caller: Caller, input: ReachInput) => Promise<void>
}

/** Turns every endpoint of the contract into a route. A contract without its handler does not compile. */
export async function mountApi(app: FastifyInstance, deps: MountDeps, handlers: Handlers): Promise<void> {
  const names = Object.keys(handlers) as CallName[]
  const all = { deps, handlers }
  const isForm = (name: CallName) => 'file' in API[name]
  for (const name of names.filter((one) => !isForm(one))) mountCall(app, all, name)
  // Only form endpoints take multipart bodies, and they take nothing else.
  await app.register(async (forms) => {
    forms.removeAllContentTypeParsers()
    await forms.register(multipart)
    for (const name of names.filter(isForm)) mountCall(forms, all, name)
  })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    isForm?: true
    maxBodyValues?: number
  }
}

function mountCall(
  app: FastifyInstance,
  { deps, handlers }: { deps: MountDeps; handlers: Handlers },
  name: CallName,
): void {
  const endpoint: Endpoint = API[name]
  // Each handler has its endpoint's name; TypeScript cannot follow that through the loop.
  const handler = handlers[name] as unknown as Handler<Endpoint>
  // Parsing drops the fields that the contract does not name; a reply that breaks the contract becomes a 500.
  const answer = (value: unknown) => (endpoint.status === 204 ? undefined : endpoint.reply.parse(value))
  if (endpoint.publicForS !== undefined) return mountPublic(app, endpoint, handler)
  const callers = new WeakMap<FastifyRequest, Caller>()
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    const caller = callers.get(request)
    const user = caller?.user
    const head = {
      ...parseInput(endpoint, request),
      user,
      key: caller?.key ?? null,
      token: user && bearerToken(request),
      idempotencyKey: readIdempotencyKey(request),
      markReplayed: () => void reply.header('idempotent-replayed', 'true'),
      ip: request.ip,
      via: readVia(request),
      host: request.host,
      gone: goneSignal(reply),
    }
    const call = async (body: unknown, file?: StoredFile) => {
      if (caller?.key && endpoint.limitedKeys === 'named')
        await deps.assertReach(caller, { params: head.params, query: head.query, body })
      return handler({ ...head, body, file } as never)
    }
    reply.status(endpoint.status)
    if (endpoint.file) {
      const key = head.idempotencyKey
      const isRepeat = user !== undefined && key !== null && (await deps.isKeyUsed(user, key))
      if (user && !endpoint.file.outsideQuota && !isRepeat)
        await deps.assertRoom(user, leastFileBytes(request))
      const made = await receiveForm(request, endpoint, deps, ({ body, file }) => call(body, file)).catch(
        (error: unknown) => {
          throw isRepeat ? withoutRefusal(error) : error
        },
      )
      return answer(made)
    }
    const body = endpoint.body ? parse(endpoint.body, request.body ?? {}, 'invalid') : undefined
    return answer(await call(body))
  }
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    config: {
      ...(endpoint.file && { isForm: true }),
      ...(endpoint.maxBodyValues !== undefined && { maxBodyValues: endpoint.maxBodyValues }),
    },
    ...(endpoint.maxBodyBytes !== undefined && { bodyLimit: endpoint.maxBodyBytes }),
    // Runs before the body is read, so that a request without a valid token stays cheap.
    onRequest: async (request, reply) => {
      if (endpoint.auth === 'none') return
      const caller = await requireCaller(deps, endpoint, request, reply)
      if (endpoint.file || endpoint.long) deps.uploadLimit.count(caller.user, reply)
      else await deps.userLimit.enter(caller.user.user_id, reply.raw)
      callers.set(request, caller)
    },
    handler: (request, reply) => deps.userLimit.track(reply.raw, () => handle(request, reply)),
  })
}

/** A repeated request must not be answered with a full disk: that would read as if the first one had been refused too. */
const withoutRefusal = (error: unknown): unknown =>
  error instanceof Problem && error.code === 'disk_full'
    ? new Problem(
        'unavailable',
        "The server's disk is too full to compare this with the first request. Try again later.",
        { retryAfterS: 300, cause: error },
      )
    : error

/** The handler returns the same object each time, so it is parsed and serialised at the first call. */
function mountPublic(app: FastifyInstance, endpoint: Endpoint, handler: Handler<Endpoint>): void {
  const send = cacheAnswer({
    cacheControl: `public, max-age=${endpoint.publicForS}, must-revalidate`,
    make: (reply: unknown) => JSON.stringify(endpoint.reply.parse(reply)),
  })
  app.get(endpoint.path, async (request, reply) => send(request, reply, await handler({} as never)))
}

function readVia({ headers, ips }: FastifyRequest): Request<Endpoint>['via'] {
  if (headers['x-forwarded-for'] === undefined) return 'direct'
  // The first is the sender; others follow if it is trusted to name them.
  return (ips?.length ?? 0) > 1 ? 'proxy' : 'unknown proxy'
}

function parseInput(endpoint: Endpoint, request: FastifyRequest) {
  return {
    params: endpoint.params ? parse(endpoint.params, request.params, 'malformed') : undefined,
    query: endpoint.query ? parseQuery(endpoint.query, request) : undefined,
  }
}

function parseQuery(schema: z.ZodObject, request: FastifyRequest) {
  refuseBrokenQuery(request.url)
  return parse(schema, request.query, 'malformed')
}

function readIdempotencyKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key']
  if (key === undefined) return null
  const given = IdempotencyKey.safeParse(key)
  if (given.success) return given.data
  throw refusal('malformed', { 'Idempotency-Key': given.error.issues.map(({ message }) => message) })
}
