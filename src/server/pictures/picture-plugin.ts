import type { FastifyPluginAsync } from 'fastify'
import type { Db } from '#base/db/open.ts'
import { imagesPlugin } from '../http/images.ts'
import type { Storage } from '../storage/storage.ts'

/** `GET /pictures/:token`: an own picture, as its owner's browser shows it. */
export const picturePlugin = ({ db, storage }: { db: Db; storage: Storage }): FastifyPluginAsync =>
  imagesPlugin(storage, 'pictures', async (token) => {
    const row = await db
      .selectFrom('pictures')
      .select(['storage_key', 'size'])
      .where('token', '=', token)
      .executeTakeFirst()
    return row && { ...row, mime: 'image/jpeg' }
  })
