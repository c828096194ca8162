import type { AccessDeps } from '../accounts/access.ts'
import type { Handlers } from '../http/mount.ts'
import { knownZone } from '#domain/schedule/days.ts'
import {
  previewBrandZone,
  reslotBrandSchedules,
  type ScheduleDeps,
  deleteBrandSchedules,
} from '../schedules/change-schedule.ts'
import { logoRoutes } from './logo.ts'
import { createBrand, getBrandWaiting, listBrands, getBrand, updateBrand, markDeleted } from './store.ts'
import type { Brand, BrandColor } from '#contract/brands.ts'
import { revoke, unlink } from '../accounts/unlink-account.ts'
import { lockLinked } from '../accounts/store.ts'
import { deletePresetsOfBrand } from '../presets/store.ts'
import { lockSchedules } from '../schedules/store.ts'
import type { Storage } from '../storage/storage.ts'

type BrandDeps = AccessDeps & { readonly storage: Storage; readonly quotaBytes: number | null }
type BrandCalls =
  | 'listBrands'
  | 'createBrand'
  | 'renameBrand'
  | 'previewBrandZone'
  | 'setBrandLogo'
  | 'deleteBrandLogo'
  | 'deleteBrand'
  | 'getBrandWaiting'

export const brandRoutes = (deps: BrandDeps): Handlers<BrandCalls> => ({
  listBrands: async ({ user, key }) => {
    const limit = key?.limitedTo
    const brands = await listBrands(deps.db, user.user_id)
    return limit ? brands.filter(({ brand_id }) => limit.brand_ids.includes(brand_id)) : brands
  },
  createBrand: ({ user, body }) => createBrand(deps.db, user.user_id, body.title),
  renameBrand: ({ user, body: { brand_id, ...change } }) => changeBrand(deps, user.user_id, brand_id, change),
  previewBrandZone: ({ user, params, body }) =>
    previewBrandZone(deps, user.user_id, params.brandId, knownZone(body.timezone ?? user.timezone)),
  ...logoRoutes(deps),
  deleteBrand: ({ user, params, query }) =>
    deleteBrand(deps, user.user_id, params.brandId, query.cancel_posts),
  getBrandWaiting: ({ user, params }) => getBrandWaiting(deps.db, user.user_id, params.brandId),
})

/**
 * Renames a brand and optionally changes its colour and its time zone, which moves waiting posts with their wall clock. @throws Problem
 * not_found; posts_move if the number of moved posts differs from the agreed one
 */
function changeBrand(
  deps: ScheduleDeps,
  userId: number,
  brandId: number,
  change: {
    readonly title: string
    readonly timezone?: string | null | undefined
    readonly color?: BrandColor | null | undefined
    readonly moves: number
  },
): Promise<Brand> {
  return deps.db.transaction().execute(async (trx) => {
    const isMoved = await updateBrand(trx, userId, brandId, change)
    if (isMoved) await reslotBrandSchedules(trx, deps, { userId, brandId, agreed: change.moves })
    return getBrand(trx, userId, brandId)
  })
}

/**
 * Deletes a brand with its saved texts and unlinks its accounts. Its row stays for the posts that name it. @param cancelPosts the number of
 * waiting posts that the user agreed to cancel @throws Problem not_found; in_flight while one of its accounts is
 * publishing; posts_waiting if the number differs
 */
async function deleteBrand(
  deps: BrandDeps,
  userId: number,
  brandId: number,
  cancelPosts: number,
): Promise<void> {
  const { logoKey, grants } = await deps.db.transaction().execute(async (trx) => {
    const key = await markDeleted(trx, userId, brandId, deps.now())
    await lockSchedules(trx, userId, { brandId })
    await lockLinked(trx, userId, { brandId })
    await deleteBrandSchedules(trx, userId, brandId, deps.now())
    await deletePresetsOfBrand(trx, brandId)
    return { logoKey: key, grants: await unlink(trx, deps, { userId, which: { brandId }, cancelPosts }) }
  })
  revoke(deps, grants)
  if (logoKey !== null) await deps.storage.delete(logoKey)
}
