import { useEffect, useSyncExternalStore } from 'react'
import { ApiProblem } from '#web/client/api.ts'
import { isCleared, useStoreEntry, useUid } from '#web/session/browser-store.ts'
import { refreshIfGone } from '#web/client/queries.ts'
import { announce, dismiss, type Announcement } from '#web/components/feedback/announce.tsx'
import { trackUpload, untrackUpload } from './active-uploads.ts'
import { uploadFile, type UploadState, type UploadTask } from './upload-file.ts'

/** As the form's specification has them. */
export type OutcomeTexts = {
  readonly success: string
  readonly failure: (error: Error) => string
}

type Uploader<T> = {
  readonly state: UploadState<T>
  /** Resolves when the upload has ended, whatever its outcome. */
  readonly upload: (task: UploadTask<T> & { readonly texts: OutcomeTexts }) => Promise<void>
  readonly clear: () => void
}

/** @param name each has one upload at a time */
export function useUpload<T>(name: string): Uploader<T> {
  const uid = useUid()
  const entry = useStoreEntry<UploadState<T>>(`upload ${name}`, { kind: 'idle' })
  const state = useSyncExternalStore(entry.subscribe, entry.get)
  // The form shows the outcome itself.
  useEffect(() => dismiss(name), [name])
  return {
    state,
    clear: () => state.kind !== 'idle' && entry.set({ kind: 'idle' }),
    upload: async (task) => {
      if (entry.get().kind === 'uploading') return
      dismiss(name)
      const id = { uid, name }
      const outcome = await uploadFile(task, (progress, phase, cancel) => {
        entry.set({ kind: 'uploading', progress, phase, cancel: () => void cancel() })
        trackUpload({ ...id, filename: task.file.name, progress, phase, cancel })
      }).finally(() => untrackUpload(id))
      entry.set(outcome)
      if (outcome.kind === 'failed') refreshIfGone(outcome.error)
      // Where the form is not shown, a notice tells the outcome.
      const news = entry.isObserved() || isCleared(entry) ? null : newsOf(outcome, task.texts)
      if (news !== null) announce({ ...news, about: name, page: null })
    },
  }
}

function newsOf(outcome: UploadState<unknown>, { success, failure }: OutcomeTexts): Announcement | null {
  switch (outcome.kind) {
    case 'idle':
    case 'uploading':
      return null
    case 'done':
      return outcome.otherOutcome === null
        ? { kind: 'done', message: success }
        : { kind: 'note', message: outcome.otherOutcome }
    case 'cancelled':
      return { kind: 'note', message: outcome.message }
    case 'failed':
      // The login page says that the session has ended; the form later shows that this was not sent.
      return isSessionOver(outcome.error) ? null : { kind: 'failed', message: failure(outcome.error) }
  }
}

const isSessionOver = (error: Error): boolean =>
  error instanceof ApiProblem && (error.code === 'unauthorized' || error.kind === 'no_token')
