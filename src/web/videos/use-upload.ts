import { useEffect, useSyncExternalStore } from 'react'
import { useLocation } from 'react-router'
import { ApiProblem } from '#web/api/api.ts'
import { refreshIfGone } from '#web/api/queries.ts'
import { announce, dismiss } from '#web/ui/announce.tsx'
import { reasonOf } from '#web/api/problem-reason.ts'
import {
  findUpload,
  changeUpload,
  uploads,
  type Upload,
  type UploadOutcome,
  type UploadPlace,
  type UploadRun,
} from './uploads.ts'
import { useUid } from '#web/session/browser-store.ts'

/** The user's upload of this name; null: there is none. */
export function useUpload<T>(name: string): { place: UploadPlace; upload: Upload<T> | null } {
  const uid = useUid()
  const { pathname, search } = useLocation()
  const id = `${uid} ${name}`
  const upload = useSyncExternalStore(uploads.subscribe, () => findUpload(id))
  // The type is that of the upload which began under this id.
  return { place: { id, uid, page: pathname + search }, upload: upload as Upload<T> | null }
}

/** The ids of the uploads that a screen shows now. */
const shown = new Set<string>()
export const isShown = (id: string): boolean => shown.has(id)

/** The upload of the screen that shows it: elsewhere a notice tells what becomes of it. */
export function useShownUpload<T>(name: string): ReturnType<typeof useUpload<T>> {
  const { place, upload } = useUpload<T>(name)
  const { id, page } = place
  useEffect(() => {
    dismiss(id)
    shown.add(id)
    // The address of a draft changes once it is saved.
    changeUpload(id, { page })
    return () => void shown.delete(id)
  }, [id, page])
  return { place, upload }
}

export type OutcomeTexts<T> = {
  readonly success: (reply: T) => string
  readonly failure: (error: Error) => string
}

/** Shows what became of an upload: on its screen, or by a notice where another one is shown. */
export function endUpload<T>(
  id: string,
  run: UploadRun<T>,
  outcome: UploadOutcome<T>,
  texts: OutcomeTexts<T>,
): void {
  run.set(outcome)
  if (outcome.kind === 'failed') {
    refreshIfGone(outcome.error)
    // oxlint-disable-next-line no-console -- the specified text sends users there where no reason is known
    if (reasonOf(outcome.error) === null) console.error(outcome.error)
  }
  if (shown.has(id) || !run.isCurrent()) return
  const note = { about: id, page: null }
  switch (outcome.kind) {
    case 'done':
      return announce({ ...note, kind: 'done', message: texts.success(outcome.reply) })
    case 'cancelled':
      return announce({ ...note, kind: 'note', message: outcome.message })
    case 'failed':
      // The login page says that the session has ended; the form later shows that this was not sent.
      if (isSessionOver(outcome.error)) return
      return announce({ ...note, kind: 'failed', message: texts.failure(outcome.error) })
  }
}

const isSessionOver = (error: Error): boolean =>
  error instanceof ApiProblem && (error.code === 'unauthorized' || error.kind === 'no_token')
