import type { YouTubeAccountOptions } from '#contract/platforms/youtube.ts'
import { formatDuration } from '#web/lib/amounts.ts'

/** A channel confirms its phone number for long videos. */
export const youtubeAbilities = ({ long_uploads, max_duration_s }: YouTubeAccountOptions): string[] => {
  const longest = `Videos up to ${formatDuration(max_duration_s)}`
  return [
    'Shorts and videos',
    long_uploads ? longest : `${longest} until the channel confirms a phone number`,
  ]
}
