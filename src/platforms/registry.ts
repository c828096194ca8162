import type { PlatformId } from '#contract/platforms/index.ts'
import type { InstagramConfig } from './instagram/config.ts'
import { createInstagram } from './instagram/index.ts'
import type { Platform } from './platform.ts'
import type { TikTokConfig } from './tiktok/config.ts'
import { createTikTok } from './tiktok/index.ts'

export { INSTAGRAM_LIVE } from './instagram/config.ts'
export type { InstagramConfig } from './instagram/config.ts'
export { TIKTOK_LIVE } from './tiktok/config.ts'
export type { TikTokConfig } from './tiktok/config.ts'

export type PlatformsConfig = {
  /** `null`: not set up on this server. */
  readonly tiktok: TikTokConfig | null
  readonly instagram: InstagramConfig | null
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** A new platform is a folder beside this file and a line here. */
export const createPlatforms = (config: PlatformsConfig): Record<PlatformId, Platform | null> => ({
  tiktok: config.tiktok === null ? null : createTikTok(config.tiktok, config.now),
  instagram: config.instagram === null ? null : createInstagram(config.instagram, config.now),
})
