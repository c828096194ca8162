import { openVideo, seek } from './open-video.ts'
import type { VideoSource } from './video-source.ts'

/** Small pictures of a video, made one after the other by one decoder. */
export type FrameReader = {
  readonly durationS: number
  /** The frame of this moment as a `data:` URL; null where there is none, or it was aborted while it waited. */
  readonly frameAt: (seconds: number, signal?: AbortSignal) => Promise<string | null>
  readonly close: () => void
}

const HEIGHT_PX = 128
const QUALITY = 0.7
const TIMEOUT_MS = 10_000
/** The very last moment may have no frame. */
const END_S = 0.01

/** Null where the browser cannot decode or reach the video. */
export async function openFrames(source: VideoSource): Promise<FrameReader | null> {
  const open = () => openVideo(source, AbortSignal.timeout(TIMEOUT_MS))
  let opened = await open()
  if (opened === null) return null
  const { duration: durationS } = opened.video
  let isClosed = false
  let last: Promise<unknown> = Promise.resolve()
  const read = async (seconds: number): Promise<string | null> => {
    if (opened === null || opened.hasEnded()) {
      opened?.release()
      opened = await open()
    }
    return opened && frameOf(opened.video, seconds)
  }
  return {
    durationS,
    frameAt: (seconds, signal) => {
      const next = last.then(() => (isClosed || signal?.aborted ? null : read(seconds)))
      last = next
      return next
    },
    close: () => {
      isClosed = true
      void last.then(() => opened?.release())
    },
  }
}

async function frameOf(video: HTMLVideoElement, seconds: number): Promise<string | null> {
  const moment = Math.max(0, Math.min(seconds, video.duration - END_S))
  if (!(await seek(video, moment, AbortSignal.timeout(TIMEOUT_MS)))) return null
  const canvas = document.createElement('canvas')
  canvas.height = HEIGHT_PX
  canvas.width = Math.max(1, Math.round((video.videoWidth / video.videoHeight) * HEIGHT_PX))
  const context = canvas.getContext('2d')
  if (!context) return null
  context.drawImage(video, 0, 0, canvas.width, canvas.height)
  return canvas.toDataURL('image/jpeg', QUALITY)
}
