import type { AccountOptions } from '#contract/platforms/index.ts'
import { instagramAbilities } from '#web/platforms/instagram/abilities.ts'
import { tiktokAbilities } from '#web/platforms/tiktok/abilities.ts'
import { youtubeAbilities } from '#web/platforms/youtube/abilities.ts'

/** Short statements of what its platform lets an account do now. */
export function abilitiesOf(options: AccountOptions): string[] {
  switch (options.platform) {
    case 'tiktok':
      return tiktokAbilities(options)
    case 'instagram':
      return instagramAbilities(options)
    case 'youtube':
      return youtubeAbilities(options)
  }
}
