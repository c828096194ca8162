/** Of a reel's cover: 1080 by 1920. More would be scaled down by the platform. */
const MAX_SIDE_PX = 1920
const QUALITY = 0.92

/**
 * The picture as a JPEG in sRGB, upright and without metadata such as the place where it was taken; null where the browser
 * cannot read it.
 */
export async function toJpeg(file: File): Promise<File | null> {
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
