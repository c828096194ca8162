import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useSyncExternalStore } from 'react'
import type { VideoId } from '#contract/ids.ts'
import { API } from '#contract/api.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { queryClient } from '#web/client/queries.ts'
import { useStoreEntry } from '#web/session/browser-store.ts'
import { fileErrorOf } from '#web/video/file/file-error.ts'
import { uploadPoster } from '#web/video/file/poster.ts'
import { factsQuery } from '#web/video/file/use-video-check.ts'
import { cancellingOf, findStored, storeVideo } from './store-video.ts'
import { reasonOf } from './upload-error.ts'
import type { UploadState } from './upload-file.ts'
import { useUpload, type OutcomeTexts } from './use-upload.ts'

/** A chosen file, and the video that it became; null: it is not uploaded yet. */
type Chosen = {
  readonly file: File
  readonly videoId: VideoId | null
  /** The moment of the stored poster. */
  readonly posterMs: number | null
}

const unsent = (file: File): Chosen => ({ file, videoId: null, posterMs: null })

/** The poster follows the cover once that stands still. */
const POSTER_DELAY_MS = 1500

/** The chosen file of this video, or of the running upload where there is no video yet. */
const fileOf = (chosen: Chosen | null, video: Video | null): File | null =>
  chosen !== null && chosen.videoId === (video?.video_id ?? null) ? chosen.file : null

const useChosen = (name: string) => useStoreEntry<Chosen | null>(`${name} chosen video`, null)

/** The local file of a composed post's video, while the page has it. */
export function useChosenFile(name: string, video: Video | null): File | null {
  const entry = useChosen(name)
  return fileOf(useSyncExternalStore(entry.subscribe, entry.get), video)
}

type ChosenVideo = {
  readonly state: UploadState<Video>
  /** The local file, while it is uploaded and afterwards. */
  readonly file: File | null
  /** What it became, until `clear`. */
  readonly uploaded: Video | null
  /** Why the file that was chosen last is not uploaded. */
  readonly error: string | null
  /** Checks a file and uploads it; another upload of this name is cancelled. */
  readonly choose: (file: File) => void
  /** Uploads the same file again, unless it turns out to have arrived. */
  readonly retry: () => void
  /** Forgets the file, for instance because another video was picked. */
  readonly forget: () => void
  readonly clear: () => void
}

type Where = {
  /** Each has one file and one upload at a time. */
  readonly name: string
  /** The address of the screen that shows it. */
  readonly page: string
  readonly video: Video | null
  /** The moment of the poster, in ms. */
  readonly coverMs: number
}

/** A file that is uploaded as soon as it is chosen, and goes on uploading while one moves about. */
export function useChosenVideo({ name, page, video, coverMs }: Where): ChosenVideo {
  const entry = useChosen(name)
  const chosen = useSyncExternalStore(entry.subscribe, entry.get)
  const refusal = useStoreEntry<string | null>(`${name} refused file`, null)
  const { state, upload, clear } = useUpload<Video>(name, page)
  // A store entry, because the upload may end after the screen is left.
  const cover = useStoreEntry(`${name} cover`, coverMs)
  useEffect(() => cover.set(coverMs), [cover, coverMs])
  const store = (file: File, videoId: VideoId, posterMs: number): void => {
    if (entry.get()?.file === file) entry.set({ file, videoId, posterMs })
    void uploadPoster(videoId, file, posterMs)
  }
  const [settledMs] = useDebouncedValue(coverMs, POSTER_DELAY_MS)
  useEffect(() => {
    const { file, videoId, posterMs } = chosen ?? {}
    if (!file || videoId == null || posterMs === settledMs || settledMs !== coverMs) return
    entry.set({ file, videoId, posterMs: settledMs })
    void uploadPoster(videoId, file, settledMs)
  }, [entry, chosen, settledMs, coverMs])

  const send = (file: File, mayHaveArrived: boolean): Promise<UploadState<Video>> =>
    upload({
      file,
      texts: textsOf(file),
      ...cancellingOf(file),
      send: async (controls) => {
        const arrived = mayHaveArrived ? await findStored(file) : undefined
        const stored = arrived ?? (await storeVideo(file, controls))
        store(file, stored.video_id, cover.get())
        return stored
      },
    })

  /** Uploads what is chosen, and then what was chosen meanwhile. */
  const run = async (first: File, mayHaveArrived: boolean, before: Chosen | null): Promise<void> => {
    for (let file: File | null = first; file !== null;) {
      const outcome = await attempt(file, mayHaveArrived, before)
      const now = entry.get()
      if (outcome?.kind === 'cancelled' && now?.file === file) entry.set(null)
      file = now !== null && now.file !== file && isUnsent(now) ? now.file : null
    }
  }
  const attempt = async (file: File, mayHaveArrived: boolean, before: Chosen | null) => {
    const error = await errorOf(file)
    const now = entry.get()
    // Another file was chosen while this one was read.
    if (now?.file !== file || !isUnsent(now)) return null
    if (error === null) return send(file, mayHaveArrived)
    // The video that was there before stays.
    entry.set(before === null || isUnsent(before) ? null : before)
    refusal.set(error)
    return null
  }

  const uploaded = state.kind === 'done' && state.reply.video_id === chosen?.videoId ? state.reply : null
  return {
    state,
    uploaded,
    file: state.kind === 'uploading' ? (chosen?.file ?? null) : fileOf(chosen, video ?? uploaded),
    error: useSyncExternalStore(refusal.subscribe, refusal.get),
    choose: (file) => {
      refusal.set(null)
      const before = entry.get()
      entry.set(unsent(file))
      if (state.kind === 'uploading') return state.cancel()
      clear()
      void run(file, false, before)
    },
    retry: () => {
      if (chosen !== null && state.kind === 'failed') void run(chosen.file, state.arrival === 'unknown', null)
    },
    forget: () => {
      refusal.set(null)
      entry.set(null)
      if (state.kind === 'uploading') state.cancel()
      else clear()
    },
    clear,
  }
}

const isUnsent = ({ videoId }: Chosen): boolean => videoId === null

const PART = { ...API.uploadVideo.file, missing: TEXTS.chooseVideoFirst }

/** What the server would refuse too, found before a byte is sent. */
async function errorOf(file: File): Promise<string | null> {
  const error = fileErrorOf(file, PART)
  if (error !== null) return error
  // If the reader could not be loaded, the server still checks.
  const facts = await queryClient.fetchQuery(factsQuery(file)).catch(() => null)
  return facts?.container === 'unknown' ? TEXTS.notAVideo : null
}

const textsOf = ({ name }: File): OutcomeTexts => ({
  success: `${name} is uploaded.`,
  failure: (error) => `${name} is not uploaded. ${reasonOf(error) ?? TEXTS.unknownError}`,
})
