import { POSTER_MAX_BYTES, POSTER_MAX_SIDE_PX } from '#contract/limits.ts'
import { openVideo, seek } from './open-video.ts'
import type { VideoSource } from './video-source.ts'

/** By then most videos have faded in. */
const DEFAULT_S = 1
/** Fractions of the duration to try if that frame is black. */
const FALLBACKS = [0.25, 0.5, 0.75]
/** The very last moment may have no frame. */
const END_S = 0.05
/** Average luma (of 255) below which a frame counts as black. */
const DARK = 20
const QUALITY = 0.82
const TIMEOUT_MS = 15_000

/** In seconds, best first. A chosen cover is used even if it is black. */
export function momentsToTry(coverMs: number, durationS: number): number[] {
  if (!Number.isFinite(durationS)) return [coverMs > 0 ? coverMs / 1000 : DEFAULT_S]
  const within = (seconds: number) => Math.max(0, Math.min(seconds, durationS - END_S))
  if (coverMs > 0) return [within(coverMs / 1000)]
  return [within(DEFAULT_S), ...FALLBACKS.map((share) => within(durationS * share))]
}

/** Keeps the aspect ratio within the poster's limit. */
export function posterSize(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, POSTER_MAX_SIDE_PX / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** Samples every sixteenth pixel (RGBA; luma by ITU-R BT.601). */
export function isDark(pixels: Uint8ClampedArray): boolean {
  let sum = 0
  let count = 0
  for (let at = 0; at + 2 < pixels.length; at += 64) {
    sum += 0.299 * (pixels[at] ?? 0) + 0.587 * (pixels[at + 1] ?? 0) + 0.114 * (pixels[at + 2] ?? 0)
    count += 1
  }
  return count > 0 && sum / count < DARK
}

/**
 * One frame of a video as a small JPEG, decoded by a `<video>`; null where the browser cannot, or takes too long.
 * @param coverMs ms into the video; 0: no cover was chosen
 */
export async function makePoster(source: VideoSource, coverMs: number): Promise<File | null> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const opened = await openVideo(source, timeout)
  if (opened === null) return null
  try {
    return await firstBrightFrame(opened.video, momentsToTry(coverMs, opened.video.duration), timeout)
  } finally {
    opened.release()
  }
}

/** The first of these moments that is not black, or else the first of them. */
async function firstBrightFrame(
  video: HTMLVideoElement,
  moments: readonly number[],
  timeout: AbortSignal,
): Promise<File | null> {
  let first: File | null = null
  for (const moment of moments) {
    if (!(await seek(video, moment, timeout))) return first
    const frame = draw(video)
    if (frame === null) return first
    first ??= await jpegOf(frame.canvas)
    if (!frame.dark) return moment === moments[0] ? first : jpegOf(frame.canvas)
  }
  return first
}

function draw(video: HTMLVideoElement): { canvas: HTMLCanvasElement; dark: boolean } | null {
  const canvas = document.createElement('canvas')
  const { width, height } = posterSize(video.videoWidth, video.videoHeight)
  canvas.width = width
  canvas.height = height
  const context = canvas.getContext('2d')
  if (!context) return null
  context.imageSmoothingQuality = 'high'
  context.drawImage(video, 0, 0, width, height)
  return { canvas, dark: isDark(context.getImageData(0, 0, width, height).data) }
}

const jpegOf = (canvas: HTMLCanvasElement): Promise<File | null> =>
  new Promise((resolve) =>
    canvas.toBlob(
      (blob) =>
        resolve(
          blob !== null && blob.size <= POSTER_MAX_BYTES
            ? new File([blob], 'poster.jpg', { type: blob.type })
            : null,
        ),
      'image/jpeg',
      QUALITY,
    ),
  )
