import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { PLATFORM_LIMITS } from '#contract/platforms/platform-limits.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { PlatformLimits } from '#contract/platforms/platform-limits.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Finding, VideoFacts } from '#contract/videos.ts'
import { megabytes, plain, seconds, tellApart } from './figures.ts'

export type AccountLimits = { readonly maxDurationS?: number }

type Problem = Omit<Finding, 'platform'>
type Subject = {
  readonly facts: VideoFacts
  readonly size: number
  readonly limits: PlatformLimits
  readonly account: AccountLimits
  readonly name: string
}

/**
 * Platforms refuse an `error` and may handle a `warning` badly. Runs in the browser before the upload and on the server
 * before a post is accepted. `size` is in bytes.
 */
export function checkVideo(
  facts: VideoFacts,
  size: number,
  platform: PlatformId,
  account: AccountLimits = {},
): Finding[] {
  const subject = { facts, size, limits: PLATFORM_LIMITS[platform], account, name: PLATFORM_NAMES[platform] }
  const checks = facts.container !== 'unknown' ? CHECKS : [facts.integrity === 'cut_off' ? whole : readable]
  return checks.flatMap((check) => check(subject)).map((problem) => ({ platform, ...problem }))
}

/** The reason why a file cannot even be stored, before and after its upload; null: it can. */
export function unusableReason(facts: VideoFacts): string | null {
  if (facts.integrity === 'cut_off') return TEXTS.videoCutOff
  return facts.container === 'unknown' ? TEXTS.notAVideo : null
}

/** The platform would refuse the video. Warnings do not count. */
export const isRefused = (findings: readonly Finding[]) => findings.some(({ level }) => level === 'error')

/** A platform's objections to a post's text, one sentence each. The form and the server check it. */
export function checkText(text: string, platform: PlatformId): string[] {
  const limits = PLATFORM_LIMITS[platform]
  const name = PLATFORM_NAMES[platform]
  const over = (count: number, max: number | null, things: string): string[] =>
    max === null || count <= max ? [] : [`${name} allows up to ${max} ${things}; this caption has ${count}.`]
  return [
    ...checkLength(text, limits),
    ...(limits.textForbids.some((one) => text.includes(one))
      ? [`${name} doesn't allow ${limits.textForbids.join(' or ')} in this text.`]
      : []),
    ...over(hashtagsIn(text), limits.textMaxHashtags, 'hashtags'),
    ...over(mentionsIn(text), limits.textMaxMentions, 'mentions'),
  ]
}

/** Some platforms count bytes, of which accented letters and emoji take several. */
function checkLength(text: string, { textMax: { unit, max } }: PlatformLimits): string[] {
  const used = countText(text, unit)
  if (used <= max) return []
  return unit === 'characters'
    ? [`Use at most ${max} characters.`]
    : [`Use at most ${max} bytes; this text has ${used}. Accented letters and emoji take more than one.`]
}

export const countText = (text: string, unit: PlatformLimits['textMax']['unit']): number =>
  unit === 'characters' ? text.length : countBytes(text)

/** Bytes of UTF-8. */
function countBytes(text: string): number {
  let sum = 0
  for (const character of text) sum += utf8Bytes(character.codePointAt(0) ?? 0)
  return sum
}

function utf8Bytes(codePoint: number): number {
  if (codePoint < 0x80) return 1
  if (codePoint < 0x800) return 2
  return codePoint < 0x1_00_00 ? 3 : 4
}

/** Repeated hashtags count each time. `#a#b` are two, `C#` and `1#2` are none. */
export const hashtagsIn = (text: string): number =>
  [...withoutAddresses(text).matchAll(RUN_OF_HASHTAGS)].reduce(
    (sum, [run]) => sum + (run.match(/[#＃]/g) ?? []).length,
    0,
  )
export function keepHashtags(text: string, max: number): string {
  let count = 0
  const cuts: (readonly [from: number, to: number])[] = []
  for (const { 0: run, index: start } of withoutAddresses(text).matchAll(RUN_OF_HASHTAGS)) {
    for (const { 0: tag, index: at } of run.matchAll(/[#＃][^#＃]+/gu)) {
      count += 1
      if (count > max) cuts.push([start + at, start + at + tag.length])
    }
  }
  return cuts.reduceRight(
    (rest, [from, to]) => rest.slice(0, from).replace(/\s$/u, '') + rest.slice(to),
    text,
  )
}

/** Letters of any script, digits, underscores and emoji. The keycap emoji (`#` with marks only) is no hashtag. */
const RUN_OF_HASHTAGS =
  /(?<![\p{L}\p{M}\p{N}_&])(?:[#＃](?!\p{M})[\p{L}\p{M}\p{N}_\p{Extended_Pictographic}\u200d]+)+/gu

/** `@` before a user name, but not within an email address. */
const mentionsIn = (text: string): number => [...withoutAddresses(text).matchAll(MENTION)].length
const MENTION = /(?<![\p{L}\p{M}\p{N}_.+\-@＠])[@＠][\p{L}\p{N}_]/gu

/** `#` and `@` within a URL are neither: `example.com/@anna#about`. */
const withoutAddresses = (text: string): string =>
  text.replaceAll(/https?:\/\/\S+|(?<![@＠#＃\w.-])(?:[\w-]+\.)+[a-z]{2,}\/\S*/giu, (address) =>
    ' '.repeat(address.length),
  )

const CHECKS = [
  whole,
  bytes,
  container,
  videoCodec,
  duration,
  picture,
  frameRate,
  videoBitRate,
  chroma,
  scan,
  sound,
  loudspeakers,
  audioBitRate,
  index,
  edits,
  shape,
  measured,
]

function whole({ facts: { integrity } }: Subject): Problem[] {
  if (integrity === 'cut_off') return [found('cut_off', FINDINGS.cut_off.message)]
  return integrity === 'damaged' ? [found('damaged', FINDINGS.damaged.message)] : []
}

function readable(): Problem[] {
  return [found('unreadable', FINDINGS.unreadable.message)]
}

function bytes({ size, limits, name }: Subject): Problem[] {
  if (size <= limits.maxBytes) return []
  const { figure, limit } = tellApart(size, limits.maxBytes, megabytes)
  return [found('too_large', `The file is ${figure}; ${name} accepts up to ${limit}.`)]
}

function container({ facts, limits, name }: Subject): Problem[] {
  if (limits.containers.includes(facts.container)) return []
  return [
    found(
      'container',
      `The file's format is ${formatLabel(facts.container)}; ${name} accepts ${listed(limits.containers)}.`,
    ),
  ]
}

function videoCodec({ facts, limits, name }: Subject): Problem[] {
  if (facts.width === null) {
    return [found('no_picture', FINDINGS.no_picture.message)]
  }
  const codec = facts.video_codec
  if (codec !== null && limits.videoCodecs.includes(codec)) return []
  return [
    found(
      'video_codec',
      `The video codec is ${codec === null ? 'unknown' : formatLabel(codec)}; ${name} accepts ${listed(limits.videoCodecs)}.`,
    ),
  ]
}

function duration({ facts, limits, account, name }: Subject): Problem[] {
  const problems: Problem[] = []
  if (facts.duration_s < limits.minDurationS) {
    const { figure, limit } = tellApart(facts.duration_s, limits.minDurationS, seconds)
    problems.push(found('too_short', `The video is ${figure} long; ${name} accepts ${limit} or more.`))
  }
  const max = account.maxDurationS ?? limits.maxDurationS
  if (max !== null && facts.duration_s > max) {
    const { figure, limit } = tellApart(facts.duration_s, max, seconds)
    const rule =
      account.maxDurationS === undefined
        ? `${name} accepts up to ${limit}.`
        : `${name} lets this account post videos that last up to ${limit}.`
    problems.push(found('too_long', `The video is ${figure} long; ${rule}`))
  }
  return problems
}

function picture({ facts: { width, height }, limits, name }: Subject): Problem[] {
  if (width === null || height === null) return []
  const size = `The picture is ${width} x ${height} pixels`
  if (Math.min(width, height) < limits.minSidePx) {
    return [found('too_small', `${size}; ${name} accepts ${limits.minSidePx} or more on each side.`)]
  }
  if (width > limits.maxWidthPx) {
    return [found('too_wide', `${size}; ${name} accepts up to ${limits.maxWidthPx} wide.`)]
  }
  if (height > limits.maxHeightPx) {
    return [found('too_high', `${size}; ${name} accepts up to ${limits.maxHeightPx} high.`)]
  }
  return []
}

/** Half a frame of tolerance: cameras call 23.976 and 59.94 fps 24 and 60, and measured rates are never exact. */
function frameRate({ facts: { fps, fps_is_estimate }, limits, name }: Subject): Problem[] {
  if (fps === null || (fps >= limits.minFps - 0.5 && fps <= limits.maxFps + 0.5)) return []
  const { figure } = tellApart(fps, fps < limits.minFps ? limits.minFps : limits.maxFps, plain)
  const rule = `${name} accepts ${limits.minFps} to ${limits.maxFps}.`
  // A rate estimated from parts of the file refuses nothing.
  return fps_is_estimate
    ? [found('frame_rate_estimate', `The video has about ${figure} frames per second; ${rule}`)]
    : [found('frame_rate', `The video has ${figure} frames per second; ${rule}`)]
}

function videoBitRate({ facts: { video_bit_rate: rate }, limits, name }: Subject): Problem[] {
  const max = limits.maxVideoBitRate
  if (max === null || rate === null || rate <= max) return []
  const { figure, limit } = tellApart(rate / 1_000_000, max / 1_000_000, plain)
  return [
    found('video_bit_rate', `The video has ${figure} Mbit per second; ${name} accepts up to ${limit} Mbit.`),
  ]
}

function chroma({ facts, limits, name }: Subject): Problem[] {
  if (limits.chroma === null || facts.chroma === null || limits.chroma.includes(facts.chroma)) return []
  return [
    found('chroma', `The colours are stored as ${facts.chroma}; ${name} accepts ${listed(limits.chroma)}.`),
  ]
}

function scan({ facts, limits, name }: Subject): Problem[] {
  if (!limits.progressiveOnly || facts.scan !== 'interlaced') return []
  return [found('interlaced', `The video is interlaced; ${name} accepts progressive video.`)]
}

function loudspeakers({ facts: { audio_channels: channels }, limits, name }: Subject): Problem[] {
  const max = limits.maxAudioChannels
  if (max === null || channels === null || channels <= max) return []
  return [found('audio_channels', `The sound has ${channels} channels; ${name} accepts 1 to ${max}.`)]
}

/** Encoders slightly miss the rate they were asked for. */
const AUDIO_BIT_RATE_SLACK = 1.1

function audioBitRate({ facts: { audio_bit_rate: rate }, limits, name }: Subject): Problem[] {
  const max = limits.maxAudioBitRate
  if (max === null || rate === null || rate <= max * AUDIO_BIT_RATE_SLACK) return []
  const { figure, limit } = tellApart(Math.round(rate / 1000), max / 1000, plain)
  return [
    found('audio_bit_rate', `The sound has ${figure} kbit per second; ${name} asks for up to ${limit} kbit.`),
  ]
}

function edits({ facts, limits, name }: Subject): Problem[] {
  if (!limits.withoutEdits || facts.has_edits !== true) return []
  return [
    found(
      'edit_list',
      `The file tells players to skip or delay parts of it (an edit list); ${name} asks for files without one.`,
    ),
  ]
}

/** Warnings for otherwise accepted files: limits that could not be measured are mentioned. */
function measured({ facts, size, limits, name }: Subject): Problem[] {
  const isTaken =
    limits.containers.includes(facts.container) &&
    facts.video_codec !== null &&
    limits.videoCodecs.includes(facts.video_codec)
  if (!isTaken) return []
  const { maxVideoBitRate } = limits
  // If the whole file is below the limit, its picture is too.
  const mayBeHeavy = maxVideoBitRate !== null && size * 8 > maxVideoBitRate * facts.duration_s
  const missing = [
    facts.integrity === null && 'whether the file is complete',
    facts.fps === null && 'the frame rate',
    facts.video_bit_rate === null && mayBeHeavy && 'the bit rate',
    facts.chroma === null && limits.chroma !== null && 'the chroma subsampling',
    facts.scan === null && limits.progressiveOnly && 'the scan type',
    facts.has_edits === null && limits.withoutEdits && 'edit lists',
    facts.audio_rate_hz !== null &&
      facts.audio_channels === null &&
      limits.maxAudioChannels !== null &&
      'the channels of the sound',
  ].filter((part) => part !== false)
  return missing.length === 0
    ? []
    : [
        found(
          'unmeasured',
          `Reelay could not measure ${missing.join(', ')}. ${name} may refuse the video because of it.`,
        ),
      ]
}

function sound({ facts: { audio_codec: codec, audio_rate_hz: rate }, limits, name }: Subject): Problem[] {
  if (rate === null) return [] // every platform accepts silent videos
  if (codec === null || !limits.audioCodecs.includes(codec)) {
    return [
      found(
        'audio_codec',
        `The audio codec is ${codec === null ? 'unknown' : formatLabel(codec)}; ${name} accepts ${listed(limits.audioCodecs)}.`,
      ),
    ]
  }
  // Meta documents 48 kHz as the highest rate, but not whether more is refused.
  if (codec === 'aac' && rate > 48_000) {
    const { figure } = tellApart(rate / 1000, 48, plain)
    return [found('audio_rate', `The audio sample rate is ${figure} kHz; more than 48 kHz is often refused.`)]
  }
  return []
}

function index({ facts, limits, name }: Subject): Problem[] {
  if (!limits.indexFirst || facts.index_first !== false) return []
  return [found('index_last', `This video isn't optimised for the web, so ${name} may reject it.`)]
}

function shape({ facts, limits, name }: Subject): Problem[] {
  const { width, height, duration_s } = facts
  const isLandscape = width !== null && height !== null && height < width
  const most = limits.shortMaxDurationS
  if (most !== null) {
    const isLong = duration_s > most
    if (!isLandscape && !isLong) return []
    const why = [isLandscape && 'is landscape', isLong && `lasts more than ${seconds(most)}`]
    return [
      found(
        'not_short',
        `The video ${why.filter((part) => part !== false).join(' and ')}, so ${name} posts it as an ordinary video and not as a short one.`,
      ),
    ]
  }
  if (!isLandscape) return []
  return [found('landscape', `The video is landscape; ${name} shows it with bars above and below.`)]
}

const found = (code: keyof typeof FINDINGS, message: string): Problem => ({
  level: FINDINGS[code].level,
  code,
  message,
  remedy: FINDINGS[code].remedy,
})

type FindingText = {
  readonly level: Finding['level']
  /** The text in the help, without the figures of one video. */
  readonly message: string
  readonly remedy: string
}

const SMALLER = 'Export it with a lower resolution, such as 1080 x 1920.'

export const FINDINGS = {
  unreadable: {
    level: 'error',
    message: 'This file could not be read as a video.',
    remedy: 'Choose an MP4 file with H.264 video and AAC audio, which every platform accepts.',
  },
  cut_off: {
    level: 'error',
    message: 'The end of this file is missing.',
    remedy: 'Copy or download it again, then choose the new copy.',
  },
  damaged: {
    level: 'error',
    message: 'Parts of this file cannot be played.',
    remedy: 'Copy or download it again, or export it once more.',
  },
  too_large: {
    level: 'error',
    message: 'The file is too large for the platform.',
    remedy: 'Export it with a lower bit rate or resolution, or shorten it.',
  },
  container: {
    level: 'error',
    message: 'The platform does not accept this file format.',
    remedy: 'Export it as MP4.',
  },
  no_picture: {
    level: 'error',
    message: 'The file has sound but no video.',
    remedy: 'Choose a video file.',
  },
  video_codec: {
    level: 'error',
    message: 'The platform does not accept this video codec.',
    remedy: 'Export it as H.264.',
  },
  too_short: {
    level: 'error',
    message: 'The video is too short for the platform.',
    remedy: 'Choose a longer video.',
  },
  too_long: {
    level: 'error',
    message: 'The video is too long for the platform, or for this account.',
    remedy: 'Shorten it.',
  },
  too_small: {
    level: 'error',
    message: 'The resolution is too low for the platform.',
    remedy: 'Export it with a higher resolution.',
  },
  too_wide: { level: 'error', message: 'The video is too wide for the platform.', remedy: SMALLER },
  too_high: { level: 'error', message: 'The video is too tall for the platform.', remedy: SMALLER },
  frame_rate: {
    level: 'error',
    message: 'The platform does not accept this frame rate.',
    remedy: 'Export it with 30 frames per second.',
  },
  frame_rate_estimate: {
    level: 'warning',
    message: 'The platform may not accept this frame rate, which was measured on parts of the file.',
    remedy: 'Export it with 30 frames per second if it is refused.',
  },
  video_bit_rate: {
    level: 'warning',
    message: 'The bit rate is higher than the platform asks for.',
    remedy: 'Export it with a lower bit rate, such as 10 Mbit per second.',
  },
  chroma: {
    level: 'warning',
    message: 'The platform asks for other colour sampling (4:2:0).',
    remedy: 'Export it as H.264 with 4:2:0, the default of most editors.',
  },
  interlaced: {
    level: 'warning',
    message: 'The video is interlaced, and the platform asks for progressive video.',
    remedy: 'Export it as progressive video.',
  },
  audio_channels: {
    level: 'warning',
    message: 'The sound has more channels than the platform asks for.',
    remedy: 'Export it with stereo sound.',
  },
  audio_bit_rate: {
    level: 'warning',
    message: 'The bit rate of the sound is higher than the platform asks for.',
    remedy: 'Many videos are accepted as they are; 128 kbit per second is safe.',
  },
  edit_list: {
    level: 'warning',
    message: 'The file tells players to leave out, delay or repeat parts of it.',
    remedy: 'Export it again, so that the file holds exactly what is shown.',
  },
  unmeasured: {
    level: 'warning',
    message: 'Reelay could not measure everything that the platform limits.',
    remedy: 'Export it as MP4 with H.264 and AAC if it is refused.',
  },
  audio_codec: {
    level: 'error',
    message: 'The platform does not accept this audio codec.',
    remedy: 'Export it with AAC audio.',
  },
  audio_rate: {
    level: 'warning',
    message: 'The audio sample rate is above 48 kHz, which is often refused.',
    remedy: 'Export it with 48 kHz audio.',
  },
  index_last: {
    level: 'warning',
    message: "This video isn't optimised for the web, so the platform may reject it.",
    remedy:
      'Export it again with “fast start” or “web optimised” turned on. Many videos are accepted as they are.',
  },
  landscape: {
    level: 'warning',
    message: 'The video is landscape; the platform shows it with bars above and below.',
    remedy: 'A portrait video (9:16) fills the screen.',
  },
  not_short: {
    level: 'warning',
    message:
      'The video is landscape or too long for a short one, so the platform posts it as an ordinary video.',
    remedy: 'A portrait video (9:16) of up to 3 minutes is posted as a short one.',
  },
} as const satisfies Record<string, FindingText>

const LABELS: Readonly<Record<string, string>> = {
  aac: 'AAC',
  av1: 'AV1',
  avc: 'H.264',
  hevc: 'H.265',
  mkv: 'MKV',
  mov: 'MOV',
  mp3: 'MP3',
  mp4: 'MP4',
  ogg: 'Ogg',
  opus: 'Opus',
  pcm: 'PCM',
  ts: 'MPEG transport stream',
  vorbis: 'Vorbis',
  vp8: 'VP8',
  vp9: 'VP9',
  webm: 'WebM',
}
export const formatLabel = (name: string): string => LABELS[name] ?? name

export function listed(names: readonly string[]): string {
  const labels = names.map(formatLabel)
  const last = labels.at(-1) ?? ''
  return labels.length < 2 ? last : `${labels.slice(0, -1).join(', ')} or ${last}`
}
