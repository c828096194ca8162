import type { PlatformId } from '#contract/platforms/index.ts'
import { instagramView } from './instagram/views.ts'
import { tiktokView } from './tiktok/views.ts'
import { youtubeView } from './youtube/views.ts'

/** What each platform counts as a view, as a sentence. */
export const VIEW_MEANINGS: Record<PlatformId, string> = {
  tiktok: tiktokView,
  instagram: instagramView,
  youtube: youtubeView,
}
