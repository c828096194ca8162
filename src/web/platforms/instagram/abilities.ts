import type { InstagramAccountOptions } from '#contract/platforms/instagram.ts'

/**
 * What an Instagram account can do now, in short statements. Its posts are always public or not by the account's own setting;
 * how many are left is said where posts of a day are counted.
 */
export const instagramAbilities = ({ quota_total }: InstagramAccountOptions): string[] =>
  quota_total === null ? ['Reels', 'Instagram does not tell how many posts are left'] : ['Reels']
