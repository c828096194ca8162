import type { FastifyPluginAsync } from 'fastify'
import type { Db } from '#base/db/open.ts'
import { type ImageDeps, imagesPlugin } from '../http/images.ts'

export const picturePlugin = ({ db, ...deps }: ImageDeps & { readonly db: Db }): FastifyPluginAsync =>
  imagesPlugin(deps, 'pictures', async (token) => {
    const row = await db
      .selectFrom('pictures')
      .select(['storage_key', 'size'])
      .where('token', '=', token)
      .executeTakeFirst()
    return row && { ...row, mime: 'image/jpeg' }
  })
