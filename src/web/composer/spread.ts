import type { DraftContent } from '#contract/drafts.ts'
import { spreadOver } from '#domain/schedule/schedule.ts'
import { formatDuration } from '#web/lib/amounts.ts'

type Targets = DraftContent['targets']

export const afterMinutesOf = ({ after_minutes: minutes = 0 }: Targets[number]): number => minutes

/** How long after the first account the last one gets the post. */
export const lastAfter = (targets: Targets): number => Math.max(0, ...targets.map(afterMinutesOf))

/** The minutes over which the accounts get the post evenly, in their order; null: some have times of their own. */
export function spreadOf(targets: Targets): number | null {
  const minutes = lastAfter(targets)
  const even = spreadOver(targets.length, minutes)
  return targets.every((target, nth) => afterMinutesOf(target) === even[nth]) ? minutes : null
}

export function withSpread(targets: Targets, minutes: number): Targets {
  const even = spreadOver(targets.length, minutes)
  return targets.map((target, nth) => withAfter(target, even[nth] ?? 0))
}

/** A target at the post's own time does not name a distance. */
export function withAfter<T extends Targets[number]>(target: T, minutes: number): T {
  const { after_minutes: _before, ...rest } = target
  return (minutes === 0 ? rest : { ...rest, after_minutes: minutes }) as T // the distance is optional
}

/** "3 min" */
export const minutesText = (minutes: number): string => formatDuration(minutes * 60)
