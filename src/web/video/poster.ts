import { useDebouncedValue } from '@mantine/hooks'
import { queryOptions, skipToken, useQuery } from '@tanstack/react-query'
import type { VideoId } from '#contract/ids.ts'
import { call } from '#web/client/api.ts'
import { ANY_POSTS, queryClient } from '#web/client/queries.ts'
import { makePoster } from './poster-frame.ts'

/** A cover's time is typed digit by digit. */
const TYPED_MS = 400

const posterQuery = (file: File | null, coverMs: number) =>
  queryOptions({
    queryKey: ['poster', file?.name, file?.size, file?.lastModified, coverMs],
    queryFn: file === null ? skipToken : () => posterOf(file, coverMs),
    staleTime: Infinity,
    retry: false,
  })

type Poster = { readonly picture: File; readonly url: string }

/** The `data:` address needs no one to take it back, as an object's would. */
async function posterOf(file: File, coverMs: number): Promise<Poster | null> {
  const picture = await makePoster(file, coverMs)
  return picture && { picture, url: await dataUrl(picture) }
}

const dataUrl = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''))
    reader.addEventListener('error', () =>
      reject(new Error('The picture could not be read', { cause: reader.error })),
    )
    reader.readAsDataURL(file)
  })

/** The address of a frame of the chosen video, here in the browser; null while there is none, or can be none. */
export function usePoster(file: File | null, coverMs: number): string | null {
  const [settledMs] = useDebouncedValue(coverMs, TYPED_MS)
  const poster = useQuery(posterQuery(file, settledMs))
  return poster.data?.url ?? null
}

/**
 * Gives a video that the server has taken its picture. After the fact and as well as can be: never awaited by what it follows,
 * and without one the neutral tile stays.
 * @param coverMs ms into the video; 0: nobody chose a cover
 */
export async function sendPoster(videoId: VideoId, file: File, coverMs = 0): Promise<void> {
  try {
    const poster = await queryClient.fetchQuery(posterQuery(file, coverMs))
    if (poster === null) return
    await call('setVideoPoster', { params: { videoId }, body: {}, file: poster.picture })
    await queryClient.invalidateQueries(ANY_POSTS)
  } catch {
    // The post is out either way, and nobody can do anything about a missing picture.
  }
}
