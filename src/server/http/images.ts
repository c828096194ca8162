import type { FastifyPluginAsync } from 'fastify'
import { notFound } from '#base/problem.ts'
import { looksLikeSecret } from '#base/secret.ts'
import type { Storage } from '../storage/storage.ts'
import type { AnonymousLimit } from './anonymous-limit.ts'

export type ImageDeps = { readonly storage: Storage; readonly anonymousLimit: AnonymousLimit }
type Image = { readonly storage_key: string; readonly mime: string; readonly size: number }

/** `GET /<folder>/:token` for an `<img>`: the unguessable address is the permission. */
export function imagesPlugin(
  { storage, anonymousLimit }: ImageDeps,
  folder: string,
  find: (token: string) => Promise<Image | undefined>,
): FastifyPluginAsync {
  return async (app) => {
    app.get<{ Params: { token: string } }>(`/${folder}/:token`, async (request, reply) => {
      reply.headers({ 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' })
      const { token } = request.params
      const image = looksLikeSecret(token) ? await anonymousLimit(request, () => find(token)) : undefined
      if (!image) throw notFound('picture')
      const bytes = await storage.read(image.storage_key, 0, image.size - 1)
      return reply
        .headers({
          'cache-control': 'private, max-age=31536000, immutable',
          'content-type': image.mime,
          'content-length': image.size,
          'x-content-type-options': 'nosniff',
        })
        .send(bytes)
    })
  }
}
