import type { Brand } from '#contract/brands.ts'
import type { BrandId } from '#contract/ids.ts'
import { knownZone } from '#web/lib/moments.ts'

/** A zone to plan a post in, and the brand that has it; null: it is the user's own. */
export type PlanningZone = { readonly timezone: string; readonly brand: string | null }

/** The zone of the brand whose accounts alone get the post, if it has one, else the user's. */
export function planningZone(
  brandIds: readonly BrandId[],
  brands: readonly Pick<Brand, 'brand_id' | 'title' | 'timezone'>[],
  own: string,
): PlanningZone {
  const [only, ...others] = new Set(brandIds)
  const brand = others.length === 0 ? brands.find(({ brand_id }) => brand_id === only) : undefined
  return brand?.timezone == null
    ? { timezone: own, brand: null }
    : { timezone: knownZone(brand.timezone), brand: brand.title }
}
