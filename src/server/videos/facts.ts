import { buffer } from 'node:stream/consumers'
import {
  CustomSource,
  Input,
  MATROSKA,
  MP4,
  MPEG_TS,
  OGG,
  QTFF,
  WEBM,
  type InputAudioTrack,
  type InputVideoTrack,
} from 'mediabunny'
import type { VideoFacts } from '#contract/videos.ts'
import type { Storage } from '../storage/storage.ts'

/**
 * The containers that are looked into, by our name. Playlists (HLS) are left out on purpose: they name other addresses,
 * which a reader would go and fetch.
 */
const FORMATS = [
  { name: 'mp4', format: MP4 },
  { name: 'mov', format: QTFF },
  { name: 'webm', format: WEBM },
  { name: 'mkv', format: MATROSKA },
  { name: 'ogg', format: OGG },
  { name: 'ts', format: MPEG_TS },
] as const

/** What reading one file's facts may cost: a file is a stranger's, and may claim a table of any size. */
const MAX_READ_BYTES = 134_217_728
const MAX_READS = 20_000
const MAX_MS = 20_000
/** Frames that the rate is measured over; a frame more or less in 256 is below what any platform tells apart. */
const FRAMES_PROBED = 256

const UNKNOWN: VideoFacts = {
  container: 'unknown',
  video_codec: null,
  audio_codec: null,
  audio_rate_hz: null,
  duration_s: 0,
  fps: null,
  width: null,
  height: null,
  rotation: 0,
  index_first: null,
}

export type Bytes = (first: number, last: number) => Promise<Uint8Array>

/** What a stored file says about itself. A file that is no video, or a broken one, is `unknown`: that is no failure here. */
export function readStoredFacts(storage: Storage, key: string, size: number): Promise<VideoFacts> {
  return readFacts(async (first, last) => buffer(await storage.read(key, first, last)), size)
}

/** `bytes` gives both ends included. Only a failure of `bytes` itself is thrown. */
export async function readFacts(bytes: Bytes, size: number): Promise<VideoFacts> {
  if (size === 0) return UNKNOWN
  const meter = metered(bytes)
  const source = new CustomSource({
    getSize: () => size,
    read: (start, end) => meter.read(start, end - 1),
    prefetchProfile: 'fileSystem',
    // A prefetch that nobody waits for; whoever needs its bytes is told again.
    handleUnhandledError: () => {},
  })
  const input = new Input({ source, formats: FORMATS.map(({ format }) => format) })
  try {
    const facts = await withDeadline(inspect(input, meter.read, size))
    return facts ?? UNKNOWN
  } catch {
    // The parser throws for every way in which a stranger's file can be broken; the storage's own failures are ours.
    if (meter.failure() !== null) throw meter.failure()
    return UNKNOWN
  } finally {
    input.dispose()
  }
}

async function inspect(input: Input, bytes: Bytes, size: number): Promise<VideoFacts> {
  const format = await input.getFormat()
  const container = FORMATS.find((known) => known.format === format)?.name ?? 'unknown'
  const video = await input.getPrimaryVideoTrack()
  const audio = await input.getPrimaryAudioTrack()
  const duration = (await input.getDurationFromMetadata()) ?? (await input.computeDuration())
  return {
    container,
    duration_s: Number.isFinite(duration) ? Math.max(0, rounded(duration)) : 0,
    index_first: container === 'mp4' || container === 'mov' ? await indexFirst(bytes, size) : null,
    ...(await pictureOf(video)),
    ...(await soundOf(audio)),
  }
}

async function pictureOf(track: InputVideoTrack | null) {
  if (!track) return { video_codec: null, fps: null, width: null, height: null, rotation: 0 }
  const rate = await track.computeFrameRateMetrics({ targetPacketCount: FRAMES_PROBED })
  return {
    video_codec: await track.getCodec(),
    fps: rate.probedPacketCount < 2 ? null : rounded(rate.averageFrameRate),
    width: await track.getDisplayWidth(),
    height: await track.getDisplayHeight(),
    rotation: await track.getRotation(),
  }
}

async function soundOf(track: InputAudioTrack | null) {
  if (!track) return { audio_codec: null, audio_rate_hz: null }
  const codec = await track.getCodec()
  // Whatever its sample format, it is PCM to every platform.
  return {
    audio_codec: codec?.startsWith('pcm') ? 'pcm' : codec,
    audio_rate_hz: await track.getSampleRate(),
  }
}

/** Whether `moov` comes before the first `mdat` among the outermost boxes (ISO/IEC 14496-12, 4.2). */
async function indexFirst(bytes: Bytes, size: number): Promise<boolean | null> {
  let at = 0
  for (let boxes = 0; boxes < 64 && at + 8 <= size; boxes++) {
    const head = Buffer.from(await bytes(at, Math.min(at + 15, size - 1)))
    const type = head.toString('latin1', 4, 8)
    if (type === 'moov') return true
    if (type === 'mdat') return false
    const length = head.readUInt32BE(0)
    // 0: to the end of the file; 1: the length follows in 64 bits.
    if (length === 0 || (length === 1 && head.length < 16)) return null
    at += length === 1 ? Number(head.readBigUInt64BE(8)) : Math.max(length, 8)
  }
  return null
}

/** Counts what is read, and tells a failure to read from a failure to understand. */
function metered(bytes: Bytes) {
  let reads = 0
  let total = 0
  let failure: Error | null = null
  const read: Bytes = async (first, last) => {
    reads += 1
    total += last - first + 1
    if (reads > MAX_READS || total > MAX_READ_BYTES) throw new RangeError('This file takes too much reading')
    return bytes(first, last).catch((error: unknown) => {
      failure = error instanceof Error ? error : new Error('reading failed', { cause: error })
      throw failure
    })
  }
  return { read, failure: () => failure }
}

/** null when the time is up; the work ends at its next read, when its source is disposed. */
async function withDeadline<T>(work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), MAX_MS)
  })
  // Once the deadline has won nobody waits for the work any more, and its failure is no news.
  work.catch(() => {})
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer))
}

const rounded = (value: number) => Math.round(value * 1000) / 1000
