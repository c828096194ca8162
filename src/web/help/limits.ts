import { VIDEO_MAX_BYTES } from '#contract/limits.ts'
import type { PlatformLimits } from '#contract/platforms/platform-limits.ts'
import { megabytes, seconds } from '#domain/video-check/figures.ts'
import { listed } from '#domain/video-check/post-check.ts'

/** A platform's limits, from the figures that the video check enforces. */
export const LIMITS: readonly { readonly name: string; readonly of: (limits: PlatformLimits) => string }[] = [
  { name: 'File type', of: ({ containers }) => listed(containers) },
  { name: 'Size', of: sizeOf },
  {
    name: 'Length',
    of: ({ minDurationS, maxDurationS }) =>
      maxDurationS === null
        ? `${seconds(minDurationS)} or more; the longest depends on the account`
        : `${seconds(minDurationS)} to ${seconds(maxDurationS)}`,
  },
  { name: 'Video format', of: ({ videoCodecs }) => listed(videoCodecs) },
  { name: 'Resolution', of: resolution },
  { name: 'Frame rate', of: ({ minFps, maxFps }) => `${minFps} to ${maxFps} frames per second` },
  { name: 'Audio', of: ({ audioCodecs }) => `${listed(audioCodecs)}, or no sound` },
  {
    name: 'Web optimised',
    of: ({ indexFirst }) => (indexFirst ? 'recommended: turn on “fast start” when you export' : 'not needed'),
  },
  { name: 'Caption', of: textOf },
]

/** The server stores no larger file, whatever the platform takes. */
function sizeOf({ maxBytes }: PlatformLimits): string {
  return maxBytes > VIDEO_MAX_BYTES
    ? `up to ${megabytes(VIDEO_MAX_BYTES)}, the largest that Reelay stores`
    : `up to ${megabytes(maxBytes)}`
}

function textOf({ textMax, textForbids, textMaxHashtags, textMaxMentions }: PlatformLimits): string {
  const parts = [
    `up to ${textMax.max} ${textMax.unit}`,
    textForbids.length > 0 && `no ${textForbids.join(' or ')}`,
    textMaxHashtags !== null && `${textMaxHashtags} hashtags`,
    textMaxMentions !== null && `${textMaxMentions} mentions`,
  ]
  return parts.filter((part) => part !== false).join(', ')
}

function resolution({ minSidePx, maxWidthPx, maxHeightPx }: PlatformLimits): string {
  if (minSidePx > 1 && maxWidthPx === maxHeightPx) return `${minSidePx} to ${maxWidthPx} pixels per side`
  const least = minSidePx > 1 ? `, ${minSidePx} or more per side` : ''
  return `up to ${maxWidthPx} pixels wide, ${maxHeightPx} high${least}`
}
