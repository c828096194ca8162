import { useDebouncedValue } from '@mantine/hooks'
import { queryOptions, skipToken, useQuery } from '@tanstack/react-query'
import type { VideoId } from '#contract/ids.ts'
import { call } from '#web/api/api.ts'
import { ANY_POSTS, queryClient } from '#web/api/queries.ts'
import { replaceVideos } from '#web/api/videos.ts'
import { makePoster } from './poster-frame.ts'
import { sourceKey, type VideoSource } from './video-source.ts'

/** Waits until the cover time is typed in full. */
const DEBOUNCE_MS = 400

const posterQuery = (source: VideoSource | null, coverMs: number) =>
  queryOptions({
    queryKey: ['poster', source && sourceKey(source), coverMs],
    queryFn: source === null ? skipToken : () => posterOf(source, coverMs),
    staleTime: Infinity,
    retry: false,
  })

type Poster = { readonly image: File; readonly url: string }

/** A `data:` URL needs no revocation, unlike an object URL. */
async function posterOf(source: VideoSource, coverMs: number): Promise<Poster | null> {
  const image = await makePoster(source, coverMs)
  return image && { image, url: await dataUrl(image) }
}

const dataUrl = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''))
    reader.addEventListener('error', () =>
      reject(new Error('The poster could not be read', { cause: reader.error })),
    )
    reader.readAsDataURL(file)
  })

/** URL of a frame of the video; null while there is none, or where the browser cannot make one. */
export function usePoster(source: VideoSource | null, coverMs: number): string | null {
  const [settledMs] = useDebouncedValue(coverMs, DEBOUNCE_MS)
  const wanted = posterQuery(source, settledMs)
  const poster = useQuery({
    ...wanted,
    // Another moment of the same video: the picture changes once there is the next one.
    placeholderData: (shown, query) =>
      String(query?.queryKey.slice(0, -1)) === String(wanted.queryKey.slice(0, -1)) ? shown : undefined,
  })
  return poster.data?.url ?? null
}

/** Videos whose poster was made here, or could not be: none is tried again by itself. */
const tried = new Set<VideoId>()
export const wasPosterTried = (videoId: VideoId): boolean => tried.has(videoId)

/**
 * Uploads the poster of a stored video, best effort: without one, lists show a neutral tile.
 * @param source the file that the page has, or the stored video itself
 * @param it.coverMs ms into the video; 0: no cover was chosen
 * @param it.keepExisting a poster that the video has got meanwhile stays
 */
export async function uploadPoster(
  videoId: VideoId,
  source: VideoSource,
  { coverMs = 0, keepExisting = false }: { readonly coverMs?: number; readonly keepExisting?: boolean } = {},
): Promise<void> {
  tried.add(videoId)
  try {
    const poster = await queryClient.fetchQuery(posterQuery(source, coverMs))
    if (poster === null) return
    const body = { keep_existing: keepExisting ? 'true' : 'false' } as const
    replaceVideos([await call('setVideoPoster', { params: { videoId }, body, file: poster.image })])
    await queryClient.invalidateQueries(ANY_POSTS)
  } catch {
    // The post goes out either way, and the user can do nothing about a missing poster.
  }
}
