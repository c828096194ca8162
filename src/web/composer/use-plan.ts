import { useQuery } from '@tanstack/react-query'
import type { Dispatch } from 'react'
import type { Account } from '#contract/accounts.ts'
import type { Brand } from '#contract/brands.ts'
import type { DraftContent } from '#contract/drafts.ts'
import { schedulesQuery } from '#web/api/planning.ts'
import { useOwnZone } from '#web/ui/zone.tsx'
import type { ComposeAction } from './compose-state.ts'
import type { Edited } from './edit-of-post.ts'
import { planningZone } from './planning-zone.ts'
import { useWhen } from './use-when.ts'

type Props = {
  content: DraftContent
  brands: readonly Brand[]
  /** Those that get the post. */
  chosen: readonly Account[]
  edited: Edited | null
  /** Some of it has gone out: a schedule takes only whole posts. */
  hasStarted: boolean
}

/** When the post goes out, with the zone and the schedules of the brands that get it. */
export function usePlan(
  { content, brands, chosen, edited, hasStarted }: Props,
  dispatch: Dispatch<ComposeAction>,
) {
  const own = useOwnZone()
  const { data: schedules = [] } = useQuery(schedulesQuery)
  const brandIds = chosen.map(({ brand_id }) => brand_id)
  return useWhen({
    initial: content,
    zone: planningZone(brandIds, brands, own),
    schedules: schedules.filter(
      ({ brand_id }) => !hasStarted && (brandIds.length === 0 || brandIds.includes(brand_id)),
    ),
    accounts: chosen,
    present: edited?.before.publish_at ?? null,
    postId: edited?.post.post_id ?? null,
    onPlan: (plan) => dispatch({ type: 'plan', plan }),
  })
}
