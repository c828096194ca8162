import { useSyncExternalStore } from 'react'
import { createStoreEntry, useUid } from '#web/session/browser-store.ts'
import { beforeLogOut } from '#web/session/session.ts'
import type { Progress } from './progress.ts'
import type { Shown } from './resumable-upload.ts'

export type UploadPhase = Shown['phase']

/** An upload as it is shown, and what can be done to it. */
export type RunningUpload = {
  readonly progress: Progress
  readonly phase: UploadPhase
  /** Why it waits, starts again or goes on from where it was; null: nothing to say. */
  readonly note: string | null
  /** Resolves once the outcome is known: whether nothing is published. May be called again. */
  readonly cancel: () => Promise<boolean>
  /** Null: it cannot be paused. */
  readonly pausing: { readonly pause: () => void; readonly resume: () => void } | null
}

/** An upload that is running, whatever screen is shown. */
export type ActiveUpload = RunningUpload & {
  readonly uid: string
  /** The form that sent it; each form has one upload at a time. */
  readonly name: string
  readonly filename: string
  /** The address of the screen that shows it. */
  readonly page: string
}

const active = createStoreEntry<readonly ActiveUpload[]>([])
const isSame = (one: ActiveUpload, other: Pick<ActiveUpload, 'uid' | 'name'>) =>
  one.uid === other.uid && one.name === other.name

/** Adds an upload, or updates its progress. */
export function trackUpload(upload: ActiveUpload): void {
  const all = active.get()
  const known = all.some((one) => isSame(one, upload))
  active.set(known ? all.map((one) => (isSame(one, upload) ? upload : one)) : [...all, upload])
  window.addEventListener('beforeunload', confirmUnload)
}

/** Removes an upload that has ended. */
export function untrackUpload(ended: Pick<ActiveUpload, 'uid' | 'name'>): void {
  active.set(active.get().filter((one) => !isSame(one, ended)))
  if (active.get().length === 0) window.removeEventListener('beforeunload', confirmUnload)
}

const confirmUnload = (event: BeforeUnloadEvent): void => event.preventDefault()

/** @returns whether nothing is published of any of them */
export const cancelUploads = async (uploads: readonly ActiveUpload[]): Promise<boolean> =>
  (await Promise.all(uploads.map(({ cancel }) => cancel()))).every(Boolean)

/** Cancels every upload of this tab. @returns whether nothing is published of any of them */
export const cancelAllUploads = (): Promise<boolean> => cancelUploads(active.get())

// Nobody could see their outcome any more.
beforeLogOut(() => cancelAllUploads())

/** The uploads of the signed-in user, oldest first. */
export function useActiveUploads(): readonly ActiveUpload[] {
  const uid = useUid()
  return useSyncExternalStore(active.subscribe, active.get).filter((one) => one.uid === uid)
}
