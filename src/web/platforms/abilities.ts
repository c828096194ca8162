import type { AccountOptions } from '#contract/platforms/index.ts'
import { instagramAbilities } from './instagram/abilities.ts'
import { tiktokAbilities } from './tiktok/abilities.ts'

/** What its platform lets an account do now, in short statements. */
export function abilitiesOf(options: AccountOptions): string[] {
  switch (options.platform) {
    case 'tiktok':
      return tiktokAbilities(options)
    case 'instagram':
      return instagramAbilities(options)
  }
}
