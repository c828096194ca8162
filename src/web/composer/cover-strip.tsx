import { Box, Group, Text } from '@mantine/core'
import { useId, type KeyboardEvent, useEffect, useState } from 'react'
import { formatPlayTime } from '#web/lib/amounts.ts'
import type { VideoSource } from '#web/videos/video-source.ts'
import { frameMs, lastMoment, momentAfterKey, momentText, snapToFrame, type Timing } from './cover-moments.ts'
import classes from './video.module.css'
import { openFrames, type FrameReader } from '#web/videos/frames.ts'

type Props = {
  /** Give the component a key for each. */
  source: VideoSource
  timing: Timing
  coverMs: number
  onCover: (ms: number) => void
  /** Says which accounts show it. */
  use?: string
  disabled: boolean
}

/** Chooses the cover on a strip of frames: a slider by mouse, touch and keyboard. */
export function CoverStrip({
  source,
  timing,
  coverMs,
  onCover,
  use = 'All accounts use it.',
  disabled,
}: Props) {
  const hintId = useId()
  const frames = useFrames(source, coverMs)
  const lastMs = lastMoment(timing)
  const shownMs = Math.min(coverMs, lastMs)
  const choose = (ms: number) => ms !== coverMs && onCover(ms)

  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const ms = momentAfterKey(shownMs, event, timing)
    if (ms === null) return
    event.preventDefault()
    choose(ms)
  }
  return (
    <Box miw={0}>
      <div className={classes.strip}>
        <Pictures frames={frames} />
        <input
          type="range"
          className={classes.slider}
          aria-label="Cover"
          min={0}
          max={lastMs}
          step={frameMs(timing)}
          value={shownMs}
          aria-valuetext={`${momentText(shownMs)} of ${formatPlayTime(timing.durationS)}`}
          aria-describedby={hintId}
          disabled={disabled}
          onKeyDown={press}
          onChange={(event) => choose(snapToFrame(event.currentTarget.valueAsNumber, timing))}
        />
        <span className={classes.track}>
          <span className={classes.thumb} style={{ left: `${lastMs > 0 ? (shownMs / lastMs) * 100 : 0}%` }}>
            {frames.cover !== null && <img src={frames.cover} alt="" draggable={false} />}
          </span>
        </span>
      </div>
      <Group justify="space-between" align="start" wrap="nowrap" gap="sm" mt="0.375rem" fz="xs" lh="xs">
        <span>
          <Box component="strong" fw={600}>
            Cover {momentText(shownMs)}
          </Box>{' '}
          <Box component="span" id={hintId} c="dimmed">
            <span className={classes.long}>Drag, or use the arrow keys. {use}</span>
            <span className={classes.short}>Drag to choose.</span>
          </Box>
        </span>
        <Box component="span" c="dimmed">
          {formatPlayTime(timing.durationS)}
        </Box>
      </Group>
      {frames.kind === 'unreadable' && (
        <Text c="dimmed" size="xs" mt="0.25rem">
          {source instanceof File
            ? "This browser can't show frames of this video."
            : "Frames of this video can't be shown here."}{' '}
          The time above is still used.
        </Text>
      )}
    </Box>
  )
}

const Pictures = ({ frames }: { frames: Frames }) => (
  <span className={classes.frames}>
    {frames.strip.map((url, place) => (
      // oxlint-disable-next-line react/no-array-index-key -- a place in the strip is what it is
      <span key={place} className={classes.frame}>
        {url !== null && <img src={url} alt="" draggable={false} />}
      </span>
    ))}
  </span>
)

/** So many that a strip of 600 px shows what happens, and a phone has made them in a second or two. */
const STRIP_FRAMES = 10

type Frames = {
  /** `unreadable`: the browser cannot decode or reach this video. */
  readonly kind: 'reading' | 'readable' | 'unreadable'
  /** In order; null: not made yet. */
  readonly strip: readonly (string | null)[]
  /** The frame of the cover. */
  readonly cover: string | null
}

const EMPTY: readonly null[] = Array.from({ length: STRIP_FRAMES }, () => null)

/** Pictures of a video. The source must not change: give the component a key. */
function useFrames(source: VideoSource, coverMs: number): Frames {
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
