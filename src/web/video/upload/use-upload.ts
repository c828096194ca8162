import { useEffect, useSyncExternalStore } from 'react'
import { ApiProblem } from '#web/client/api.ts'
import { isCleared, useStoreEntry, useUid } from '#web/session/browser-store.ts'
import { refreshIfGone } from '#web/client/queries.ts'
import { PATHS } from '#web/lib/paths.ts'
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
  /** Resolves when the upload has ended, whatever its outcome. While one runs, no other starts. */
  readonly upload: (task: UploadTask<T> & { readonly texts: OutcomeTexts }) => Promise<UploadState<T>>
  readonly clear: () => void
}

/**
 * @param name each has one upload at a time
 * @param page the address of the screen that shows it
 */
export function useUpload<T>(name: string, page: string = PATHS.upload): Uploader<T> {
  const uid = useUid()
  const pageEntry = useStoreEntry(`upload page ${name}`, page)
  useEffect(() => pageEntry.set(page), [pageEntry, page])
  const entry = useStoreEntry<UploadState<T>>(`upload ${name}`, { kind: 'idle' })
  const state = useSyncExternalStore(entry.subscribe, entry.get)
  // The form shows the outcome itself.
  useEffect(() => dismiss(name), [name])
  return {
    state,
    clear: () => state.kind !== 'idle' && entry.set({ kind: 'idle' }),
    upload: async (task) => {
      const running = entry.get()
      if (running.kind === 'uploading') return running
      dismiss(name)
      const id = { uid, name }
      const outcome = await uploadFile(task, (progress, phase, cancel) => {
        entry.set({ kind: 'uploading', progress, phase, cancel: () => void cancel() })
        trackUpload({ ...id, filename: task.file.name, page: pageEntry.get(), progress, phase, cancel })
      }).finally(() => untrackUpload(id))
      entry.set(outcome)
      if (outcome.kind === 'failed') refreshIfGone(outcome.error)
      // Where the form is not shown, a notice tells the outcome.
      const news = entry.isObserved() || isCleared(entry) ? null : newsOf(outcome, task.texts)
      if (news !== null) announce({ ...news, about: name, page: null })
      return outcome
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
