import type { Video } from '#contract/videos.ts'
import { TEXTS } from '#contract/texts.ts'
import { announce } from '#web/ui/announce.tsx'
import { PATHS } from '#web/lib/paths.ts'
import { counted } from '#web/lib/amounts.ts'
import { isCleared, type StoreEntry } from '#web/session/browser-store.ts'
import { uploadPoster } from './poster.ts'
import { trackUpload, untrackUpload } from './active-uploads.ts'
import { storeVideo } from './store-video.ts'
import { reasonOf } from './upload-error.ts'
import type { UploadState } from './use-upload.ts'
import { videoFileError } from './video-file-error.ts'

/** So many of a user's files are sent at the same time; more would only share the line. */
const AT_ONCE = 2

type State =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'reading' }
  | Extract<UploadState<Video>, { kind: 'uploading' }>
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'stored'; readonly video: Video }

export type QueuedUpload = { readonly id: number; readonly file: File; readonly state: State }

/** What the user chose to upload; it goes on while other screens are shown. */
export type UploadQueue = StoreEntry<readonly QueuedUpload[]>

let lastId = 0

export function addFiles(queue: UploadQueue, uid: string, files: readonly File[]): void {
  const state = { kind: 'waiting' } as const
  queue.set([...queue.get(), ...files.map((file) => ({ id: ++lastId, file, state }))])
  startWaiting(queue, uid)
}

export function retryUpload(queue: UploadQueue, uid: string, { id, state }: QueuedUpload): void {
  if (state.kind !== 'failed') return
  setState(queue, id, { kind: 'waiting' })
  startWaiting(queue, uid)
}

/** Takes an upload that waits or failed off the list. */
export const removeUpload = (queue: UploadQueue, id: number): void =>
  queue.set(queue.get().filter((one) => one.id !== id))

const setState = (queue: UploadQueue, id: number, state: State): void =>
  queue.set(queue.get().map((one) => (one.id === id ? { ...one, state } : one)))

const isRunning = ({ state }: QueuedUpload): boolean => state.kind === 'reading' || state.kind === 'uploading'

/** Starts as many as may run, in the order in which they were chosen. */
function startWaiting(queue: UploadQueue, uid: string): void {
  // After a log-out nobody waits for them any more.
  if (isCleared(queue)) return
  const all = queue.get()
  const waiting = all.filter(({ state }) => state.kind === 'waiting')
  for (const next of waiting.slice(0, Math.max(0, AT_ONCE - all.filter(isRunning).length))) {
    setState(queue, next.id, { kind: 'reading' })
    void upload(queue, uid, next).then((state) => {
      if (state === null) removeUpload(queue, next.id)
      else setState(queue, next.id, state)
      startWaiting(queue, uid)
    })
  }
  if (!queue.get().some((one) => isRunning(one))) endBatch(queue)
}

/** @returns what became of it; null: it was cancelled */
async function upload(queue: UploadQueue, uid: string, { id, file }: QueuedUpload): Promise<State | null> {
  const error = await videoFileError(file)
  if (error !== null) return { kind: 'failed', message: error }
  const tracked = { uid, name: `library ${id}` }
  const outcome = await storeVideo(file, uid, (running) => {
    setState(queue, id, { kind: 'uploading', ...running })
    trackUpload({ ...tracked, filename: file.name, page: PATHS.library, ...running })
  }).finally(() => untrackUpload(tracked))
  switch (outcome.kind) {
    case 'done':
      void uploadPoster(outcome.reply.video_id, file)
      return { kind: 'stored', video: outcome.reply }
    case 'failed':
      return { kind: 'failed', message: reasonOf(outcome.error) ?? TEXTS.unknownError }
    case 'cancelled':
      announce({ kind: 'note', message: `${file.name}: ${outcome.message}` })
      return null
    case 'idle':
    case 'uploading':
      return null
  }
}

/** Says once what was stored, so that ten files are not ten notices. */
function endBatch(queue: UploadQueue): void {
  const stored = queue.get().flatMap(({ state }) => (state.kind === 'stored' ? [state.video] : []))
  const [first] = stored
  if (first === undefined) return
  queue.set(queue.get().filter(({ state }) => state.kind !== 'stored'))
  const what = stored.length === 1 ? `${first.filename} is` : `${counted(stored.length, 'video')} are`
  announce({ kind: 'done', message: `${what} uploaded.`, page: null })
}
