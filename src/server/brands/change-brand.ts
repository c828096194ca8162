import type { Brand } from '#contract/brands.ts'
import { reslotQueuesOf, type QueueDeps } from '../schedules/change-queue.ts'
import { getBrand, updateBrand } from './store.ts'

/**
 * Renames a brand and, where one is given, sets its time zone: what waits in its queues moves with the wall clock.
 * @throws Problem not_found; posts_move where another number of posts moves than was agreed to
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
