import { useState } from 'react'
import type { FixPlan } from '#domain/video-check/fix-plan.ts'
import type { ComposeAction, ComposeState } from './compose-state.ts'
import type { Fix } from './fixes.ts'
import type { ChosenTime } from './when.ts'

/** Carries out what a check offers, and undoes it while nothing else was changed. */
export function useFixes(
  state: ComposeState,
  dispatch: (action: ComposeAction) => void,
  { setTime, fixVideo }: { setTime: (time: ChosenTime) => void; fixVideo: (plan: FixPlan) => void },
) {
  const [last, setLast] = useState<{ before: ComposeState; after: ComposeState | null } | null>(null)
  if (last !== null && last.after === null && state !== last.before) setLast({ ...last, after: state })
  const isUndoable = last !== null && last.after !== null && state.content === last.after.content
  return {
    fix: (fix: Fix): void => {
      switch (fix.does) {
        case 'change':
          setLast({ before: state, after: null })
          return dispatch(fix.action)
        case 'set time':
          return setTime(fix.time)
        case 'fix video':
          return fixVideo(fix.plan)
        case 'try again':
          return fix.retry()
        // Its button goes to the platform by itself.
        case 'link again':
          return undefined
      }
    },
    undoFix: isUndoable
      ? () => {
          setLast(null)
          dispatch({ type: 'restore', state: last.before })
        }
      : null,
  }
}
