import type { FastifyPluginAsync } from 'fastify'
import { buffer } from 'node:stream/consumers'
import type { Brand } from '#contract/brands.ts'
import { BRAND_LOGO_MAX_SIDE_PX } from '#contract/limits.ts'
import { TEXTS } from '#contract/texts.ts'
import { isPictureCutOff } from '#domain/video-check/picture-end.ts'
import type { Db } from '#base/db/open.ts'
import { Problem } from '#base/problem.ts'
import { type ImageDeps, imagesPlugin } from '../http/images.ts'
import type { Handlers } from '../http/mount.ts'
import { refusal } from '../http/parse.ts'
import type { Storage, StoredFile } from '../storage/storage.ts'
import { assertRoom } from '../videos/quota.ts'
import { getBrand, replaceLogo } from './store.ts'

type LogoDeps = {
  readonly db: Db
  readonly storage: Storage
  readonly quotaBytes: number | null
}

export const logoRoutes = (deps: LogoDeps): Handlers<'setBrandLogo' | 'deleteBrandLogo'> => ({
  setBrandLogo: ({ user, params, file }) => setLogo(deps, user.user_id, params.brandId, file),
  deleteBrandLogo: async ({ user, params }) => {
    const key = await deps.db
      .transaction()
      .execute((trx) => replaceLogo(trx, user.user_id, params.brandId, null))
    if (key !== null) await deps.storage.delete(key)
  },
})

/**
 * Makes a stored file the logo of a brand. Each has an address of its own, so that browsers may keep what they were given for ever.
 * @throws Problem not_found, unsupported_media, too_large, invalid, quota_exceeded
 */
async function setLogo(deps: LogoDeps, userId: number, brandId: number, file: StoredFile): Promise<Brand> {
  await checkLogo(deps.storage, file)
  const { brand, before } = await deps.db.transaction().execute(async (trx) => {
    const key = await replaceLogo(trx, userId, brandId, file)
    await assertRoom(trx, { userId, bytes: 0, quotaBytes: deps.quotaBytes })
    return { brand: await getBrand(trx, userId, brandId), before: key }
  })
  if (before !== null) await deps.storage.delete(before)
  return brand
}

/** PNG, 5.2 and 11.2.2: the signature, then the chunk `IHDR` with width and height. */
async function checkLogo(storage: Storage, { key, size }: StoredFile): Promise<void> {
  const bytes = await buffer(await storage.read(key, 0, size - 1))
  if (
    bytes.length < 24 ||
    !bytes.subarray(0, 8).equals(SIGNATURE) ||
    bytes.toString('latin1', 12, 16) !== 'IHDR'
  )
    throw new Problem('unsupported_media', 'The logo must be a PNG file.')
  if (Math.max(bytes.readUInt32BE(16), bytes.readUInt32BE(20)) > BRAND_LOGO_MAX_SIDE_PX)
    throw new Problem('too_large', `A logo may have ${BRAND_LOGO_MAX_SIDE_PX} pixels a side at most.`)
  if (isPictureCutOff(bytes)) throw refusal('invalid', { logo: [TEXTS.pictureCutOff] })
}
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** `GET /logos/:token` */
export const logoPlugin = ({ db, ...deps }: ImageDeps & { readonly db: Db }): FastifyPluginAsync =>
  imagesPlugin(deps, 'logos', async (token) => {
    const row = await db
      .selectFrom('brands')
      .select(['logo_key', 'logo_size'])
      .where('logo_token', '=', token)
      .executeTakeFirst()
    if (!row || row.logo_key === null || row.logo_size === null) return undefined
    return { storage_key: row.logo_key, size: row.logo_size, mime: 'image/png' }
  })
