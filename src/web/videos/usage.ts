import type { VideoUsage } from '#contract/videos.ts'

/** Whether a post with it is being sent now: it cannot be deleted. */
export const isBlocked = ({ post_counts }: VideoUsage): boolean => post_counts.blocks > 0

/** The posts and drafts of several videos, by what deleting the videos means for them. */
export function usesOf(videos: readonly VideoUsage[]) {
  const sum = (effect: 'cancelled' | 'kept') =>
    videos.reduce((total, { post_counts }) => total + post_counts[effect], 0)
  return {
    cancelled: videos.flatMap(({ posts }) => posts.filter(({ effect }) => effect === 'cancelled')),
    cancelledTotal: sum('cancelled'),
    keptTotal: sum('kept'),
    drafts: videos.flatMap(({ drafts }) => drafts),
  }
}
