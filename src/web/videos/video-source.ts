import { useMemo } from 'react'
import type { VideoId } from '#contract/ids.ts'
import type { Video } from '#contract/videos.ts'
import { PLAYBACK_FRESH_MS, playbackQuery, queryClient } from '#web/api/queries.ts'

/** The browser gets a video from a chosen file or from the server. */
export type VideoSource = File | { readonly videoId: VideoId }

/** The chosen file where the page has it, so that nothing is downloaded. */
export function useVideoSource(file: File | null, video: Video | null): VideoSource | null {
  const videoId = video?.video_id ?? null
  return useMemo(() => file ?? (videoId === null ? null : { videoId }), [file, videoId])
}

/** Tells a source from another, also in a query's key or a component's. */
export const sourceKey = (source: VideoSource): string =>
  source instanceof File
    ? [source.name, source.size, source.lastModified].join(' ')
    : `stored ${source.videoId}`

/** An address for the `src` of a `<video>`. Fetch a new one when it has ended. */
export type VideoAddress = {
  readonly url: string
  readonly hasEnded: () => boolean
  readonly release: () => void
}

/** @throws ApiProblem where the server gives none */
export async function fetchVideoAddress(source: VideoSource): Promise<VideoAddress> {
  if (source instanceof File) {
    const url = URL.createObjectURL(source)
    return { url, hasEnded: () => false, release: () => URL.revokeObjectURL(url) }
  }
  const query = playbackQuery(source.videoId)
  const { url } = await queryClient.fetchQuery(query)
  const endsAt = (queryClient.getQueryState(query.queryKey)?.dataUpdatedAt ?? 0) + PLAYBACK_FRESH_MS
  return { url, hasEnded: () => Date.now() >= endsAt, release: () => undefined }
}
