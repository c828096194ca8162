import type { InstagramAccountOptions } from '#contract/platforms/instagram.ts'

/** The account's own setting decides who sees its posts. */
export const instagramAbilities = ({ quota_total }: InstagramAccountOptions): string[] =>
  quota_total === null ? ['Reels', "Instagram doesn't say how many posts are left"] : ['Reels']
