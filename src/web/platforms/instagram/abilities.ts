import type { InstagramAccountOptions } from '#contract/platforms/instagram.ts'

/** What an Instagram account can do now, in short statements. Its posts are always public or not by the account's own setting. */
export function instagramAbilities({ quota_used, quota_total }: InstagramAccountOptions): string[] {
  if (quota_total === null) return ['Reels', 'Instagram does not tell how many posts are left']
  const left = Math.max(0, quota_total - (quota_used ?? 0))
  return [
    'Reels',
    left === 0
      ? `No posts left: ${quota_total} in 24 hours is all that Instagram takes`
      : `${left} of ${quota_total} posts left in 24 hours`,
  ]
}
