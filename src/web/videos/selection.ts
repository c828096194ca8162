import type { VideoId } from '#contract/ids.ts'
import { VIDEOS_AT_ONCE_MAX } from '#contract/limits.ts'
import type { Video } from '#contract/videos.ts'

/** In the order in which they were selected; filters do not change it. */
export type SelectedVideos = ReadonlyMap<VideoId, Video>

export type Selection = {
  readonly videos: SelectedVideos
  /** Where a range begins, and what was selected before it; null: the next range begins anew. */
  readonly anchor: { readonly videoId: VideoId; readonly before: SelectedVideos } | null
}

export const NOTHING: Selection = { videos: new Map(), anchor: null }

/** One call takes no more: the first ones stay. */
const bounded = (videos: SelectedVideos): SelectedVideos =>
  videos.size <= VIDEOS_AT_ONCE_MAX ? videos : new Map([...videos].slice(0, VIDEOS_AT_ONCE_MAX))

/** Selects or deselects a video; a range begins there. */
export function toggle({ videos }: Selection, video: Video): Selection {
  const next = new Map(videos)
  if (!next.delete(video.video_id)) next.set(video.video_id, video)
  const kept = bounded(next)
  return { videos: kept, anchor: { videoId: video.video_id, before: kept } }
}

/** Selects all from the anchor, or else from `from`, to `to`; what only an earlier, longer range had is deselected. */
export function extend(selection: Selection, list: readonly Video[], from: Video, to: Video): Selection {
  const placeOf = (videoId: VideoId) => list.findIndex(({ video_id }) => video_id === videoId)
  const known = selection.anchor !== null && placeOf(selection.anchor.videoId) >= 0 ? selection.anchor : null
  const anchor = known ?? { videoId: from.video_id, before: selection.videos }
  const [start, end] = [placeOf(anchor.videoId), placeOf(to.video_id)].toSorted((a, b) => a - b)
  const range = list.slice(start, (end ?? 0) + 1)
  const both = new Map([...anchor.before, ...range.map((video) => [video.video_id, video] as const)])
  return { videos: bounded(both), anchor }
}

/** The next range begins where the focus is then. */
export const endRange = (selection: Selection): Selection =>
  selection.anchor === null ? selection : { ...selection, anchor: null }

/** After videos were deleted. */
export function deselect({ videos }: Selection, deleted: ReadonlySet<VideoId>): Selection {
  return { videos: new Map([...videos].filter(([videoId]) => !deleted.has(videoId))), anchor: null }
}

/** After videos were changed. */
export function withChanged({ videos, anchor }: Selection, changed: readonly Video[]): Selection {
  const next = new Map(videos)
  for (const video of changed) if (next.has(video.video_id)) next.set(video.video_id, video)
  return { videos: next, anchor }
}
