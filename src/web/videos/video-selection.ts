import type { VideoId } from '#contract/ids.ts'
import { VIDEOS_AT_ONCE_MAX } from '#contract/limits.ts'
import type { Video } from '#contract/videos.ts'
import { type Selection, selectionBy } from '#web/lib/selection.ts'

export type VideoSelection = Selection<VideoId, Video>

export const videoSelection = selectionBy(({ video_id }: Video) => video_id, VIDEOS_AT_ONCE_MAX)
