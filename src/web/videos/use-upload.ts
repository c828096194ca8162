import { useEffect, useSyncExternalStore } from 'react'
import { ApiProblem } from '#web/api/api.ts'
import { isCleared, useStoreEntry, useUid } from '#web/session/browser-store.ts'
import { refreshIfGone } from '#web/api/queries.ts'
import { PATHS } from '#web/lib/paths.ts'
import { announce, dismiss, type Announcement } from '#web/ui/announce.tsx'
import { trackUpload, untrackUpload, type RunningUpload } from './active-uploads.ts'
import { reasonOf } from './upload-error.ts'

/** A form's upload. `mayHaveArrived`: the browser cannot tell whether the server acted on it. */
export type UploadState<T> =
  | { readonly kind: 'idle' }
  | ({ readonly kind: 'uploading' } & RunningUpload)
  | { readonly kind: 'done'; readonly reply: T }
  | { readonly kind: 'failed'; readonly error: Error; readonly mayHaveArrived: boolean }
  | { readonly kind: 'cancelled'; readonly message: string; readonly mayHaveArrived: boolean }

export type OutcomeTexts<T> = {
  readonly success: (reply: T) => string
  readonly failure: (error: Error) => string
}

type Uploader<T> = {
  readonly state: UploadState<T>
  /** Resolves when the upload has ended, whatever its outcome. While one runs, no other starts. */
  readonly run: (upload: Upload<T>) => Promise<UploadState<T>>
  readonly clear: () => void
}

type Upload<T> = {
  readonly file: File
  readonly texts: OutcomeTexts<T>
  readonly start: (report: (running: RunningUpload) => void) => Promise<UploadState<T>>
}

/**
 * A form's upload, which continues while the user moves between screens.
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
  const run = async ({ file, texts, start }: Upload<T>): Promise<UploadState<T>> => {
    const before = entry.get()
    if (before.kind === 'uploading') return before
    dismiss(name)
    const id = { uid, name }
    const outcome = await start((running) => {
      entry.set({ kind: 'uploading', ...running })
      trackUpload({ ...id, filename: file.name, page: pageEntry.get(), ...running })
    }).finally(() => untrackUpload(id))
    entry.set(outcome)
    if (outcome.kind === 'failed') {
      refreshIfGone(outcome.error)
      // oxlint-disable-next-line no-console -- the specified text sends users there where no reason is known
      if (reasonOf(outcome.error) === null) console.error(outcome.error)
    }
    // Where the form is not shown, a notice tells the outcome.
    const news = entry.isObserved() || isCleared(entry) ? null : newsOf(outcome, texts)
    if (news !== null) announce({ ...news, about: name, page: null })
    return outcome
  }
  return {
    state,
    clear: () => state.kind !== 'idle' && entry.set({ kind: 'idle' }),
    run,
  }
}

function newsOf<T>(outcome: UploadState<T>, { success, failure }: OutcomeTexts<T>): Announcement | null {
  switch (outcome.kind) {
    case 'idle':
    case 'uploading':
      return null
    case 'done':
      return { kind: 'done', message: success(outcome.reply) }
    case 'cancelled':
      return { kind: 'note', message: outcome.message }
    case 'failed':
      // The login page says that the session has ended; the form later shows that this was not sent.
      return isSessionOver(outcome.error) ? null : { kind: 'failed', message: failure(outcome.error) }
  }
}

const isSessionOver = (error: Error): boolean =>
  error instanceof ApiProblem && (error.code === 'unauthorized' || error.kind === 'no_token')
