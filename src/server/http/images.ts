import type { FastifyPluginAsync } from 'fastify'
import { notFound } from '#base/problem.ts'
import { looksLikeSecret } from '#base/secret.ts'
import type { Storage } from '../storage/storage.ts'
import type { StrangerQueue } from './stranger-queue.ts'

export type ImageDeps = { readonly storage: Storage; readonly strangerQueue: StrangerQueue }
type Image = { readonly storage_key: string; readonly mime: string; readonly size: number }

/** `GET /<folder>/:token`, for an `<img>`: the unguessable address is the permission. */
export function imagesPlugin(
  { storage, strangerQueue }: ImageDeps,
  folder: string,
  find: (token: string) => Promise<Image | undefined>,
): FastifyPluginAsync {
  return async (app) => {
    app.get<{ Params: { token: string } }>(`/${folder}/:token`, async (request, reply) => {
      reply.headers({ 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' })
      const { token } = request.params
      const image = looksLikeSecret(token) ? await strangerQueue(request, () => find(token)) : undefined
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
