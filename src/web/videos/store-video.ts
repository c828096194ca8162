import type { Video } from '#contract/videos.ts'
import { UPLOAD_KEPT_DAYS } from '#contract/limits.ts'
import { ApiProblem } from '#web/api/api.ts'
import { refreshVideos } from '#web/api/videos.ts'
import type { Ended, ResumableUpload, Shown } from './resumable-upload.ts'
import type { RunningUpload } from './active-uploads.ts'
import type { UploadState } from './use-upload.ts'

const CODE_MISSING = "This page couldn't load what uploads need. Check your connection, or reload the page."

/**
 * Uploads a video for later posts, resumably: only a refusal by the server or `cancel` ends it. The same file chosen again after a
 * reload continues. Expected failures do not reject.
 */
export async function storeVideo(
  file: File,
  uid: string,
  report: (running: RunningUpload) => void,
): Promise<UploadState<Video>> {
  const ended = Promise.withResolvers<boolean>()
  let running: ResumableUpload | null = null
  let isCancelled = false
  const controls = {
    cancel: () => {
      isCancelled = true
      running?.cancel()
      return ended.promise
    },
    pausing: { pause: () => running?.pause(), resume: () => running?.resume() },
  }
  const show = (shown: Shown) => report({ ...shown, ...controls })
  show({ progress: { sent: 0, total: file.size, leftS: null }, phase: 'sending', note: null })
  const state = await import('./resumable-upload.ts').then(
    async (loaded) => {
      running = new loaded.ResumableUpload(file, uid, show)
      if (isCancelled) running.cancel()
      return stateOf(await running.run())
    },
    (cause: unknown): UploadState<never> => ({
      kind: 'failed',
      error: new ApiProblem({ kind: 'refused', message: CODE_MISSING, cause }),
      mayHaveArrived: false,
    }),
  )
  // Nothing is posted with a video that is only stored.
  ended.resolve(true)
  return state
}

function stateOf(ended: Ended): UploadState<Video> {
  switch (ended.kind) {
    case 'stored':
      refreshVideos()
      return { kind: 'done', reply: ended.video }
    case 'failed':
      return { kind: 'failed', error: ended.error, mayHaveArrived: false }
    case 'cancelled':
      if (ended.arrived === 'stored' || ended.arrived === 'all') refreshVideos()
      return { kind: 'cancelled', message: CANCELLED[ended.arrived], mayHaveArrived: false }
  }
}

const CANCELLED: Record<Extract<Ended, { kind: 'cancelled' }>['arrived'], string> = {
  nothing: 'Upload cancelled. Nothing was stored.',
  parts: `Upload cancelled. The server couldn't be told: it deletes what had arrived within ${UPLOAD_KEPT_DAYS} days.`,
  all: "Upload cancelled, but all of it was sent and the server couldn't be asked. The video may be in your library. Nothing was posted.",
  stored: 'The upload finished before you cancelled it: the video is in your library. Nothing was posted.',
  'cancelled elsewhere': 'The upload was cancelled in another tab. Nothing was stored.',
}
