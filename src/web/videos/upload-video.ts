import { UPLOAD_KEPT_DAYS } from '#contract/limits.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Video, VideoFacts } from '#contract/videos.ts'
import { planNeededFix, type FixPlan } from '#domain/video-check/fix-plan.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { queryClient } from '#web/api/queries.ts'
import { refreshVideos, replaceVideos } from '#web/api/videos.ts'
import { counted } from '#web/lib/amounts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { announce } from '#web/ui/announce.tsx'
import { isNotLoaded } from '#web/ui/not-loaded.tsx'
import type { FixJob, FixOutcome } from './convert.ts'
import { findSameVideo } from './find-same-video.ts'
import { keepLocalFile, localFileOf } from './local-files.ts'
import { uploadPoster } from './poster.ts'
import type { ResumableUpload, UploadEnd } from './resumable-upload.ts'
import { reasonOf } from '#web/api/problem-reason.ts'
import { endUpload } from './use-upload.ts'
import {
  beginUpload,
  removeUpload,
  uploadsOf,
  type RunningUpload,
  type ShownUpload,
  type Upload,
  type UploadOutcome,
  type UploadPlace,
  type UploadRun,
} from './uploads.ts'
import { factsQuery } from './use-video-check.ts'
import { videoFileError } from './video-file-error.ts'

// A file on its way to a stored video, driven outside of the screens: it goes on while one moves about.

/** null: nothing has to change, or nothing can be done. */
export type PlanFile = (facts: VideoFacts, size: number) => FixPlan | null

/** Uploads the file of a post. One that would be refused is asked about first. */
export async function uploadForPost(place: UploadPlace, file: File, planFile: PlanFile): Promise<void> {
  const run = await replaceUpload({ ...place, filename: file.name, file })
  await checkFile(run, file, async () => {
    const prepared = await prepare(run, file, planFile)
    if (prepared !== null) await sendForPost(run, place, prepared)
  })
}

/** Uploads the file of a post whose upload has failed. */
export async function retryForPost(upload: Upload<Video>): Promise<void> {
  const { file } = upload
  if (file === null) return
  const run = await replaceUpload(upload)
  await checkFile(run, file, () => sendForPost(run, upload, file))
}

/** Uploads a fixed copy of a post's video. If it cannot be made, the video stays as it is. */
export async function uploadFixed(
  place: UploadPlace,
  { video_id, filename, facts }: Video,
  plan: FixPlan,
): Promise<void> {
  const source = localFileOf(video_id) ?? { videoId: video_id }
  const run = await replaceUpload({ ...place, filename, file: null, keepsCover: true })
  const outcome = await fix(run, { filename, source, facts, plan })
  if (!run.isCurrent()) return
  if (outcome.kind === 'fixed') await sendForPost(run, place, outcome.file)
  else if (outcome.kind === 'failed') run.set({ kind: 'unfixed', why: outcome.why })
  else await removeUpload(place.id)
}

async function replaceUpload(upload: Omit<Upload, 'state' | 'run'>): Promise<UploadRun<Video>> {
  const ended = removeUpload(upload.id)
  const run = beginUpload<Video>({ ...upload, state: { kind: 'checking' } })
  // The same file chosen again must not continue what is being deleted.
  await ended
  return run
}

/** Finds out whether a file is a video that can be used, before it is sent. */
export async function checkFile(
  run: UploadRun<Video>,
  file: File,
  next: () => Promise<unknown>,
): Promise<void> {
  const refusal = await videoFileError(file)
  if (refusal !== null) run.set({ kind: 'refused', message: refusal })
  else if (run.isCurrent()) await next()
}

async function sendForPost(run: UploadRun<Video>, place: UploadPlace, file: File): Promise<void> {
  const outcome = await storeVideo(run, place, file)
  if (outcome.kind === 'done') keepLocalFile(outcome.reply.video_id, file)
  endUpload(place.id, run, outcome, {
    success: () => `${file.name} is uploaded.`,
    failure: (error) => `${file.name} is not uploaded. ${reasonOf(error) ?? TEXTS.unknownError}`,
  })
}

/** So many of the library's files are sent at the same time; more would only share the line. */
const AT_ONCE = 2

let lastId = 0

/** Uploads files into the library, in the order in which they were chosen. */
export function uploadToLibrary(uid: string, files: readonly File[]): void {
  for (const file of files) {
    const place = { id: `${uid} library ${++lastId}`, uid, page: PATHS.library }
    beginUpload<Video>({ ...place, filename: file.name, file, state: { kind: 'pending' } })
  }
  sendPending(uid)
}

export function retryInLibrary(upload: Upload<Video>): void {
  beginUpload<Video>({ ...upload, state: { kind: 'pending' } })
  sendPending(upload.uid)
}

/** Uploads a file that the library has already. */
export function uploadCopy(upload: Upload<Video>): void {
  retryInLibrary({ ...upload, isCopy: true })
}

export const libraryUploads = (all: readonly Upload[]): Upload<Video>[] =>
  all.filter((one): one is Upload<Video> => one.id.startsWith(`${one.uid} library `))

const isRunning = ({ state }: Upload): boolean => state.kind === 'checking' || state.kind === 'uploading'

function sendPending(uid: string): void {
  const all = libraryUploads(uploadsOf(uid))
  const pending = all.filter(({ state }) => state.kind === 'pending')
  for (const next of pending.slice(0, Math.max(0, AT_ONCE - all.filter(isRunning).length)))
    void sendToLibrary(next).then(() => sendPending(uid))
  if (!libraryUploads(uploadsOf(uid)).some(isRunning)) endBatch(uid)
}

async function sendToLibrary(upload: Upload<Video>): Promise<void> {
  const { file } = upload
  if (file === null) return
  const run = beginUpload<Video>({ ...upload, state: { kind: 'checking' } })
  await checkFile(run, file, async () => {
    const same = upload.isCopy === true ? null : await findSameVideo(file)
    if (same !== null) return run.set({ kind: 'known', video: same })
    if (run.isCurrent()) await storeInLibrary(run, upload, file)
  })
}

/** @returns null: it was not stored */
async function storeInLibrary(run: UploadRun<Video>, place: UploadPlace, file: File): Promise<Video | null> {
  const outcome = await storeVideo(run, place, file)
  run.set(outcome)
  if (outcome.kind === 'done') {
    void uploadPoster(outcome.reply.video_id, file)
    return outcome.reply
  }
  if (outcome.kind === 'cancelled') {
    if (run.isCurrent()) announce({ kind: 'note', message: `${file.name}: ${outcome.message}` })
    await removeUpload(place.id)
  }
  return null
}

/** The fix that the platforms which refuse a video need; null: none refuses it, or nothing helps. */
export const planLibraryFix = ({ facts, size, findings }: Video): FixPlan | null => {
  const refusing = findings.filter(({ level }) => level === 'error').map(({ platform }) => platform)
  return planNeededFix(
    facts,
    size,
    [...new Set(refusing)].map((platform) => ({ platform })),
  )
}

/** Puts a fixed copy of a stored video beside it, with its tags and its brand. */
export async function fixInLibrary(uid: string, video: Video, plan: FixPlan): Promise<void> {
  const { video_id, filename, facts, tags, brand_id } = video
  const place = { id: `${uid} library ${++lastId}`, uid, page: PATHS.library }
  const run = beginUpload<Video>({ ...place, filename, file: null, state: { kind: 'checking' } })
  const source = localFileOf(video_id) ?? { videoId: video_id }
  const outcome = await fix(run, { filename, source, facts, plan })
  if (!run.isCurrent()) return
  if (outcome.kind === 'failed') return run.set({ kind: 'unfixed', why: outcome.why })
  if (outcome.kind === 'cancelled') return removeUpload(place.id)
  const stored = await storeInLibrary(run, place, outcome.file)
  if (stored !== null && (tags.length > 0 || brand_id !== null))
    await call('updateVideo', { params: { videoId: stored.video_id }, body: { tags, brand_id } }).then(
      (changed) => replaceVideos([changed]),
      () => undefined, // the copy is there, and can be tagged by hand
    )
  sendPending(uid)
}

/** Says once what was stored, so that ten files are not ten notices. */
function endBatch(uid: string): void {
  const stored = libraryUploads(uploadsOf(uid)).filter(({ state }) => state.kind === 'done')
  const [first] = stored
  if (first === undefined) return
  for (const { id } of stored) void removeUpload(id)
  const what = stored.length === 1 ? `${first.filename} is` : `${counted(stored.length, 'video')} are`
  announce({ kind: 'done', message: `${what} uploaded.`, page: null })
}

/** Asks what to do about a file that would be refused. @returns what to upload; null: another file was chosen */
async function prepare(run: UploadRun<Video>, file: File, planFile: PlanFile): Promise<File | null> {
  import('./fixed-files.ts').then(
    ({ removeAbandonedFiles }) => removeAbandonedFiles(),
    () => undefined, // the next one removes them
  )
  const facts = await queryClient.fetchQuery(factsQuery(file)).catch(() => null)
  const plan = facts && planFile(facts, file.size)
  if (!plan) return run.isCurrent() ? file : null
  const obstacle = await import('./obstacle.ts')
    .then(({ findObstacle }) => findObstacle(plan, facts))
    .catch(whyNotLoaded)
  let problem = obstacle
  while (run.isCurrent()) {
    const { promise, resolve } = Promise.withResolvers<'fix' | 'as it is'>()
    run.set({ kind: 'asking', plan, problem, canTry: obstacle === null, answer: resolve })
    if ((await promise) === 'as it is') return file
    const outcome = await fix(run, { filename: file.name, source: file, facts, plan })
    if (outcome.kind === 'fixed') return run.isCurrent() ? outcome.file : null
    problem = outcome.kind === 'failed' ? outcome.why : null
  }
  return null
}

/** An estimate of the first second would be a guess. */
const ESTIMATE_AFTER_MS = 1000

async function fix(run: UploadRun<Video>, job: FixJob): Promise<FixOutcome> {
  const controller = new AbortController()
  const startedAt = performance.now()
  const cancel = () => {
    controller.abort()
    return Promise.resolve(true)
  }
  const onProgress = (share: number) => {
    if (controller.signal.aborted) return
    const elapsedMs = performance.now() - startedAt
    const isKnown = share > 0 && elapsedMs > ESTIMATE_AFTER_MS
    const leftS = isKnown ? ((elapsedMs / share) * (1 - share)) / 1000 : null
    run.set({ kind: 'fixing', share, leftS, cancel })
  }
  onProgress(0)
  return import('./convert.ts')
    .then(({ fixInBackground }) => fixInBackground(job, { signal: controller.signal, onProgress }))
    .catch((error: unknown): FixOutcome => ({ kind: 'failed', why: whyNotLoaded(error) }))
}

/** The code that fixes videos is loaded when it is needed. */
function whyNotLoaded(error: unknown): string {
  if (!isNotLoaded(error)) throw error
  return "This page couldn't load what it fixes videos with. Check your connection, or reload the page."
}

const CODE_MISSING = "This page couldn't load what uploads need. Check your connection, or reload the page."

/**
 * Uploads resumably: only a refusal by the server or `cancel` ends it. The same file chosen again after a reload continues.
 * Expected failures do not reject.
 */
export async function storeVideo(
  run: UploadRun<Video>,
  place: Pick<UploadPlace, 'id' | 'uid'>,
  file: File,
): Promise<UploadOutcome<Video>> {
  const ended = Promise.withResolvers<boolean>()
  let running: ResumableUpload | null = null
  let isCancelled = false
  const controls: Pick<RunningUpload, 'cancel' | 'pausing'> = {
    cancel: () => {
      isCancelled = true
      running?.cancel()
      return ended.promise
    },
    pausing: { pause: () => running?.pause(), resume: () => running?.resume() },
  }
  const show = (now: ShownUpload) => run.set({ kind: 'uploading', ...now, ...controls }, file)
  show({ progress: { sent: 0, total: file.size, leftS: null }, phase: 'sending', note: null })
  const outcome = await import('./resumable-upload.ts').then(
    async (loaded) => {
      running = new loaded.ResumableUpload(file, place, show)
      if (isCancelled) running.cancel()
      return outcomeOf(await running.run())
    },
    (cause: unknown): UploadOutcome<never> => ({
      kind: 'failed',
      error: new ApiProblem({ kind: 'refused', message: CODE_MISSING, cause }),
      mayHaveArrived: false,
    }),
  )
  // Nothing is posted with a video that is only stored.
  ended.resolve(true)
  return outcome
}

function outcomeOf(ended: UploadEnd): UploadOutcome<Video> {
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

const CANCELLED: Record<Extract<UploadEnd, { kind: 'cancelled' }>['arrived'], string> = {
  nothing: 'Upload cancelled. Nothing was stored.',
  parts: `Upload cancelled. The server couldn't be told: it deletes what had arrived within ${UPLOAD_KEPT_DAYS} days.`,
  all: "Upload cancelled, but all of it was sent and the server couldn't be asked. The video may be in your library. Nothing was posted.",
  stored: 'The upload finished before you cancelled it: the video is in your library. Nothing was posted.',
  'cancelled elsewhere': 'The upload was cancelled in another tab. Nothing was stored.',
}
