import { Suspense } from 'react'
import { DeliveryStatus } from '#contract/deliveries.ts'
import { PlatformId } from '#contract/platforms/index.ts'
import { ApiProblem } from '#web/api/api.ts'
import { lazyDialog } from '#web/ui/lazy-part.tsx'
import type { useDeliveryAction } from './delivery-actions.ts'
import type { KnownRepeat } from './repeat-question.tsx'

// Loaded on demand: it is seldom asked, and a modal weighs more than the page that asks.
export const RepeatQuestion = lazyDialog(() => import('./repeat-question.tsx'))

/** The posts that the server asks about before it posts a video again; null: it refused for another reason, or not at all. */
export const repeatsOf = (error: Error | null): readonly KnownRepeat[] | null =>
  error instanceof ApiProblem && error.code === 'already_posted'
    ? error.repeats.map((one) => ({
        ...one,
        platform: PlatformId.parse(one.platform),
        status: DeliveryStatus.parse(one.status),
      }))
    : null

export function AskedRepeat({ move }: { move: ReturnType<typeof useDeliveryAction> }) {
  const repeats = repeatsOf(move.error)
  const press = move.variables
  if (repeats === null || press === undefined) return null
  return (
    <Suspense>
      <RepeatQuestion
        repeats={repeats}
        onConfirm={() => move.mutate({ ...press, confirmRepeat: true })}
        onClose={() => move.reset()}
      />
    </Suspense>
  )
}
