import {
  BlobSource,
  BufferTarget,
  Conversion,
  Input,
  Mp4OutputFormat,
  Output,
  Quality,
  StreamTarget,
  UrlSource,
  type ConversionOptions,
  type Source,
} from 'mediabunny'
import type { VideoFacts } from '#contract/videos.ts'
import type { FixPlan } from '#domain/video-check/fix-plan.ts'
import { VIDEO_FORMATS } from '#domain/video-check/video-facts.ts'
import { popUp } from '#web/lib/browser-notifications.ts'
import { fetchVideoAddress, type VideoSource } from './video-source.ts'
import { createFixedFile } from './fixed-files.ts'
import { toFastStart } from './fast-start.ts'
import { findObstacle } from './obstacle.ts'

export type FixJob = {
  /** The file's name now. */
  readonly filename: string
  readonly source: VideoSource
  readonly facts: VideoFacts
  readonly plan: FixPlan
}

export type FixOutcome =
  | { readonly kind: 'fixed'; readonly file: File }
  | { readonly kind: 'cancelled' }
  /** `why`: a sentence, with what to do instead. */
  | { readonly kind: 'failed'; readonly why: string }

type Controls = {
  readonly signal: AbortSignal
  /** @param share of the work, 0 to 1 */
  readonly onProgress: (share: number) => void
}

const BROKEN =
  "The browser couldn't convert this video. Upload it as it is, or export it again and choose that file."
const FULL = 'The browser has too little disk space for the converted file. Free some, then try again.'
const UNREADABLE = "The stored video couldn't be read. Check your connection, then try again."

/** Like `fixVideo`, which takes minutes: a hidden page says by the browser's notification how it ended. */
export async function fixInBackground(...args: Parameters<typeof fixVideo>): Promise<FixOutcome> {
  const outcome = await fixVideo(...args)
  if (outcome.kind === 'fixed') show('Video fixed', `Uploading ${outcome.file.name}.`)
  if (outcome.kind === 'failed') show("Couldn't fix the video", `${args[0].filename}\n${outcome.why}`)
  return outcome
}

const show = (title: string, body: string): void => popUp(title, { body, tag: 'reelay-fix' })

/** Makes a file that platforms take. The original stays as it is. Import this module only then: it loads the converter. */
export async function fixVideo(job: FixJob, controls: Controls): Promise<FixOutcome> {
  const obstacle = await findObstacle(job.plan, job.facts)
  if (obstacle !== null) return { kind: 'failed', why: obstacle }
  try {
    const made = job.plan.movesIndexOnly ? await moveIndex(job, controls) : await convert(job, controls)
    if (controls.signal.aborted) return { kind: 'cancelled' }
    if (made === null) return { kind: 'failed', why: BROKEN }
    return { kind: 'fixed', file: new File([made], newName(job), { type: made.type || 'video/mp4' }) }
  } catch (error) {
    // The converter throws for every kind of broken file, and the browser where its disk is full.
    return controls.signal.aborted ? { kind: 'cancelled' } : { kind: 'failed', why: reasonOf(error) }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'QuotaExceededError') return FULL
  return error instanceof UnreadableError ? UNREADABLE : BROKEN
}

class UnreadableError extends Error {}

async function moveIndex({ source }: FixJob, { signal, onProgress }: Controls): Promise<Blob | null> {
  if (source instanceof File) return toFastStart(source)
  const address = await fetchVideoAddress(source).catch(unreadable)
  const answer = await fetch(address.url, { signal }).catch(unreadable)
  if (!answer.ok || answer.body === null) return unreadable()
  const total = Number(answer.headers.get('content-length'))
  let read = 0
  const counted = answer.body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (chunk, controller) => {
        read += chunk.length
        if (total > 0) onProgress(read / total)
        controller.enqueue(chunk)
      },
    }),
  )
  // The browser keeps a large one on its disk.
  return toFastStart(await new Response(counted).blob())
}

function unreadable(cause?: unknown): never {
  throw new UnreadableError('the stored video could not be read', { cause })
}

/** @returns null where a track would be lost */
async function convert({ source, plan }: FixJob, { signal, onProgress }: Controls): Promise<Blob | null> {
  const opened = await open(source)
  const stored = await createFixedFile()
  const target = stored === null ? new BufferTarget() : new StreamTarget(stored.writable, { chunked: true })
  // The index is moved afterwards: the library could only do so in memory.
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: false }), target })
  const input = new Input({ source: opened.source, formats: VIDEO_FORMATS })
  let made: Blob | null = null
  try {
    const conversion = await Conversion.init({
      input,
      output,
      tracks: 'primary',
      copy: { shiftTolerance: Infinity },
      showWarnings: false,
      ...encodingsOf(plan),
    })
    if (!conversion.isValid || conversion.discardedTracks.length > 0) return null
    conversion.onProgress = onProgress
    signal.addEventListener('abort', () => void conversion.cancel())
    signal.throwIfAborted()
    await conversion.execute()
    const written = target instanceof BufferTarget ? bufferOf(target) : ((await stored?.read()) ?? null)
    made = written && ((await toFastStart(written)) ?? written)
    return made
  } catch (error) {
    if (opened.isLost()) unreadable(error)
    throw error
  } finally {
    input.dispose()
    if (made === null) await stored?.remove()
  }
}

const bufferOf = ({ buffer }: BufferTarget): Blob | null =>
  buffer && new Blob([buffer], { type: 'video/mp4' })

const TRIES = 5

/** `isLost`: the server did not answer for so long that reading was given up. */
async function open(source: VideoSource): Promise<{ source: Source; isLost: () => boolean }> {
  if (source instanceof File) return { source: new BlobSource(source), isLost: () => false }
  const { url } = await fetchVideoAddress(source).catch(unreadable)
  let isLost = false
  const getRetryDelay = (failed: number): number | null => {
    isLost = failed >= TRIES
    return isLost ? null : 2 ** failed
  }
  return { source: new UrlSource(url, { getRetryDelay }), isLost: () => isLost }
}

function encodingsOf({ video, audio }: FixPlan): Pick<ConversionOptions, 'video' | 'audio'> {
  return {
    ...(video !== null && {
      video: {
        codec: 'avc',
        width: video.width,
        height: video.height,
        fit: 'fill',
        ...(video.fps !== null && { frameRate: video.fps }),
        quality: new Quality({ bitrate: video.bitsPerSecond }),
        forceTranscode: true,
      },
    }),
    ...(audio !== null && {
      audio: async (track) => ({
        codec: 'aac',
        sampleRate: audio.rateHz,
        numberOfChannels: Math.min(2, await track.getNumberOfChannels()),
        quality: new Quality({ bitrate: audio.bitsPerSecond }),
        forceTranscode: true,
      }),
    }),
  }
}

/** "tart.mkv" becomes "tart.mp4", "tart.mp4" becomes "tart (fixed).mp4": the two can be told apart. */
function newName({ filename, plan }: FixJob): string {
  const dot = filename.lastIndexOf('.')
  const base = dot > 0 ? filename.slice(0, dot) : filename
  const extension = plan.movesIndexOnly && dot > 0 ? filename.slice(dot) : '.mp4'
  const name = base + extension
  return name === filename ? `${base} (fixed)${extension}` : name
}
