import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { PLATFORM_LIMITS } from '#contract/platforms/platform-limits.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { Finding, VideoFacts } from '#contract/videos.ts'
import { megabytes } from './figures.ts'
import { type AccountLimits, checkVideo, isRefused } from './post-check.ts'

export type FixTarget = { readonly platform: PlatformId; readonly account?: AccountLimits }

export type VideoEncoding = {
  readonly width: number
  readonly height: number
  /** Null: the frames stay unchanged. */
  readonly fps: number | null
  readonly bitsPerSecond: number
}
export type AudioEncoding = { readonly rateHz: number; readonly bitsPerSecond: number }

/** The fixed file has its index first, and is MP4 unless only the index moves. */
export type FixPlan = {
  /** Only the index moves to the start of the file. */
  readonly movesIndexOnly: boolean
  /** Null: the picture is copied. The same holds for the sound, or there is none. */
  readonly video: VideoEncoding | null
  readonly audio: AudioEncoding | null
  /** The changes in a few words each, such as "30 frames per second". */
  readonly changes: readonly string[]
  readonly size: number
  /** Findings that the result no longer has. */
  readonly solved: readonly Finding[]
  readonly remaining: readonly Finding[]
}

/** The file's facts, now or after the fix. `size` is in bytes. */
type Content = { readonly facts: VideoFacts; readonly size: number }

export function planFix(facts: VideoFacts, size: number, targets: readonly FixTarget[]): FixPlan | null {
  const { container, video_codec, audio_codec, audio_rate_hz, width, height } = facts
  const isReadable = container !== 'unknown' && video_codec !== null && width !== null && height !== null
  const isSoundKnown = audio_rate_hz === null || audio_codec !== null
  const isBroken = facts.integrity === 'cut_off' || facts.integrity === 'damaged'
  if (targets.length === 0 || !isReadable || !isSoundKnown || isBroken) return null
  const limits = strictest(targets)
  const audio = planAudio(facts, limits)
  const video = planVideo({ ...facts, video_codec, width, height }, size, limits)
  const movesIndexOnly = video === null && audio === null && limits.containers.includes(container)
  // A conversion copies everything stored and would show what an edit list leaves out.
  if (facts.has_edits === true && !movesIndexOnly) return null
  const now = { facts, size }
  const then = predictResult(now, { video, audio, movesIndexOnly })
  const after = listFindings(then, targets)
  const solved = listFindings(now, targets).filter((one) => !after.some((other) => isSame(one, other)))
  if (solved.length === 0) return null
  const remaining = after.filter(({ level }) => level === 'error')
  return {
    movesIndexOnly,
    video,
    audio,
    solved,
    remaining,
    size: then.size,
    changes: listChanges(now, then, solved),
  }
}

/** The plan for a file that a platform would refuse; null: all accept it, or conversion cannot help. */
export function planNeededFix(
  facts: VideoFacts,
  size: number,
  targets: readonly FixTarget[],
): FixPlan | null {
  const plan = planFix(facts, size, targets)
  return plan !== null && isRefused(plan.solved) ? plan : null
}

const listFindings = ({ facts, size }: Content, targets: readonly FixTarget[]): Finding[] =>
  targets.flatMap(({ platform, account }) => checkVideo(facts, size, platform, account))

const isSame = (one: Finding, other: Finding) => one.platform === other.platform && one.code === other.code

type Limits = ReturnType<typeof strictest>

function strictest(targets: readonly FixTarget[]) {
  const all = [...new Set(targets.map(({ platform }) => platform))].map((id) => PLATFORM_LIMITS[id])
  return {
    containers: inAll(all.map((one) => one.containers)),
    videoCodecs: inAll(all.map((one) => one.videoCodecs)),
    audioCodecs: inAll(all.map((one) => one.audioCodecs)),
    maxBytes: Math.min(...all.map((one) => one.maxBytes)),
    minFps: Math.max(...all.map((one) => one.minFps)),
    maxFps: Math.min(...all.map((one) => one.maxFps)),
    maxWidthPx: Math.min(...all.map((one) => one.maxWidthPx)),
    maxHeightPx: Math.min(...all.map((one) => one.maxHeightPx)),
    maxVideoBits: Math.min(...all.map((one) => one.maxVideoBitRate ?? Infinity)),
    maxAudioBits: Math.min(...all.map((one) => one.maxAudioBitRate ?? Infinity)),
    maxChannels: Math.min(...all.map((one) => one.maxAudioChannels ?? Infinity)),
  }
}

const inAll = (lists: readonly (readonly string[])[]): string[] =>
  (lists[0] ?? []).filter((name) => lists.every((list) => list.includes(name)))

/** Codecs that players expect in MP4; others are legal there, but not every platform reads them. */
const MP4_VIDEO = ['avc', 'hevc']
const MP4_AUDIO = ['aac', 'mp3']

const AUDIO_RATE_HZ = 48_000
const AUDIO_BITS = 160_000
const STEREO = 2

function planAudio(facts: VideoFacts, limits: Limits): AudioEncoding | null {
  const { audio_codec: codec, audio_rate_hz: rate, audio_channels: channels } = facts
  if (rate === null || codec === null) return null
  const isTaken = limits.audioCodecs.includes(codec) && MP4_AUDIO.includes(codec)
  if (isTaken && rate <= AUDIO_RATE_HZ && (channels ?? 1) <= limits.maxChannels) return null
  return { rateHz: AUDIO_RATE_HZ, bitsPerSecond: Math.min(AUDIO_BITS, limits.maxAudioBits) }
}

type Picture = VideoFacts & {
  readonly video_codec: string
  readonly width: number
  readonly height: number
}

function planVideo(facts: Picture, size: number, limits: Limits): VideoEncoding | null {
  const fps = newFrameRate(facts.fps, limits)
  const fitting = Math.min(1, limits.maxWidthPx / facts.width, limits.maxHeightPx / facts.height)
  const isTaken = limits.videoCodecs.includes(facts.video_codec) && MP4_VIDEO.includes(facts.video_codec)
  const isLight = size <= limits.maxBytes && (facts.video_bit_rate ?? 0) <= limits.maxVideoBits
  if (isTaken && fps === null && fitting === 1 && isLight) return null
  const rate = fps ?? facts.fps ?? DEFAULT_FPS
  const pixels = facts.width * facts.height * fitting ** 2
  const budget = Math.min(bitBudget(facts.duration_s, limits.maxBytes), limits.maxVideoBits * SAFETY)
  const bitsPerSecond = Math.round(
    Math.max(MIN_BITS, Math.min(pixels * rate * GOOD_BITS, bitsWorthKeeping(facts.duration_s, size), budget)),
  )
  // With few bits per pixel, fewer pixels look better.
  const affordable = Math.min(1, Math.sqrt(bitsPerSecond / (pixels * rate * POOR_BITS)))
  const scale = budget < pixels * rate * POOR_BITS ? fitting * affordable : fitting
  return { width: even(facts.width * scale), height: even(facts.height * scale), fps, bitsPerSecond }
}

const DEFAULT_FPS = 30
/** Bits of H.264 per pixel and frame: 6.2 Mbit/s at 1080 x 1920 and 30 frames. */
const GOOD_BITS = 0.1
const POOR_BITS = 0.04
const MIN_BITS = 500_000
/** Leaves room for the container and for encoders that miss their rate. */
const SAFETY = 0.9
/** A less efficient codec needs more bits for the same picture. */
const MORE_BITS = 2

const bitBudget = (durationS: number, maxBytes: number): number =>
  durationS > 0 ? (maxBytes * 8 * SAFETY) / durationS - AUDIO_BITS : Infinity

const bitsWorthKeeping = (durationS: number, size: number): number =>
  durationS > 0 ? Math.max(4 * MIN_BITS, ((size * 8) / durationS) * MORE_BITS) : Infinity

/** H.264 requires even sides. */
const even = (px: number): number => Math.max(2, Math.floor(px / 2) * 2)

/** A divisor of a high rate, so that frames are dropped evenly: 60 of 120, 45 of 90. Null: the rate is accepted. */
function newFrameRate(fps: number | null, { minFps, maxFps }: Limits): number | null {
  if (fps === null || (fps >= minFps - 0.5 && fps <= maxFps + 0.5)) return null
  if (fps < minFps) return Math.min(maxFps, Math.max(minFps, DEFAULT_FPS))
  const part = fps / Math.ceil((fps - 0.5) / maxFps)
  return Math.min(maxFps, Math.round(part * 1000) / 1000)
}

function predictResult(
  { facts, size }: Content,
  { video, audio, movesIndexOnly }: Pick<FixPlan, 'video' | 'audio' | 'movesIndexOnly'>,
): Content {
  const bits = video === null ? 0 : video.bitsPerSecond + AUDIO_BITS
  return {
    size: video === null ? size : Math.round((bits * facts.duration_s) / 8),
    facts: {
      ...facts,
      index_first: true,
      ...(!movesIndexOnly && { container: 'mp4' as const }),
      ...(video !== null && {
        video_codec: 'avc',
        width: video.width,
        height: video.height,
        fps: video.fps ?? facts.fps,
        fps_is_estimate: video.fps === null && facts.fps_is_estimate,
        video_bit_rate: video.bitsPerSecond,
        chroma: '4:2:0',
      }),
      ...(audio !== null && {
        audio_codec: 'aac',
        audio_rate_hz: audio.rateHz,
        audio_bit_rate: audio.bitsPerSecond,
        audio_channels: facts.audio_channels && Math.min(STEREO, facts.audio_channels),
      }),
    },
  }
}

function listChanges(
  { facts: now }: Content,
  { facts: then, size: newSize }: Content,
  solved: readonly Finding[],
): string[] {
  const isSmaller = solved.some(({ code }) => code === 'too_large')
  const hasNewSound = then.audio_codec !== now.audio_codec
  const hasNewRate = then.audio_rate_hz !== now.audio_rate_hz
  const isDownmixed = then.audio_channels !== now.audio_channels
  const sound = [
    hasNewSound && 'AAC',
    isDownmixed && 'stereo',
    'sound',
    hasNewRate && `at ${plain(then.audio_rate_hz, 1000)} kHz`,
  ].filter((word) => word !== false)
  const isLighter = solved.some(({ code }) => code === 'video_bit_rate')
  return [
    ...change(then.container !== now.container, 'MP4'),
    ...change(then.video_codec !== now.video_codec, 'H.264'),
    ...change(pixels(then) !== pixels(now), `${pixels(then)} pixels`),
    ...change(then.fps !== now.fps, `${plain(then.fps)} frames per second`),
    ...change(isSmaller, `about ${megabytes(roughly(newSize))}`),
    ...change(isLighter, `${plain(then.video_bit_rate, 1_000_000)} Mbit per second`),
    ...change(hasNewSound || hasNewRate || isDownmixed, sound.join(' ')),
    ...change(now.index_first === false, 'optimised for the web'),
  ]
}

const change = (isChanged: boolean, text: string): string[] => (isChanged ? [text] : [])
const pixels = ({ width, height }: VideoFacts) => `${width} × ${height}`
const plain = (value: number | null, unit = 1) => String(Math.round(((value ?? 0) / unit) * 100) / 100)
const roughly = (bytes: number) => Number(bytes.toPrecision(2))

export const listRefusers = (findings: readonly Finding[]): string =>
  [
    ...new Set(
      findings.filter(({ level }) => level === 'error').map(({ platform }) => PLATFORM_NAMES[platform]),
    ),
  ].join(' and ')
