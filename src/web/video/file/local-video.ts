/** A local file in a `<video>`, which decodes it. `release` frees the decoder at once: phones have few. */
export type LocalVideo = { readonly video: HTMLVideoElement; readonly release: () => void }

/** Null where the browser cannot decode the file, or takes too long. */
export async function openVideo(file: File, timeout: AbortSignal): Promise<LocalVideo | null> {
  const url = URL.createObjectURL(file)
  const video = document.createElement('video')
  video.muted = true
  video.playsInline = true
  video.preload = 'auto'
  const release = () => {
    video.removeAttribute('src')
    video.load()
    URL.revokeObjectURL(url)
  }
  const loaded = eventFired(video, 'loadeddata', timeout)
  video.src = url
  if ((await loaded) && video.videoWidth > 0) return { video, release }
  release()
  return null
}

/** Shows the frame of this moment. @returns whether it did */
export function seek(video: HTMLVideoElement, seconds: number, timeout: AbortSignal): Promise<boolean> {
  const seeked = eventFired(video, 'seeked', timeout)
  video.currentTime = seconds
  return seeked
}

/** Whether the event fires before an error or the timeout. */
function eventFired(
  video: HTMLVideoElement,
  event: 'loadeddata' | 'seeked',
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
