import {
  MATROSKA,
  MP4,
  MPEG_TS,
  OGG,
  QTFF,
  WEBM,
  type Input,
  type InputAudioTrack,
  type InputVideoTrack,
} from 'mediabunny'
import { VIDEO_FACTS_MAX } from '#contract/limits.ts'
import type { VideoFacts } from '#contract/videos.ts'
import { UNKNOWN_FACTS } from './unknown-facts.ts'

/** Supported containers by our name. Without playlists (HLS) on purpose: a reader would fetch the addresses in them. */
const FORMATS = [
  { name: 'mp4', format: MP4 },
  { name: 'mov', format: QTFF },
  { name: 'webm', format: WEBM },
  { name: 'mkv', format: MATROSKA },
  { name: 'ogg', format: OGG },
  { name: 'ts', format: MPEG_TS },
] as const

/** The formats with which to open the `Input` for `readVideoFacts`. */
export const VIDEO_FORMATS = FORMATS.map(({ format }) => format)

/** Frames over which the rate is measured; an error of one in 256 is below any platform's tolerance. */
const SAMPLED_FRAMES = 256

/** A part of the file; both ends included. */
export type Bytes = (first: number, last: number) => Promise<Uint8Array>

/**
 * Reads a file's facts, in the browser and on the server. `size` is in bytes.
 * @throws whatever the parser throws for a broken file
 */
export async function readVideoFacts(input: Input, bytes: Bytes, size: number): Promise<VideoFacts> {
  const format = await input.getFormat()
  const container = FORMATS.find((known) => known.format === format)?.name ?? UNKNOWN_FACTS.container
  const video = await input.getPrimaryVideoTrack()
  const audio = await input.getPrimaryAudioTrack()
  const duration = (await input.getDurationFromMetadata()) ?? (await input.computeDuration())
  return {
    container,
    duration_s: within(rounded(duration), VIDEO_FACTS_MAX.durationS) ?? 0,
    index_first: container === 'mp4' || container === 'mov' ? await indexFirst(bytes, size) : null,
    ...(await pictureOf(video)),
    ...(await soundOf(audio)),
  }
}

async function pictureOf(track: InputVideoTrack | null) {
  if (!track) return { video_codec: null, fps: null, width: null, height: null, rotation: 0 }
  const rate = await track.computeFrameRateMetrics({ targetPacketCount: SAMPLED_FRAMES })
  return {
    video_codec: await track.getCodec(),
    fps: rate.probedPacketCount < 2 ? null : within(rounded(rate.averageFrameRate), VIDEO_FACTS_MAX.fps),
    width: sideOf(await track.getDisplayWidth()),
    height: sideOf(await track.getDisplayHeight()),
    rotation: await track.getRotation(),
  }
}

async function soundOf(track: InputAudioTrack | null) {
  if (!track) return { audio_codec: null, audio_rate_hz: null }
  const codec = await track.getCodec()
  // Platforms do not distinguish PCM sample formats.
  return {
    audio_codec: codec?.startsWith('pcm') ? 'pcm' : codec,
    audio_rate_hz: within(await track.getSampleRate(), VIDEO_FACTS_MAX.audioRateHz),
  }
}

/** Whether `moov` comes before the first `mdat` among the outermost boxes (ISO/IEC 14496-12, 4.2). */
async function indexFirst(bytes: Bytes, size: number): Promise<boolean | null> {
  let at = 0
  for (let boxes = 0; boxes < 64 && at + 8 <= size; boxes++) {
    const part = await bytes(at, Math.min(at + 15, size - 1))
    const head = new DataView(part.buffer, part.byteOffset, part.byteLength)
    const type = String.fromCharCode(...part.subarray(4, 8))
    if (type === 'moov') return true
    if (type === 'mdat') return false
    const length = head.getUint32(0)
    // 0: to the end of the file; 1: the length follows in 64 bits.
    if (length === 0 || (length === 1 && head.byteLength < 16)) return null
    at += length === 1 ? Number(head.getBigUint64(8)) : Math.max(length, 8)
  }
  return null
}

/** A file may claim any number: impossible ones count as unknown. */
const within = (value: number, max: number): number | null => (value >= 0 && value <= max ? value : null)
const sideOf = (px: number): number | null =>
  Number.isInteger(px) ? within(px, VIDEO_FACTS_MAX.sidePx) : null

const rounded = (value: number) => Math.round(value * 1000) / 1000
