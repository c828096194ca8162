import type { Brand } from '#contract/brands.ts'
import { reslotQueuesOf, type QueueDeps } from '../queues/change-queue.ts'
import { getBrand, updateBrand } from './store.ts'

/**
 * Renames a brand and, where one is given, sets its time zone: what waits in its queues moves with the wall clock.
 * @throws Problem not_found
 */
export function changeBrand(
  deps: QueueDeps,
  userId: number,
  brandId: number,
  change: { readonly title: string; readonly timezone?: string | null | undefined },
): Promise<Brand> {
  return deps.db.transaction().execute(async (trx) => {
    const isMoved = await updateBrand(trx, userId, brandId, change)
    if (isMoved) await reslotQueuesOf(trx, deps, userId, brandId)
    return getBrand(trx, userId, brandId)
  })
}
