import { TEXTS } from '#contract/texts.ts'
import type { Picture } from '#contract/videos.ts'
import { isPictureCutOff } from '#domain/video-check/picture-end.ts'
import { call } from '#web/api/api.ts'
import { pictureQuery, queryClient } from '#web/api/queries.ts'
import { toJpeg } from './to-jpeg.ts'

/** The key of all uploads of pictures: a post waits until none is running. */
export const PICTURE_UPLOAD = ['upload picture']

/** @throws Error with what to tell the user */
export async function uploadPicture(file: File): Promise<Picture> {
  // A decoder would fill the missing part with grey, and what is uploaded would look whole.
  if (isPictureCutOff(new Uint8Array(await file.arrayBuffer()))) throw new Error(TEXTS.pictureCutOff)
  const jpeg = await toJpeg(file)
  if (jpeg === null) throw new Error("This browser can't read this picture. Choose a JPEG, PNG or WebP file.")
  const picture = await call('uploadPicture', { body: {}, file: jpeg })
  queryClient.setQueryData(pictureQuery(picture.picture_id).queryKey, picture)
  return picture
}
