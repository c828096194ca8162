import { screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { VideoId } from '#contract/ids.ts'
import { PLAYBACK_FRESH_MS } from '#web/api/queries.ts'
import { api } from '#web/testing/api-stub.ts'
import { playback } from '#web/testing/data.ts'
import { button, renderPart } from '#web/testing/render-app.tsx'
import type { VideoSource } from '#web/videos/video-source.ts'
import { CoverStrip } from './cover-strip.tsx'

const fire = (media: HTMLMediaElement, event: string) =>
  queueMicrotask(() => media.dispatchEvent(new Event(event)))

/** A decoder that shows any moment of 40 seconds at once; a picture of it names the moment. */
function decodeVideos() {
  let shown = 0
  const loads = vi.spyOn(HTMLMediaElement.prototype, 'src', 'set')
  loads.mockImplementation(function (this: HTMLMediaElement) {
    // With its index alone a browser shows no frame of it yet.
    fire(this, this.preload === 'auto' ? 'loadeddata' : 'loadedmetadata')
  })
  vi.spyOn(HTMLMediaElement.prototype, 'duration', 'get').mockReturnValue(40)
  vi.spyOn(HTMLVideoElement.prototype, 'videoWidth', 'get').mockReturnValue(1080)
  vi.spyOn(HTMLVideoElement.prototype, 'videoHeight', 'get').mockReturnValue(1920)
  const seeks = vi.spyOn(HTMLMediaElement.prototype, 'currentTime', 'set')
  seeks.mockImplementation(function (this: HTMLMediaElement, seconds) {
    shown = seconds
    fire(this, 'seeked')
  })
  const context: Partial<CanvasRenderingContext2D> = { drawImage: () => undefined }
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(context as CanvasRenderingContext2D)
  vi.spyOn(HTMLCanvasElement.prototype, 'toDataURL').mockImplementation(() => `data:,${shown}`)
  return { seeks, loads, released: vi.spyOn(URL, 'revokeObjectURL') }
}

const FILE = new File(['a film'], 'film.mp4', { type: 'video/mp4' })

function Strip({ source = FILE }: { source?: VideoSource }) {
  const [coverMs, setCoverMs] = useState(11_000)
  const [isShown, setShown] = useState(true)
  return (
    <>
      <button onClick={() => setShown(false)}>Leave</button>
      {isShown && (
        <CoverStrip
          source={source}
          timing={{ durationS: 40, fps: 30 }}
          coverMs={coverMs}
          onCover={setCoverMs}
          disabled={false}
        />
      )}
    </>
  )
}

const pictures = () => screen.getAllByRole('presentation').map((image) => image.getAttribute('src'))

test('a local file is shown as ten frames and the frame of the cover', async () => {
  decodeVideos()
  const events = await renderPart(<Strip />)
  const strip = [2, 6, 10, 14, 18, 22, 26, 30, 34, 38].map((seconds) => `data:,${seconds}`)
  await waitFor(() => expect(pictures()).toEqual([...strip, 'data:,11']))
  screen.getByRole('slider', { name: 'Cover' }).focus()
  await events.keyboard('{Shift>}{ArrowRight}{/Shift}')
  await waitFor(() => expect(pictures()).toEqual([...strip, 'data:,12']))
})

test('one decoder reads the frames, and is released when the strip goes', async () => {
  const { seeks, released } = decodeVideos()
  const events = await renderPart(<Strip />)
  await waitFor(() => expect(pictures()).toHaveLength(11))
  expect(new Set(seeks.mock.contexts).size).toBe(1)
  expect(released).not.toHaveBeenCalled()
  await events.click(button('Leave'))
  await waitFor(() => expect(released).toHaveBeenCalledOnce())
})

test('a cover that is moved on before its frame was read is left out', async () => {
  const { seeks } = decodeVideos()
  const events = await renderPart(<Strip />)
  await waitFor(() => expect(pictures()).toHaveLength(11))
  // From now on the decoder takes its time.
  const waiting: (() => void)[] = []
  seeks.mockImplementation(function (this: HTMLMediaElement) {
    waiting.push(() => this.dispatchEvent(new Event('seeked')))
  })
  seeks.mockClear()
  screen.getByRole('slider', { name: 'Cover' }).focus()
  await events.keyboard('{Shift>}{ArrowRight}{ArrowRight}{ArrowRight}{ArrowRight}{/Shift}')
  await waitFor(() => expect(waiting).toHaveLength(1))
  waiting.shift()?.()
  await waitFor(() => expect(seeks.mock.calls).toEqual([[12], [15]]))
  waiting.shift()?.()
})

const STORED = { videoId: VideoId.parse(7) }

test('a stored video is shown as frames, read from the address that plays it', async () => {
  const { loads } = decodeVideos()
  await renderPart(<Strip source={STORED} />)
  await waitFor(() => expect(pictures()).toHaveLength(11))
  expect(loads.mock.calls).toEqual([['/media/an-hour.mp4']])
  expect(api.calls('createPlayback')).toMatchObject([{ params: { videoId: '7' } }])
  expect(screen.queryByText(/can't be shown/)).toBeNull()
})

test('frames of a stored video go on from a new address once the first has ended', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { loads } = decodeVideos()
  const events = await renderPart(<Strip source={STORED} />)
  await waitFor(() => expect(pictures()).toHaveLength(11))
  vi.setSystemTime(Date.now() + PLAYBACK_FRESH_MS)
  api.reply('createPlayback', playback({ url: '/media/another-hour.mp4' }))
  screen.getByRole('slider', { name: 'Cover' }).focus()
  await events.keyboard('{Shift>}{ArrowRight}{/Shift}')
  await waitFor(() => expect(pictures()).toContain('data:,12'))
  expect(loads.mock.calls).toEqual([['/media/an-hour.mp4'], ['/media/another-hour.mp4']])
})

test('a stored video that cannot be reached says so, and its time still counts', async () => {
  decodeVideos()
  api.refuse('createPlayback', 'not_found', "This video doesn't exist.")
  const events = await renderPart(<Strip source={STORED} />)
  expect(await screen.findByText(/^Frames of this video can't be shown here\./)).toBeVisible()
  screen.getByRole('slider', { name: 'Cover' }).focus()
  await events.keyboard('{Shift>}{ArrowRight}{/Shift}')
  expect(screen.getByText('Cover 0:12')).toBeVisible()
})
