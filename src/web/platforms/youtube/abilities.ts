import type { YouTubeAccountOptions } from '#contract/platforms/youtube.ts'
import { formatDuration } from '#web/lib/amounts.ts'

/** A channel confirms its phone number for long videos. */
export const youtubeAbilities = ({ long_uploads, max_duration_s }: YouTubeAccountOptions): string[] => [
  'Shorts and videos',
  long_uploads
    ? `Videos up to ${formatDuration(max_duration_s)}`
    : `Videos up to ${formatDuration(max_duration_s)}; longer ones once the channel has confirmed a phone number`,
]
