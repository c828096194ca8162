import { POSTER_MAX_BYTES, POSTER_MAX_SIDE_PX } from '#contract/limits.ts'

/** A second in, most videos have begun. */
const USUAL_S = 1
/** Where to look when that is black. */
const SHARES = [0.25, 0.5, 0.75]
/** A frame at the very end may not be there any more. */
const END_S = 0.05
/** Luma of 255 below which a picture is as good as black. */
const DARK = 20
const QUALITY = 0.82
const GIVE_UP_MS = 15_000

/** In seconds, the best first. A cover that somebody chose is what they want to see, whatever it shows. */
export function momentsToTry(coverMs: number, durationS: number): number[] {
  if (!Number.isFinite(durationS)) return [coverMs > 0 ? coverMs / 1000 : USUAL_S]
  const within = (seconds: number) => Math.max(0, Math.min(seconds, durationS - END_S))
  if (coverMs > 0) return [within(coverMs / 1000)]
  return [within(USUAL_S), ...SHARES.map((share) => within(durationS * share))]
}

/** The same shape, no larger than a picture may be. */
export function posterSize(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, POSTER_MAX_SIDE_PX / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** Judged by every sixteenth pixel (RGBA; luma by ITU-R BT.601). */
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
 * One frame of a video that is still on the user's machine, as a small JPEG. By a `<video>`, because every browser that can play
 * the file can do this too, on any origin; null where it cannot, or takes too long.
 * @param coverMs ms into the video; 0: nobody chose a cover
 */
export async function makePoster(file: File, coverMs: number): Promise<File | null> {
  const url = URL.createObjectURL(file)
  const video = document.createElement('video')
  video.muted = true
  video.playsInline = true
  video.preload = 'auto'
  const tooLong = AbortSignal.timeout(GIVE_UP_MS)
  try {
    const loaded = happens(video, 'loadeddata', tooLong)
    video.src = url
    if (!(await loaded) || video.videoWidth === 0) return null
    return await firstBright(video, momentsToTry(coverMs, video.duration), tooLong)
  } finally {
    // Lets go of the decoder at once, of which a phone has few.
    video.removeAttribute('src')
    video.load()
    URL.revokeObjectURL(url)
  }
}

/** The first of these moments that is not black; where all are, the first of them. */
async function firstBright(
  video: HTMLVideoElement,
  moments: readonly number[],
  tooLong: AbortSignal,
): Promise<File | null> {
  let first: File | null = null
  for (const moment of moments) {
    const there = happens(video, 'seeked', tooLong)
    video.currentTime = moment
    if (!(await there)) return first
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

/** Whether it does before the video turns out unplayable, or the time is up. */
function happens(
  video: HTMLVideoElement,
  event: 'loadeddata' | 'seeked',
  tooLong: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    const listening = new AbortController()
    const end = (happened: boolean) => {
      listening.abort()
      resolve(happened)
    }
    const { signal } = listening
    video.addEventListener(event, () => end(true), { signal })
    video.addEventListener('error', () => end(false), { signal })
    tooLong.addEventListener('abort', () => end(false), { signal })
  })
}
