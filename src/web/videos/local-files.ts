import type { VideoId } from '#contract/ids.ts'
import { onDraftsCleared } from '#web/lib/form-drafts.ts'
import { uploadPoster } from './poster.ts'

/** The poster follows the cover once that stands still. */
const POSTER_DELAY_MS = 1500

/** `posterMs`: the moment of the stored poster; null: it has none yet. */
type LocalFile = { readonly file: File; posterMs: number | null; timer?: ReturnType<typeof setTimeout> }

/** The files of videos that this page has uploaded for posts: nothing is downloaded to show them. */
const files = new Map<VideoId, LocalFile>()
onDraftsCleared((exceptUid) => {
  if (exceptUid !== null) return
  for (const { timer } of files.values()) clearTimeout(timer)
  files.clear()
})

export const keepLocalFile = (videoId: VideoId, file: File): void =>
  void files.set(videoId, { file, posterMs: null })

/** The local file of a stored video, while the page has it. */
export const localFileOf = (videoId: VideoId | null): File | null =>
  videoId === null ? null : (files.get(videoId)?.file ?? null)

/** Makes the picture at this moment the poster of a video whose file the page has. @param coverMs 0: no cover was chosen */
export function movePoster(videoId: VideoId, coverMs: number): void {
  const local = files.get(videoId)
  if (local === undefined) return
  clearTimeout(local.timer)
  if (local.posterMs === coverMs) return
  const move = () => {
    local.posterMs = coverMs
    void uploadPoster(videoId, local.file, { coverMs })
  }
  if (local.posterMs === null) move()
  else local.timer = setTimeout(move, POSTER_DELAY_MS)
}
