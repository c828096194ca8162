import type { ReactNode } from 'react'
import type { PlatformId } from '#contract/platforms/index.ts'
import { InstagramMark, instagramProcessing } from '#web/platforms/instagram/branding.tsx'
import { TikTokMark, tiktokProcessing } from '#web/platforms/tiktok/branding.tsx'

/** The registry of the web app: a new platform is a file beside this one and a line here. */
export const PLATFORM_LOOKS: Record<PlatformId, { Mark: () => ReactNode; processing: string }> = {
  tiktok: { Mark: TikTokMark, processing: tiktokProcessing },
  instagram: { Mark: InstagramMark, processing: instagramProcessing },
}
