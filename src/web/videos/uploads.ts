import { useSyncExternalStore } from 'react'
import type { Video } from '#contract/videos.ts'
import type { FixPlan } from '#domain/video-check/fix-plan.ts'
import { onDraftsCleared } from '#web/lib/form-drafts.ts'
import { createStoreEntry, useUid } from '#web/session/browser-store.ts'
import { beforeLogOut } from '#web/session/session.ts'

/** Bytes, and the remaining seconds if they can be estimated. */
export type Progress = { readonly sent: number; readonly total: number; readonly leftS: number | null }

/** `elsewhere`: another tab or device sends it now. */
export type UploadPhase = 'sending' | 'waiting' | 'paused' | 'elsewhere' | 'cancelling'

/** A file that is being sent, and what can be done to it. */
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

/** The part of a running upload that is shown. */
export type ShownUpload = Pick<RunningUpload, 'progress' | 'phase' | 'note'>

/** `mayHaveArrived`: the browser cannot tell whether the server acted on it. */
export type UploadOutcome<T> =
  | { readonly kind: 'done'; readonly reply: T }
  | { readonly kind: 'failed'; readonly error: Error; readonly mayHaveArrived: boolean }
  | { readonly kind: 'cancelled'; readonly message: string; readonly mayHaveArrived: boolean }

export type UploadState<T> =
  /** `pending`: behind the other files of the library. */
  | { readonly kind: 'pending' | 'checking' }
  /** The file would be refused. `problem`: why this browser cannot fix it, or why it failed. */
  | {
      readonly kind: 'asking'
      readonly plan: FixPlan
      readonly problem: string | null
      readonly canTry: boolean
      readonly answer: (answer: 'fix' | 'as it is') => void
    }
  /** `leftS` null: it cannot be estimated yet. */
  | {
      readonly kind: 'fixing'
      readonly share: number
      readonly leftS: number | null
      readonly cancel: () => Promise<boolean>
    }
  | ({ readonly kind: 'uploading' } & RunningUpload)
  | UploadOutcome<T>
  /** The file is no video that can be used. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The library has a video with the same content. */
  | { readonly kind: 'known'; readonly video: Video }
  /** A stored video could not be fixed, and stays as it is. */
  | { readonly kind: 'unfixed'; readonly why: string }

/** Each id has one upload at a time. */
export type UploadPlace = {
  readonly id: string
  readonly uid: string
  /** The address of the screen that shows it. */
  readonly page: string
}

/** `T`: what it becomes, such as a video. */
export type Upload<T = unknown> = UploadPlace & {
  readonly filename: string
  /** Null: a stored video is being fixed. */
  readonly file: File | null
  /** It shows the same as the video whose place it takes. */
  readonly keepsCover?: boolean
  /** It is uploaded although the library has it. */
  readonly isCopy?: boolean
  readonly state: UploadState<T>
  /** Tells it from the one before and after it with the same id. */
  readonly run: symbol
}

export const uploads = createStoreEntry<ReadonlyMap<string, Upload>>(new Map())

export const findUpload = (id: string): Upload | null => uploads.get().get(id) ?? null
export const uploadsOf = (uid: string): Upload[] =>
  [...uploads.get().values()].filter((one) => one.uid === uid)

function put(id: string, upload: Upload | null): void {
  const all = new Map(uploads.get())
  if (upload === null) all.delete(id)
  else all.set(id, upload)
  uploads.set(all)
  if ([...all.values()].some(isRunning)) window.addEventListener('beforeunload', confirmUnload)
  else window.removeEventListener('beforeunload', confirmUnload)
}

/** It is being sent or fixed. */
const isRunning = ({ state }: Upload): boolean => 'cancel' in state
const confirmUnload = (event: BeforeUnloadEvent): void => event.preventDefault()

/** Changes an upload, unless it was removed or, where `run` is given, replaced. */
export function changeUpload(
  id: string,
  changes: Partial<Pick<Upload, 'state' | 'file' | 'filename' | 'page'>>,
  run?: symbol,
): void {
  const upload = findUpload(id)
  if (upload !== null && (run === undefined || upload.run === run)) put(id, { ...upload, ...changes })
}

/** The driver of an upload changes it by this. It has no effect once the upload is replaced or removed. */
export type UploadRun<T> = {
  readonly isCurrent: () => boolean
  readonly set: (state: UploadState<T>, file?: File) => void
}

/** Begins an upload in the place of the one that has its id. */
export function beginUpload<T>(upload: Omit<Upload<T>, 'run'>): UploadRun<T> {
  const { id } = upload
  const run = Symbol(id)
  put(id, { ...upload, run })
  return {
    isCurrent: () => findUpload(id)?.run === run,
    set: (state, file) => changeUpload(id, { state, ...(file && { file, filename: file.name }) }, run),
  }
}

/** Forgets an upload, and cancels it if it runs. Resolves once it has ended. */
export async function removeUpload(id: string): Promise<void> {
  const upload = findUpload(id)
  if (upload === null) return
  put(id, null)
  await cancel(upload)
}

/** @returns whether nothing is published of it */
const cancel = async ({ state }: Upload): Promise<boolean> => ('cancel' in state ? state.cancel() : true)

/** @returns whether nothing is published of any of them */
export const cancelUploads = async (all: readonly Upload[]): Promise<boolean> =>
  (await Promise.all(all.map(cancel))).every(Boolean)

/** Cancels every upload of this tab. @returns whether nothing is published of any of them */
export const cancelAllUploads = (): Promise<boolean> => cancelUploads([...uploads.get().values()])

// Nobody could see their outcome any more.
beforeLogOut(() => cancelAllUploads())
onDraftsCleared((exceptUid) => {
  for (const upload of uploads.get().values()) {
    if (upload.uid === exceptUid) continue
    put(upload.id, null)
    if (upload.state.kind === 'fixing') void upload.state.cancel()
  }
})

/** The uploads of the signed-in user, oldest first. */
export function useUploads(): readonly Upload[] {
  const uid = useUid()
  const all = useSyncExternalStore(uploads.subscribe, uploads.get)
  return [...all.values()].filter((one) => one.uid === uid)
}

type ActiveUpload = Upload & { readonly state: { readonly kind: 'uploading' } & RunningUpload }

/** The files that are being sent, whatever screen is shown. */
export const useActiveUploads = (): readonly ActiveUpload[] =>
  useUploads().filter((one): one is ActiveUpload => one.state.kind === 'uploading')
