import { useEffect, useState } from 'react'
import { openFrames, type FrameReader } from '#web/videos/frames.ts'
import type { VideoSource } from '#web/videos/video-source.ts'

/** So many that a strip of 600 px shows what happens, and a phone has made them in a second or two. */
export const STRIP_FRAMES = 10

export type Frames = {
  /** `unreadable`: the browser cannot decode or reach this video. */
  readonly kind: 'reading' | 'readable' | 'unreadable'
  /** In order; null: not made yet. */
  readonly strip: readonly (string | null)[]
  /** The frame of the cover. */
  readonly cover: string | null
}

const EMPTY: readonly null[] = Array.from({ length: STRIP_FRAMES }, () => null)

/** Pictures of a video. The source must not change: give the component a key. */
export function useFrames(source: VideoSource, coverMs: number): Frames {
  const [reader, setReader] = useState<FrameReader | 'unreadable' | null>(null)
  const [strip, setStrip] = useState<readonly (string | null)[]>(EMPTY)
  const [cover, setCover] = useState<string | null>(null)

  useEffect(() => {
    let opened: FrameReader | null = null
    let isLeft = false
    const read = async () => {
      const made = await openFrames(source)
      opened = made
      if (isLeft) return made?.close()
      setReader(made ?? 'unreadable')
      if (made === null) return
      for (const frame of EMPTY.keys()) {
        const url = await made.frameAt(((frame + 0.5) / STRIP_FRAMES) * made.durationS)
        if (isLeft) return
        setStrip((before) => before.with(frame, url))
      }
    }
    void read()
    return () => {
      isLeft = true
      opened?.close()
    }
  }, [source])

  useEffect(() => {
    if (reader === null || reader === 'unreadable') return
    // While the cover is dragged, the moments in between are left out.
    const superseded = new AbortController()
    void reader.frameAt(coverMs / 1000, superseded.signal).then(
      (url) => url !== null && setCover(url),
      () => undefined,
    )
    return () => superseded.abort()
  }, [reader, coverMs])

  const kind = reader === null ? 'reading' : reader === 'unreadable' ? reader : 'readable'
  return { kind, strip, cover }
}
