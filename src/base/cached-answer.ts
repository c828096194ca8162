import { createHash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

type Representation = { readonly bytes: Buffer; readonly etag: string }
type Encoding = 'br' | 'gzip' | 'identity'
type CachedAnswer<V> = {
  readonly version: V
  readonly text: string
  readonly byEncoding: Map<Encoding, Representation>
}

/**
 * Sends an answer that is the same for everybody. It is made, compressed and hashed once per version, so that callers
 * without a token cannot keep the server busy.
 */
export function cacheAnswer<V>({
  type = 'application/json; charset=utf-8',
  cacheControl,
  make,
}: {
  readonly type?: string
  readonly cacheControl: string
  readonly make: (version: V) => string
}): (request: FastifyRequest, reply: FastifyReply, version: V) => FastifyReply {
  let cached: CachedAnswer<V> | undefined
  return (request, reply, version) => {
    if (cached === undefined || cached.version !== version)
      cached = { version, text: make(version), byEncoding: new Map() }
    const encoding = encodingFor(request)
    const { bytes, etag } = represent(cached, encoding)
    reply.headers({ 'cache-control': cacheControl, etag, vary: 'accept-encoding' })
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.status(304).send()
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    return reply.type(type).send(bytes)
  }
}

function encodingFor({ headers }: FastifyRequest): Encoding {
  const accepted = (headers['accept-encoding'] ?? '')
    .split(',')
    .filter((one) => !/;\s*q=0(?:\.0*)?\s*$/.test(one))
    .map((one) => one.split(';', 1)[0]?.trim())
  return (['br', 'gzip'] as const).find((one) => accepted.includes(one)) ?? 'identity'
}

function represent({ text, byEncoding }: CachedAnswer<unknown>, encoding: Encoding): Representation {
  const known = byEncoding.get(encoding)
  if (known) return known
  const bytes = encode(text, encoding)
  const made = { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
  byEncoding.set(encoding, made)
  return made
}

function encode(text: string, encoding: Encoding): Buffer {
  switch (encoding) {
    case 'br':
      return brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
    case 'gzip':
      return gzipSync(text)
    case 'identity':
      return Buffer.from(text)
  }
}
/** Level 11, the best, would block the server for a second. */
const BROTLI_QUALITY = 6

/** RFC 9110, 13.1.2: a list of tags or `*`, compared weakly, since proxies that compress make a tag weak. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  const tags = ifNoneMatch.match(/(?:W\/)?"[^"]*"/g) ?? []
  return tags.some((tag) => tag.replace(/^W\//, '') === etag)
}
