import type { InstagramAccountOptions } from '#contract/platforms/instagram.ts'

/** What an Instagram account can do now. Who sees its posts is the account's own setting. */
export const instagramAbilities = ({ quota_total }: InstagramAccountOptions): string[] =>
  quota_total === null ? ['Reels', "Instagram doesn't say how many posts are left"] : ['Reels']
