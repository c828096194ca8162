import type { AccessDeps } from '../accounts/access.ts'
import type { Handlers } from '../http/mount.ts'
import { knownZone } from '#domain/schedule/days.ts'
import { previewBrandZone } from '../schedules/change-queue.ts'
import { changeBrand } from './change-brand.ts'
import { deleteBrand } from './delete-brand.ts'
import { createBrand, getBrandWaiting, listBrands } from './store.ts'

export const brandRoutes = (
  deps: AccessDeps,
): Handlers<
  'listBrands' | 'createBrand' | 'renameBrand' | 'previewBrandZone' | 'deleteBrand' | 'getBrandWaiting'
> => ({
  listBrands: ({ user }) => listBrands(deps.db, user.user_id),
  createBrand: ({ user, body }) => createBrand(deps.db, user.user_id, body.title),
  renameBrand: ({ user, body: { brand_id, ...change } }) => changeBrand(deps, user.user_id, brand_id, change),
  previewBrandZone: ({ user, params, body }) =>
    previewBrandZone(deps, user.user_id, params.brandId, knownZone(body.timezone ?? user.timezone)),
  deleteBrand: ({ user, params, query }) =>
    deleteBrand(deps, user.user_id, params.brandId, query.cancel_posts),
  getBrandWaiting: ({ user, params }) => getBrandWaiting(deps.db, user.user_id, params.brandId),
})
