import { VIDEO_NAME_MAX_CHARS } from '#contract/limits.ts'
import type { Video } from '#contract/videos.ts'
import { call } from '#web/client/api.ts'
import { queryClient, videosQuery } from '#web/client/queries.ts'
import type { UploadControls, UploadTask } from './upload-file.ts'

const CANCELLED = 'Upload cancelled. Nothing was stored.'
const STORED = 'The upload finished before you cancelled it: the video is stored. Nothing was posted.'
const NOT_YET_STORED =
  "Upload cancelled. Most of it was sent, but the server hasn't stored the video so far. Nothing was posted."
const LIST_TIMEOUT_MS = 20_000

/** Uploads a video for later posts. */
export async function storeVideo(file: File, controls: UploadControls): Promise<Video> {
  const video = await call('uploadVideo', { body: {}, file, ...controls })
  void queryClient.invalidateQueries(videosQuery)
  return video
}

/** The stored video of this name and size, newest first; undefined: there is none, or not yet. */
export async function findStored({ name, size }: Pick<File, 'name' | 'size'>): Promise<Video | undefined> {
  const { videos } = await call('listVideos', {
    query: { search: name.slice(0, VIDEO_NAME_MAX_CHARS) },
    timeoutMs: LIST_TIMEOUT_MS,
  })
  return videos.find((video) => video.filename === name && video.size === size)
}

/** How the upload of a video that is stored only is cancelled. */
export const cancellingOf = (file: File): Pick<UploadTask<Video>, 'cancelledText' | 'afterCancel'> => ({
  cancelledText: CANCELLED,
  afterCancel: async (mayHaveArrived) => {
    const stored = mayHaveArrived ? await findStored(file) : undefined
    const message = stored ? STORED : mayHaveArrived ? NOT_YET_STORED : CANCELLED
    return { message, publishesNothing: true }
  },
})
