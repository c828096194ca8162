import { z } from 'zod'
import type { Video } from '#contract/videos.ts'
import type { VideoId } from '#contract/ids.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { ANY_DRAFTS, queryClient, videoQuery } from '#web/api/queries.ts'
import { readDraft, writeDraft } from '#web/lib/form-drafts.ts'
import { knownUploads } from './known-uploads.ts'
import { keepLocalFile } from './local-files.ts'
import { uploadPoster } from './poster.ts'
import { checkFile, storeVideo } from './upload-video.ts'
import { isShown } from './use-upload.ts'
import { beginUpload, findUpload, removeUpload, type UploadPlace } from './uploads.ts'

// The videos of several drafts on their way: a few at a time, whatever screen is shown.

/** So many are sent at the same time; more would only share the line. */
const AT_ONCE = 3

/** A draft whose video is on its way, and the screen that shows it. */
export type PlannedUpload = {
  readonly uid: string
  readonly draftId: string
  readonly page: string
  readonly file: File
}

const queue: PlannedUpload[] = []
let running = 0

/** The composer's upload of the draft has the same id. */
export const uploadIdOf = (uid: string, draftId: string): string => `${uid} ${draftId}`

/** Uploads the videos of drafts, in the order in which they are given. */
export function queueUploads(all: readonly PlannedUpload[]): void {
  for (const upload of all) {
    const { uid, draftId, page, file } = upload
    rememberFile(uid, draftId, { filename: file.name, size: file.size })
    const place = { id: uploadIdOf(uid, draftId), uid, page }
    beginUpload<Video>({ ...place, filename: file.name, file, state: { kind: 'pending' } })
    queue.push(upload)
  }
  sendQueued()
}

function sendQueued(): void {
  while (running < AT_ONCE) {
    const next = queue.shift()
    if (next === undefined) return
    const id = uploadIdOf(next.uid, next.draftId)
    const upload = findUpload(id)
    // It was cancelled, or another file has taken its place.
    if (upload?.state.kind !== 'pending' || upload.file !== next.file) continue
    running += 1
    void send({ id, uid: next.uid, page: upload.page }, next).finally(() => {
      running -= 1
      sendQueued()
    })
  }
}

async function send(place: UploadPlace, { uid, draftId, file }: PlannedUpload): Promise<void> {
  const run = beginUpload<Video>({ ...place, filename: file.name, file, state: { kind: 'checking' } })
  await checkFile(run, file, async () => {
    const outcome = await storeVideo(run, place, file)
    if (outcome.kind === 'done') {
      keepLocalFile(outcome.reply.video_id, file)
      void uploadPoster(outcome.reply.video_id, file)
    }
    run.set(outcome)
    if (outcome.kind !== 'done' || isShown(place.id) || !run.isCurrent()) return
    if (await saveVideo(draftId, outcome.reply.video_id)) {
      forgetFile(uid, draftId)
      if (!isShown(place.id)) await removeUpload(place.id)
    }
  })
}

const TRIES = 3

/** Gives a draft that no screen shows the video that was uploaded for it. @returns false: it has it not */
async function saveVideo(draftId: string, videoId: VideoId): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    try {
      const { content, version, deleted_at } = await call('getDraft', { params: { draftId } })
      if (deleted_at !== null || content.video_id !== null) return true
      const body = { version, content: { ...content, video_id: videoId } }
      await call('saveDraft', { params: { draftId }, body })
      void queryClient.invalidateQueries(ANY_DRAFTS)
      return true
    } catch (error) {
      // It was published or deleted: the video stays in the library.
      if (error instanceof ApiProblem && error.code === 'not_found') return true
      if (!(error instanceof ApiProblem)) throw error
    }
  }
  return false
}

/** Recognises the file that is chosen again after a reload. */
const NamedFile = z.object({ filename: z.string(), size: z.number() })
export type NamedFile = z.infer<typeof NamedFile>

const fileKey = (draftId: string): string => `file ${draftId}`

const rememberFile = (uid: string, draftId: string, file: NamedFile): void =>
  writeDraft(uid, fileKey(draftId), file)

/** The file that was to become a draft's video, as this browser remembers it; null: unknown. */
export const findFile = (uid: string, draftId: string): NamedFile | null =>
  NamedFile.safeParse(readDraft(uid, fileKey(draftId))).data ?? null

/** Its video is stored. */
export const forgetFile = (uid: string, draftId: string): void => writeDraft(uid, fileKey(draftId), null)

/** The video that was stored for a draft before a reload kept the page from saying so; null: none. */
export async function findStoredVideo(uid: string, draftId: string): Promise<Video | null> {
  const id = uploadIdOf(uid, draftId)
  const uploadId = [...knownUploads(uid)].find(([, place]) => place === id)?.[0]
  if (uploadId === undefined) return null
  try {
    const { video } = await call('getUpload', { params: { uploadId } })
    if (video) queryClient.setQueryData(videoQuery(video.video_id).queryKey, video)
    return video ?? null
  } catch (error) {
    if (error instanceof ApiProblem) return null
    throw error
  }
}
