import type { Brand } from '#contract/brands.ts'
import { reslotQueuesOf, type QueueDeps } from '../schedules/change-queue.ts'
import { getBrand, updateBrand } from './store.ts'

/**
 * Renames a brand and optionally changes its time zone, which moves waiting posts with their wall clock. @throws Problem
 * not_found; posts_move if the number of moved posts differs from the agreed one
 */
export function changeBrand(
  deps: QueueDeps,
  userId: number,
  brandId: number,
  change: { readonly title: string; readonly timezone?: string | null | undefined; readonly moves: number },
): Promise<Brand> {
  return deps.db.transaction().execute(async (trx) => {
    const isMoved = await updateBrand(trx, userId, brandId, change)
    if (isMoved) await reslotQueuesOf(trx, deps, { userId, brandId, agreed: change.moves })
    return getBrand(trx, userId, brandId)
  })
}
