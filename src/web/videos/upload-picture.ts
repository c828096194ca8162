import { TEXTS } from '#contract/texts.ts'
import type { Picture } from '#contract/videos.ts'
import { isPictureCutOff } from '#domain/video-check/picture-end.ts'
import { call } from '#web/api/api.ts'
import { pictureQuery, queryClient } from '#web/api/queries.ts'

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

/** The platform scales down covers of more than 1080 by 1920. */
const MAX_SIDE_PX = 1920
const QUALITY = 0.92

/**
 * The picture as a JPEG in sRGB, upright and without metadata such as the place where it was taken; null where the browser
 * cannot read it.
 */
async function toJpeg(file: File): Promise<File | null> {
  // Any error here is a file that it cannot decode.
  const bitmap = await createImageBitmap(file).catch(() => null)
  if (bitmap === null) return null
  const canvas = document.createElement('canvas')
  const scale = Math.min(1, MAX_SIDE_PX / Math.max(bitmap.width, bitmap.height))
  canvas.width = Math.max(1, Math.round(bitmap.width * scale))
  canvas.height = Math.max(1, Math.round(bitmap.height * scale))
  const context = canvas.getContext('2d')
  if (context === null) return null
  // JPEG has no transparency.
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY))
  return blob && new File([blob], 'cover.jpg', { type: blob.type })
}
