import type { Account } from '#contract/accounts.ts'
import type { DraftContent } from '#contract/drafts.ts'
import type { BrandId } from '#contract/ids.ts'

/** The targets of a post for a brand: its accounts that can be posted to. */
export const targetsOfBrand = (
  accounts: readonly Account[],
  brandId: BrandId | null,
): DraftContent['targets'] =>
  accounts
    .filter(
      ({ brand_id, health, can_publish, paused }) =>
        brand_id === brandId && health.status === 'ok' && can_publish && !paused,
    )
    .map(({ account_id }) => ({ account_id, text: null, options: null }))
