import { queryOptions, skipToken } from '@tanstack/react-query'
import type { Video } from '#contract/videos.ts'
import { call } from '#web/api/api.ts'
import { playbackQuery, queryClient } from '#web/api/queries.ts'
import { sourceKey } from './video-source.ts'

/** The ends of a video have its index and its last pictures, which differ between two videos of one size. */
const END_BYTES = 262_144
const TIMEOUT_MS = 10_000
/** So many videos of exactly the same size are compared. */
const COMPARED_MAX = 5

/**
 * The stored video that has the content of this file: it has its size, its first and its last bytes. Nothing is hashed, since a
 * file may have gigabytes. Null: there is none, or it could not be compared.
 */
export async function findSameVideo(file: File): Promise<Video | null> {
  try {
    const { videos } = await call('listVideos', {
      query: { size: file.size, limit: COMPARED_MAX },
      timeoutMs: TIMEOUT_MS,
    })
    for (const video of videos) if (video.size === file.size && (await hasSameEnds(file, video))) return video
  } catch {
    // A second copy does no harm.
  }
  return null
}

export const sameVideoQuery = (file: File | null) =>
  queryOptions({
    queryKey: ['same video', file && sourceKey(file)],
    queryFn: file === null ? skipToken : () => findSameVideo(file),
    staleTime: 0,
  })

async function hasSameEnds(file: File, { video_id }: Video): Promise<boolean> {
  const { url } = await queryClient.fetchQuery(playbackQuery(video_id))
  const ends = [
    { from: 0, to: Math.min(END_BYTES, file.size) },
    { from: Math.max(0, file.size - END_BYTES), to: file.size },
  ]
  for (const { from, to } of ends) {
    const answer = await fetch(url, {
      headers: { range: `bytes=${from}-${to - 1}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (answer.status !== 206) return false
    const [stored, own] = [
      new Uint8Array(await answer.arrayBuffer()),
      new Uint8Array(await file.slice(from, to).arrayBuffer()),
    ]
    if (stored.length !== own.length || stored.some((byte, i) => byte !== own[i])) return false
  }
  return true
}
