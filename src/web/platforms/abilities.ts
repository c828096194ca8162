import type { AccountOptions } from '#contract/platforms/index.ts'
import { instagramAbilities } from '#web/platforms/instagram/abilities.ts'
import { tiktokAbilities } from '#web/platforms/tiktok/abilities.ts'

/** What its platform lets an account do now, in short statements. */
export function abilitiesOf(options: AccountOptions): string[] {
  switch (options.platform) {
    case 'tiktok':
      return tiktokAbilities(options)
    case 'instagram':
      return instagramAbilities(options)
  }
}
