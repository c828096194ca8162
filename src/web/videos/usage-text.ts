import type { Video } from '#contract/videos.ts'
import { counted } from '#web/lib/amounts.ts'

/** "Used in 2 posts"; a draft counts where there is no post. */
export function usageText({ posts, drafts }: Video['used_in']): string {
  if (posts > 0) return `Used in ${counted(posts, 'post')}`
  return drafts > 0 ? `Used in ${counted(drafts, 'draft')}` : 'Not used yet'
}
