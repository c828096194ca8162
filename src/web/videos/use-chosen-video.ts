import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useSyncExternalStore } from 'react'
import type { VideoId } from '#contract/ids.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { useStoreEntry, useUid, type StoreEntry } from '#web/session/browser-store.ts'
import { uploadPoster } from './poster.ts'
import { storeVideo } from './store-video.ts'
import { reasonOf } from './upload-error.ts'
import { useUpload, type OutcomeTexts, type UploadState } from './use-upload.ts'
import { videoFileError } from './video-file-error.ts'

/** A chosen file, and the video that it became; null: it is not uploaded yet. */
type Chosen = {
  readonly file: File
  readonly videoId: VideoId | null
  /** The moment of the stored poster. */
  readonly posterMs: number | null
  /** It is uploaded without asking again whether it should be fixed first. */
  readonly isPrepared: boolean
  /** It shows the same as the video whose place it takes. */
  readonly keepsCover: boolean
}

const unsent = (file: File, made: Partial<Pick<Chosen, 'isPrepared' | 'keepsCover'>> = {}): Chosen => ({
  file,
  videoId: null,
  posterMs: null,
  isPrepared: false,
  keepsCover: false,
  ...made,
})

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
  /** A file is chosen that is neither uploaded yet nor refused. */
  readonly isPending: boolean
  readonly keepsCover: boolean
  /** Checks a file and uploads it; another upload of this name is cancelled. */
  readonly choose: (file: File) => void
  /** Uploads a fixed copy of the video that is there now. */
  readonly replaceByFixed: (file: File) => void
  /** Continues the upload of the same file. */
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
  /** What is uploaded in the place of a chosen file, such as a fixed copy; null: nothing, another one was chosen. */
  readonly prepare: (file: File) => Promise<File | null>
}

/** The forms whose chosen file is being checked or uploaded. */
const running = new WeakSet<StoreEntry<Chosen | null>>()

/** A file that is uploaded as soon as it is chosen, and goes on uploading while one moves about. */
export function useChosenVideo({ name, page, video, coverMs, prepare }: Where): ChosenVideo {
  const entry = useChosen(name)
  const chosen = useSyncExternalStore(entry.subscribe, entry.get)
  const refusal = useStoreEntry<string | null>(`${name} refused file`, null)
  const uid = useUid()
  const { state, run: runUpload, clear } = useUpload<Video>(name, page)
  // A store entry, because the upload may end after the screen is left.
  const cover = useStoreEntry(`${name} cover`, coverMs)
  useEffect(() => cover.set(coverMs), [cover, coverMs])
  const store = (file: File, videoId: VideoId, posterMs: number): void => {
    const now = entry.get()
    if (now?.file === file) entry.set({ ...now, videoId, posterMs })
    void uploadPoster(videoId, file, { coverMs: posterMs })
  }
  const [settledMs] = useDebouncedValue(coverMs, POSTER_DELAY_MS)
  useEffect(() => {
    if (chosen === null) return
    const { file, videoId, posterMs } = chosen
    if (videoId === null || posterMs === settledMs || settledMs !== coverMs) return
    entry.set({ ...chosen, posterMs: settledMs })
    void uploadPoster(videoId, file, { coverMs: settledMs })
  }, [entry, chosen, settledMs, coverMs])

  const send = (file: File): Promise<UploadState<Video>> =>
    runUpload({
      file,
      texts: textsOf(file),
      start: async (report) => {
        const outcome = await storeVideo(file, uid, report)
        if (outcome.kind === 'done') store(file, outcome.reply.video_id, cover.get())
        return outcome
      },
    })

  const run = runnerOf({ entry, refusal, prepare, send })
  const take = (next: Chosen): void => {
    refusal.set(null)
    const before = entry.get()
    entry.set(next)
    if (state.kind === 'uploading') return void state.cancel()
    clear()
    void run(next.file, before)
  }

  const uploaded = state.kind === 'done' && state.reply.video_id === chosen?.videoId ? state.reply : null
  return {
    state,
    uploaded,
    file: state.kind === 'uploading' ? (chosen?.file ?? null) : fileOf(chosen, video ?? uploaded),
    error: useSyncExternalStore(refusal.subscribe, refusal.get),
    isPending: chosen !== null && isUnsent(chosen) && (state.kind === 'idle' || state.kind === 'done'),
    keepsCover: chosen?.keepsCover === true,
    choose: (file) => take(unsent(file)),
    replaceByFixed: (file) => take(unsent(file, { isPrepared: true, keepsCover: true })),
    retry: () => {
      if (chosen !== null && state.kind === 'failed') void run(chosen.file, null)
    },
    forget: () => {
      refusal.set(null)
      entry.set(null)
      if (state.kind === 'uploading') void state.cancel()
      else clear()
    },
    clear,
  }
}

type Runner = {
  readonly entry: StoreEntry<Chosen | null>
  readonly refusal: StoreEntry<string | null>
  readonly prepare: Where['prepare']
  readonly send: (file: File) => Promise<UploadState<Video>>
}

/** Uploads what is chosen, and then what was chosen meanwhile. `before` stays where nothing is uploaded. */
function runnerOf({ entry, refusal, prepare, send }: Runner) {
  /** Another file may have been chosen meanwhile. */
  const isStillChosen = (file: File): boolean => {
    const now = entry.get()
    return now?.file === file && isUnsent(now)
  }
  const attempt = async (file: File, before: Chosen | null) => {
    const error = await videoFileError(file)
    if (!isStillChosen(file)) return null
    const made = error === null && entry.get()?.isPrepared === false ? await prepare(file) : file
    if (!isStillChosen(file)) return null
    if (error === null && made !== null) {
      entry.set(unsent(made, { isPrepared: true, keepsCover: entry.get()?.keepsCover === true }))
      return { file: made, outcome: await send(made) }
    }
    entry.set(before === null || isUnsent(before) ? null : before)
    refusal.set(error)
    return null
  }
  const runAll = async (first: File, before: Chosen | null): Promise<void> => {
    for (let file: File | null = first; file !== null;) {
      const tried = await attempt(file, before)
      const now = entry.get()
      if (tried?.outcome.kind === 'cancelled' && now?.file === tried.file) entry.set(null)
      const last: File = tried?.file ?? file
      file = now !== null && now.file !== last && isUnsent(now) ? now.file : null
    }
  }
  return async (...all: Parameters<typeof runAll>): Promise<void> => {
    if (running.has(entry)) return
    running.add(entry)
    await runAll(...all).finally(() => running.delete(entry))
  }
}

const isUnsent = ({ videoId }: Chosen): boolean => videoId === null

const textsOf = ({ name }: File): OutcomeTexts<Video> => ({
  success: () => `${name} is uploaded.`,
  failure: (error) => `${name} is not uploaded. ${reasonOf(error) ?? TEXTS.unknownError}`,
})
