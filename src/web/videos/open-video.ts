import { fetchVideoAddress, type VideoSource } from './video-source.ts'

/** A video in a `<video>`, which decodes it. `release` frees the decoder at once: phones have few. */
export type OpenVideo = {
  readonly video: HTMLVideoElement
  /** Nothing more of it can be fetched. */
  readonly hasEnded: () => boolean
  readonly release: () => void
}

/** Null where the browser cannot decode or reach the video, or takes too long. */
export async function openVideo(source: VideoSource, timeout: AbortSignal): Promise<OpenVideo | null> {
  const address = await fetchVideoAddress(source).catch(() => null)
  if (address === null) return null
  const isFile = source instanceof File
  const video = document.createElement('video')
  video.muted = true
  video.playsInline = true
  // A stored video is fetched in parts: its index, then only what is shown.
  video.preload = isFile ? 'auto' : 'metadata'
  const release = () => {
    video.removeAttribute('src')
    video.load()
    address.release()
  }
  const loaded = eventFired(video, isFile ? 'loadeddata' : 'loadedmetadata', timeout)
  video.src = address.url
  if ((await loaded) && video.videoWidth > 0) return { video, hasEnded: address.hasEnded, release }
  release()
  return null
}

/** Shows the frame of this moment. @returns whether it did */
export function seek(video: HTMLVideoElement, seconds: number, timeout: AbortSignal): Promise<boolean> {
  const seeked = eventFired(video, 'seeked', timeout)
  video.currentTime = seconds
  return seeked
}

/** Resolves to false after an error or the timeout. */
function eventFired(
  video: HTMLVideoElement,
  event: 'loadeddata' | 'loadedmetadata' | 'seeked',
  timeout: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    const listening = new AbortController()
    const end = (fired: boolean) => {
      listening.abort()
      resolve(fired)
    }
    const { signal } = listening
    video.addEventListener(event, () => end(true), { signal })
    video.addEventListener('error', () => end(false), { signal })
    timeout.addEventListener('abort', () => end(false), { signal })
  })
}
