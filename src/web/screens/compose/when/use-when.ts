import { useState } from 'react'
import type { DraftContent } from '#contract/drafts.ts'
import { useZone } from '#web/components/time/zone.tsx'
import type { Fix } from '#web/screens/compose/readiness/fixes.ts'
import { useNow } from '#web/lib/dom/use-now.ts'
import {
  allowedTime,
  momentOf,
  namedTime,
  proposedTime,
  timeProblemOf,
  type ChosenTime,
  type When,
} from './when.ts'

type Chosen = {
  readonly when: When
  readonly time: ChosenTime
  /** What is wrong with the time; null: nothing, or none is wanted. */
  readonly problem: string | null
  /** Takes a time that is allowed; null: nothing is wrong. */
  readonly fix: Fix | null
  /** "Tue 18:00", or "Tue 18:00 Tokyo time"; null: no time is chosen. */
  readonly short: string | null
  readonly setWhen: (when: When) => void
  readonly setTime: (time: ChosenTime) => void
}

/** When the post goes out. Only a complete time is part of the draft; a partial one is kept while it is typed. */
export function useWhen(
  initial: DraftContent['publish_at'],
  onTime: (publishAt: DraftContent['publish_at']) => void,
): Chosen {
  const zone = useZone()
  const now = useNow()
  const [when, setWhen] = useState<When>(initial === null ? 'now' : 'time')
  const [typed, setTyped] = useState<ChosenTime | null>(initial)
  const time = typed ?? proposedTime(zone, now)
  const isWanted = when === 'time'
  const problem = isWanted ? timeProblemOf(time, now) : null
  const fixTo = (allowed: ChosenTime): Fix => ({
    does: 'set time',
    label: `Use ${namedTime(allowed, { zone, now }) ?? ''}`,
    time: allowed,
  })
  const set = (next: ChosenTime) => {
    setTyped(next)
    onTime(momentOf(next) === null ? null : next)
  }
  return {
    when,
    time,
    problem,
    fix: problem === null ? null : fixTo(allowedTime(time, now)),
    short: isWanted ? namedTime(time, { zone, now }) : null,
    setWhen: (next) => {
      setWhen(next)
      if (next === 'time') set(time)
      if (next === 'now') onTime(null)
    },
    setTime: set,
  }
}
