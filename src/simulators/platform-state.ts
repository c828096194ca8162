import { settleLatePublishes } from './instagram/state/late-publishes.ts'
import { settleLateComments } from './instagram/comments.ts'
import { liveReels, type Instagram } from './instagram/state/state.ts'
import { containerState } from './instagram/publish.ts'
import type { PlatformName } from './kit/faults.ts'
import type { LivePost } from './kit/live-post.ts'
import type { YouTube } from './youtube/state.ts'
import { livePosts as liveVideos, pendingVideos } from './youtube/videos.ts'
import { settle } from './tiktok/state/processing.ts'
import { inboxDrafts, livePosts, type InboxDraft, type TikTok } from './tiktok/state/state.ts'

export interface Platforms {
  tiktok: TikTok
  instagram: Instagram
  youtube: YouTube
}

/** Carries out what has become due by the clock: nothing does so until the state is read. */
function settleAll({ tiktok, instagram }: Platforms): void {
  settle(tiktok)
  settleLatePublishes(instagram)
  settleLateComments(instagram)
}

export function allPosts(platforms: Platforms, origin: string): LivePost[] {
  settleAll(platforms)
  const { tiktok, instagram, youtube } = platforms
  return [
    ...livePosts(tiktok, origin),
    ...liveReels(instagram, origin),
    ...liveVideos(youtube, origin),
  ].toSorted((a, b) => a.created_at.localeCompare(b.created_at))
}

export function allDrafts(platforms: Platforms): InboxDraft[] {
  settleAll(platforms)
  return inboxDrafts(platforms.tiktok)
}

/** Work that may still become a post or comment without another call. The posts are final once it is empty. */
export function pendingPosts(
  platforms: Platforms,
): { platform: PlatformName; account: string; state: string }[] {
  settleAll(platforms)
  const { tiktok, instagram, youtube } = platforms
  const tasks = tiktok.tasks
    .all()
    .filter(
      ({ progress, stuck }) =>
        !stuck && (progress.state === 'processing' || progress.state === 'downloading'),
    )
  const containers = instagram.containers
    .all()
    .filter((each) => containerState(instagram, each) === 'IN_PROGRESS' && !each.stuck)
  return [
    ...tasks.map((task) => ({ platform: 'tiktok' as const, account: task.username, state: 'processing' })),
    ...containers.map((each) => ({
      platform: 'instagram' as const,
      account: each.username,
      state: 'processing',
    })),
    ...pendingVideos(youtube).map(({ username }) => ({
      platform: 'youtube' as const,
      account: username,
      state: 'processing',
    })),
    ...instagram.lateComments
      .all()
      .map(({ username }) => ({ platform: 'instagram' as const, account: username, state: 'late_comment' })),
    ...instagram.latePublishes.all().flatMap(({ container_id }) => {
      const account = instagram.containers.get(container_id)?.username
      return account === undefined ? [] : [{ platform: 'instagram' as const, account, state: 'late_publish' }]
    }),
  ]
}
