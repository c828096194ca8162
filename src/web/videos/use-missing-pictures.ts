import { useEffect, useRef } from 'react'
import type { VideoId } from '#contract/ids.ts'
import type { Video } from '#contract/videos.ts'
import { uploadPoster, wasPosterTried } from './poster.ts'

/** What is only scrolled past gets none. */
const SETTLED_MS = 500

/** One after the other for the whole page: phones have few decoders. */
let last: Promise<void> = Promise.resolve()

/** Makes the pictures of videos that came without one, such as those uploaded by API, while they are in view. */
export function useMissingPictures(seen: readonly Video[]): void {
  const missing = seen.filter((video) => video.poster_url === null).map(({ video_id }) => video_id)
  const wanted = useRef<readonly VideoId[]>([])
  const key = missing.join()
  useEffect(() => {
    wanted.current = key === '' ? [] : key.split(',').map((id) => Number(id) as VideoId) // joined above
    if (key === '') return
    const timer = setTimeout(() => {
      last = last.then(() => makePictures(() => wanted.current))
    }, SETTLED_MS)
    return () => clearTimeout(timer)
  }, [key])
  useEffect(
    () => () => {
      wanted.current = []
    },
    [],
  )
}

async function makePictures(wanted: () => readonly VideoId[]): Promise<void> {
  const next = () => wanted().find((videoId) => !wasPosterTried(videoId))
  for (let videoId = next(); videoId !== undefined; videoId = next())
    await uploadPoster(videoId, { videoId }, { keepExisting: true })
}
