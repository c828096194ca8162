import { useCallback } from 'react'
import { useNavigate } from 'react-router'
import { announce } from '#web/ui/announce.tsx'
import { useUid } from '#web/session/browser-store.ts'
import type { PlanStart } from './plan-files.ts'

/** What file inputs for several videos take. */
export const VIDEOS_AND_CAPTIONS = 'video/*,.txt'

/** Opens the page on which several videos are planned together. Its code is loaded then. */
export function usePlanFiles(): (files: readonly File[], begin?: PlanStart) => void {
  const uid = useUid()
  const navigate = useNavigate()
  return useCallback(
    (files, begin = {}) =>
      void import('./plan-files.ts').then(
        async ({ planFiles }) => {
          const page = await planFiles(uid, files, begin)
          if (page !== null) await navigate(page)
        },
        () => announce({ kind: 'failed', message: NOT_LOADED }),
      ),
    [uid, navigate],
  )
}

const NOT_LOADED =
  "This page couldn't load what plans several videos. Check your connection, or reload the page."
