import type { FastifyInstance, FastifyRequest } from 'fastify'
import { asObject } from '../json.ts'

/** Bodies stay text, so that each call decides which kinds it accepts, like the real platforms. */
export function keepBodiesAsText(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}

export const bodyText = (request: FastifyRequest): string =>
  Buffer.isBuffer(request.body) ? request.body.toString('utf8') : ''

/** The content type without its parameters, in lower case. */
export const mediaType = (header: string | undefined): string =>
  (header ?? '').split(';')[0]?.trim().toLowerCase() ?? ''

/** An address's query as the platforms read it: the first value of each name. */
export function parseQuery(request: FastifyRequest): URLSearchParams {
  const mark = request.url.indexOf('?')
  return new URLSearchParams(mark < 0 ? '' : request.url.slice(mark + 1))
}

export async function parseForm(request: FastifyRequest): Promise<URLSearchParams | null> {
  const type = mediaType(request.headers['content-type'])
  if (type === 'application/x-www-form-urlencoded') return new URLSearchParams(bodyText(request))
  if (type !== 'multipart/form-data' || !Buffer.isBuffer(request.body)) return null
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  const parsed = await new Response(new Uint8Array(request.body), { headers }).formData().catch(() => null)
  if (parsed === null) return null
  const fields = new URLSearchParams()
  for (const [name, value] of parsed) if (typeof value === 'string') fields.append(name, value)
  return fields
}

export function pathPart(request: FastifyRequest, name: string): string {
  const value = asObject(request.params)?.[name]
  return typeof value === 'string' ? value : ''
}

export const readBearer = (request: FastifyRequest): string | null =>
  /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null
