import type { ReactNode } from 'react'
import type { PlatformId } from '#contract/platforms/index.ts'
import { InstagramMark, instagramProcessing } from '#web/platforms/instagram/branding.tsx'
import { TikTokMark, tiktokProcessing } from '#web/platforms/tiktok/branding.tsx'
import { YouTubeMark, youtubeProcessing } from '#web/platforms/youtube/branding.tsx'

/** Each platform's mark, and its text while an account is being linked. */
export const PLATFORM_BRANDING: Record<PlatformId, { Mark: () => ReactNode; processing: string }> = {
  tiktok: { Mark: TikTokMark, processing: tiktokProcessing },
  instagram: { Mark: InstagramMark, processing: instagramProcessing },
  youtube: { Mark: YouTubeMark, processing: youtubeProcessing },
}
