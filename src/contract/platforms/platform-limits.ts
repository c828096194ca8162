import type { PlatformId } from './index.ts'
import { INSTAGRAM_CAPTION_MAX_CHARS, INSTAGRAM_MAX_DURATION_S } from './instagram.ts'
import { TIKTOK_TITLE_MAX_CHARS } from './tiktok.ts'
import { YOUTUBE_DESCRIPTION_MAX_BYTES, YOUTUBE_SHORT_MAX_S } from './youtube.ts'

/** A platform's limits of a video and its text: checked before a byte is sent, and shown on the help screen. */
export type PlatformLimits = {
  readonly containers: readonly string[]
  readonly videoCodecs: readonly string[]
  readonly audioCodecs: readonly string[]
  readonly maxBytes: number
  readonly minDurationS: number
  /** `null`: the platform says it per account. */
  readonly maxDurationS: number | null
  readonly minFps: number
  readonly maxFps: number
  readonly minSidePx: number
  readonly maxWidthPx: number
  readonly maxHeightPx: number
  /** Characters are UTF-16 units, bytes those of UTF-8. */
  readonly textMax: { readonly unit: 'characters' | 'bytes'; readonly max: number }
  /** Characters that the text may not have. */
  readonly textForbids: readonly string[]
  /** `null`: no limit is documented. */
  readonly textMaxHashtags: number | null
  readonly textMaxMentions: number | null
  /** The index (`moov`) must come before the media data. */
  readonly indexFirst: boolean
  /** Bits per second; `null` here and below: no limit is documented. */
  readonly maxVideoBitRate: number | null
  readonly maxAudioBitRate: number | null
  readonly maxAudioChannels: number | null
  readonly chroma: readonly string[] | null
  readonly progressiveOnly: boolean
  /** Players must show the file as it is stored, without an edit list. */
  readonly withoutEdits: boolean
  /** Landscape videos, and videos that last longer, are posted as ordinary videos; null: the platform has one kind. */
  readonly shortMaxDurationS: number | null
}

export const PLATFORM_LIMITS: Record<PlatformId, PlatformLimits> = {
  // TikTok, Media Transfer Guide, 2026-09-11: MP4, WebM, MOV; H.264, H.265, VP8, VP9; 23-60 fps; 360-4096 px; 4 GB.
  tiktok: {
    containers: ['mp4', 'mov', 'webm'],
    videoCodecs: ['avc', 'hevc', 'vp8', 'vp9'],
    audioCodecs: ['aac', 'mp3', 'opus', 'vorbis', 'pcm'],
    maxBytes: 4_294_967_296,
    minDurationS: 1,
    maxDurationS: null,
    minFps: 23,
    maxFps: 60,
    minSidePx: 360,
    maxWidthPx: 4096,
    maxHeightPx: 4096,
    textMax: { unit: 'characters', max: TIKTOK_TITLE_MAX_CHARS },
    textForbids: [],
    textMaxHashtags: null,
    textMaxMentions: null,
    indexFirst: false,
    maxVideoBitRate: null,
    maxAudioBitRate: null,
    maxAudioChannels: null,
    chroma: null,
    progressiveOnly: false,
    withoutEdits: false,
    shortMaxDurationS: null,
  },
  // Instagram, IG User Media reference, 2026-09-11: MOV or MP4, moov first; HEVC or H264; 23-60 fps; 1920 px wide; 3 s-15 min; 300 MB;
  // a caption has "30 hashtags" and "20 @ tags" at most. "VBR, 25Mbps maximum", "128kbps", "1 or 2 channels (mono or stereo)",
  // "4:2:0 chroma subsampling", "progressive scan", "no edit lists".
  instagram: {
    containers: ['mp4', 'mov'],
    videoCodecs: ['avc', 'hevc'],
    audioCodecs: ['aac'],
    maxBytes: 300_000_000,
    minDurationS: 3,
    maxDurationS: INSTAGRAM_MAX_DURATION_S,
    minFps: 23,
    maxFps: 60,
    minSidePx: 1,
    maxWidthPx: 1920,
    maxHeightPx: 10_000,
    textMax: { unit: 'characters', max: INSTAGRAM_CAPTION_MAX_CHARS },
    textForbids: [],
    textMaxHashtags: 30,
    textMaxMentions: 20,
    indexFirst: true,
    maxVideoBitRate: 25_000_000,
    maxAudioBitRate: 128_000,
    maxAudioChannels: 2,
    chroma: ['4:2:0'],
    progressiveOnly: true,
    withoutEdits: true,
    shortMaxDurationS: null,
  },
  // YouTube, Help "Supported file formats" and `videos.insert`, 2026-09-14: it converts whatever it can read, so these are the formats that
  // Reelay reads, too. 256 GB; the length depends on the channel. A Short has up to 3 minutes and is vertical or square.
  youtube: {
    containers: ['mp4', 'mov', 'webm', 'mkv'],
    videoCodecs: ['avc', 'hevc', 'vp8', 'vp9', 'av1'],
    audioCodecs: ['aac', 'mp3', 'opus', 'vorbis', 'pcm'],
    maxBytes: 274_877_906_944,
    minDurationS: 1,
    maxDurationS: null,
    minFps: 1,
    maxFps: 120,
    minSidePx: 1,
    maxWidthPx: 8192,
    maxHeightPx: 8192,
    textMax: { unit: 'bytes', max: YOUTUBE_DESCRIPTION_MAX_BYTES },
    textForbids: ['<', '>'],
    textMaxHashtags: null,
    textMaxMentions: null,
    indexFirst: false,
    maxVideoBitRate: null,
    maxAudioBitRate: null,
    maxAudioChannels: null,
    chroma: null,
    progressiveOnly: false,
    withoutEdits: false,
    shortMaxDurationS: YOUTUBE_SHORT_MAX_S,
  },
}
