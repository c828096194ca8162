import {
  MATROSKA,
  MP4,
  MPEG_TS,
  OGG,
  QTFF,
  QuickTimeInputFormat,
  WEBM,
  type Input,
  type InputAudioTrack,
  type InputVideoTrack,
} from 'mediabunny'
import { VIDEO_FACTS_MAX } from '#contract/limits.ts'
import type { VideoFacts } from '#contract/videos.ts'
import { readCodecConfig } from './codec-config.ts'
import { readIsoIndex } from './iso-index.ts'
import { readMatroskaIndex } from './matroska-index.ts'
import { type Bytes, type MediaIndex, type TrackIndex, withWindow } from './media-index.ts'
import { isPlayable } from './sample-probe.ts'
import { UNKNOWN_FACTS } from './unknown-facts.ts'

/** The parser recognises QuickTime by `ftyp`, which is newer than the format. It tries this format last. */
class UnbrandedQuickTimeFormat extends QuickTimeInputFormat {
  _canReadInput(): Promise<boolean> {
    return Promise.resolve(true)
  }
}
const UNBRANDED = new UnbrandedQuickTimeFormat()

/** Containers by our name. No playlists (HLS): a reader would fetch the addresses in them. */
const FORMATS = [
  { name: 'mp4', format: MP4 },
  { name: 'mov', format: QTFF },
  { name: 'webm', format: WEBM },
  { name: 'mkv', format: MATROSKA },
  { name: 'ogg', format: OGG },
  { name: 'ts', format: MPEG_TS },
  { name: 'mov', format: UNBRANDED },
] as const

/** Open the `Input` for `readVideoFacts` with these formats. */
export const VIDEO_FORMATS = FORMATS.map(({ format }) => format)

/** Measured frames if the container has no tables to count them in. */
const SAMPLED_FRAMES = 256

/** Most samples lie in one piece of this length; remote storage answers each request late. */
const PROBE_BYTES = 65_536

/** Reads a file's facts, in the browser and on the server. `size` is in bytes. @throws for broken files, also errors of the parser */
export async function readVideoFacts(input: Input, bytes: Bytes, size: number): Promise<VideoFacts> {
  const index = (await readIsoIndex(bytes, size)) ?? (await readMatroskaIndex(bytes, size))
  const cutOff: VideoFacts = { ...UNKNOWN_FACTS, integrity: 'cut_off' }
  const isCutOff = index?.isCutOff === true
  // The index would have come at the end.
  if (isCutOff && index.tracks.length === 0) return cutOff
  // The parser would search for a first frame for as long as it may.
  if (index?.isBroken === true && index.tracks.every(({ samples }) => samples?.length === 0))
    throw new Error('The file has no frame where its index says.')
  try {
    return await readTracks(input, index, withWindow(bytes, size, PROBE_BYTES))
  } catch (error) {
    if (isCutOff) return cutOff
    throw error
  }
}

async function readTracks(input: Input, index: MediaIndex | null, read: Bytes): Promise<VideoFacts> {
  const format = await input.getFormat()
  if (format === UNBRANDED && (index === null || index.tracks.length === 0)) return UNKNOWN_FACTS
  const video = await input.getPrimaryVideoTrack()
  const audio = await input.getPrimaryAudioTrack()
  const duration = index?.durationS ?? (await input.getDurationFromMetadata()) ?? (await measureLength(input))
  const indexed = (track: InputVideoTrack | InputAudioTrack | null, kind: TrackIndex['kind']) =>
    index?.tracks.find((one) => one.kind === kind && one.id === track?.id) ?? null
  const tables = { video: indexed(video, 'video'), audio: indexed(audio, 'audio') }
  return {
    ...UNKNOWN_FACTS,
    container: FORMATS.find((known) => known.format === format)?.name ?? UNKNOWN_FACTS.container,
    duration_s: within(rounded(duration), VIDEO_FACTS_MAX.durationS) ?? 0,
    index_first: index?.indexFirst ?? null,
    has_edits: index && index.tracks.some(({ hasEdits }) => hasEdits),
    ...(video && (await readPicture(video, tables.video))),
    ...(audio && (await readSound(audio, tables.audio))),
    integrity: await checkIntegrity(index, [
      [video, tables.video],
      [audio, tables.audio],
    ]),
  }

  /** Cut off as the file promises more, or damaged as some of its samples show. */
  async function checkIntegrity(
    whole: MediaIndex | null,
    tracks: (readonly [InputVideoTrack | InputAudioTrack | null, TrackIndex | null])[],
  ): Promise<VideoFacts['integrity']> {
    if (whole?.isCutOff === true) return 'cut_off'
    const played: (boolean | null)[] = []
    for (const [track, table] of tracks) {
      if (track === null) continue
      const codec = await track.getCodec()
      const { lengthBytes } = readCodecConfig(codec, await readDescription(track))
      played.push(table && codec && (await isPlayable(read, table, { name: codec, lengthBytes })))
    }
    if (whole?.isBroken === true || played.includes(false)) return 'damaged'
    return whole?.isCutOff === false && played[0] === true ? 'complete' : null
  }
}

/** Transport streams may begin at any time. */
const measureLength = async (input: Input): Promise<number> =>
  (await input.computeDuration()) - Math.max(0, await input.getFirstTimestamp())

async function readPicture(track: InputVideoTrack, table: TrackIndex | null) {
  const codec = await track.getCodec()
  const config = readCodecConfig(codec, await readDescription(track))
  const isInterlaced = table?.isInterlaced ?? config.isInterlaced
  return {
    video_codec: codec,
    video_bit_rate: measureBitRate(table),
    ...(await measureFrameRate(track, table)),
    ...(await measureSize(track, table)),
    rotation: await track.getRotation(),
    chroma: config.chroma,
    scan: isInterlaced === null ? null : isInterlaced ? ('interlaced' as const) : ('progressive' as const),
  }
}

async function measureFrameRate(track: InputVideoTrack, table: TrackIndex | null) {
  if (table !== null) {
    const fps = table.framesPerSecond
    return {
      fps: fps === null ? null : within(rounded(fps), VIDEO_FACTS_MAX.fps),
      fps_is_estimate: table.isEstimate,
    }
  }
  const rate = await track.computeFrameRateMetrics({ targetPacketCount: SAMPLED_FRAMES })
  return {
    fps: rate.probedPacketCount < 2 ? null : within(rounded(rate.averageFrameRate), VIDEO_FACTS_MAX.fps),
    fps_is_estimate: true,
  }
}

/** The size as shown: rotated, with square pixels, within the clean aperture. */
async function measureSize(track: InputVideoTrack, table: TrackIndex | null) {
  const [width, height] = [await track.getDisplayWidth(), await track.getDisplayHeight()]
  const aperture = table?.aperture
  if (!aperture) return { width: roundSide(width), height: roundSide(height) }
  const across = Math.min(1, aperture.width / (await track.getCodedWidth()))
  const down = Math.min(1, aperture.height / (await track.getCodedHeight()))
  const isTurned = (await track.getRotation()) % 180 !== 0
  return {
    width: roundSide(Math.round(width * (isTurned ? down : across))),
    height: roundSide(Math.round(height * (isTurned ? across : down))),
  }
}

async function readSound(track: InputAudioTrack, table: TrackIndex | null) {
  const codec = await track.getCodec()
  return {
    // Platforms do not distinguish PCM sample formats.
    audio_codec: codec?.startsWith('pcm') ? 'pcm' : codec,
    audio_rate_hz: within(await track.getSampleRate(), VIDEO_FACTS_MAX.audioRateHz),
    audio_bit_rate: measureBitRate(table),
    audio_channels: within(await track.getNumberOfChannels(), VIDEO_FACTS_MAX.audioChannels),
  }
}

const measureBitRate = (table: TrackIndex | null): number | null =>
  table?.bitsPerSecond == null ? null : within(Math.round(table.bitsPerSecond), VIDEO_FACTS_MAX.bitRate)

async function readDescription(track: InputVideoTrack | InputAudioTrack): Promise<Uint8Array | null> {
  // This zone's types do not know a browser's codecs.
  const config = (await track.getDecoderConfig()) as { description?: ArrayBuffer | ArrayBufferView } | null
  const description = config?.description
  if (description === undefined) return null
  return ArrayBuffer.isView(description)
    ? new Uint8Array(description.buffer, description.byteOffset, description.byteLength)
    : new Uint8Array(description)
}

/** A file may claim any number; impossible ones count as unknown. */
const within = (value: number, max: number): number | null => (value >= 0 && value <= max ? value : null)
const roundSide = (px: number): number | null =>
  Number.isInteger(px) ? within(px, VIDEO_FACTS_MAX.sidePx) : null

const rounded = (value: number) => Math.round(value * 1000) / 1000
