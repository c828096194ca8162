import { z } from 'zod'
import type { KeyScope, Tag } from './key-rights.ts'
import type { ProblemCode } from './problem.ts'

/** A file part of a multipart form: it streams, so it has no schema, only a name and a limit. */
export type FormFile = {
  readonly field: string
  readonly description: string
  /** The largest file taken. */
  readonly maxBytes: number
  /** The message if the file is not there. */
  readonly missing: string
  /** The message if the file is larger. */
  readonly tooLarge: string
  /** Taken from users whose storage is full, too: it is small, and belongs to what is stored. */
  readonly outsideQuota?: true
}

/**
 * Who may make a call. A scope: a signed-in user, or an API key of theirs that has it. `session`: a signed-in user only. `operator`: a
 * signed-in user who runs the server. `none`: anybody.
 */
export type EndpointAuth = KeyScope | 'session' | 'operator' | 'none'

/**
 * One call of the API as data. The server mounts it, the web app calls it, the documentation and the contract's
 * own test are made from it.
 */
export type Endpoint = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Under `/api/v1`; parameters as `:name`. */
  readonly path: string
  readonly summary: string
  readonly tag: Tag
  readonly auth: EndpointAuth
  /**
   * What a key gets that is limited to some brands and accounts; without this, nothing. `named`: the brands, accounts, posts and videos
   * that the request names must all be the key's. `filtered`: the reply has only what is the key's. `any`: the call concerns none.
   */
  readonly limitedKeys?: 'named' | 'filtered' | 'any'
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** The largest JSON body, where it may be larger than that of other calls. */
  readonly maxBodyBytes?: number
  /** The most values of a JSON body, where it may have more than those of other calls. */
  readonly maxBodyValues?: number
  /** A multipart form instead of a JSON body: its one file, and its fields as `body` describes them after JSON parsing. */
  readonly file?: FormFile
  /** Takes as long as a file does, so it counts as an upload and not as a call. */
  readonly long?: true
  /** May be repeated safely with the header `Idempotency-Key`. */
  readonly idempotent?: true
  /** A stream of server-sent events, each one `reply`. */
  readonly stream?: true
  /** The media type of a reply that is a file, streamed; its handler is mounted by its feature. */
  readonly download?: 'text/csv' | 'application/zip'
  /** The reply is the same for everybody while the server runs; how long a client may keep it without asking again. */
  readonly publicForS?: number
  readonly status: 200 | 201 | 202 | 204
  readonly reply: z.ZodType
  /** Beyond those that every call may answer (malformed, unauthorized, user_disabled, too_many_requests, unavailable, internal). */
  readonly problems: readonly ProblemCode[]
}

export const endpoint = <const E extends Endpoint>(e: E): E => e

/** The reply of an endpoint that answers 204. */
export const noContent = z.void()

type Out<T> = T extends z.ZodType ? z.output<T> : undefined
type In<T> = T extends z.ZodType ? z.input<T> : undefined

/** A handler is given this, parsed. */
export type Input<E extends Endpoint> = {
  params: Out<E['params']>
  query: Out<E['query']>
  body: Out<E['body']>
}
export type Call<E extends Endpoint> = {
  params: In<E['params']>
  query: In<E['query']>
  body: In<E['body']>
}
export type Reply<E extends Endpoint> = z.output<E['reply']>
