import { screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { button, renderPart } from '#web/testing/render-app.tsx'
import { CoverStrip } from './cover-strip.tsx'

const fire = (media: HTMLMediaElement, event: string) =>
  queueMicrotask(() => media.dispatchEvent(new Event(event)))

/** A decoder that shows any moment of 40 seconds at once; a picture of it names the moment. */
function decodeVideos() {
  let shown = 0
  vi.spyOn(HTMLMediaElement.prototype, 'src', 'set').mockImplementation(function (this: HTMLMediaElement) {
    fire(this, 'loadeddata')
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
  return { seeks, released: vi.spyOn(URL, 'revokeObjectURL') }
}

const FILE = new File(['a film'], 'film.mp4', { type: 'video/mp4' })

function Strip() {
  const [coverMs, setCoverMs] = useState(11_000)
  const [isShown, setShown] = useState(true)
  return (
    <>
      <button onClick={() => setShown(false)}>Leave</button>
      {isShown && (
        <CoverStrip
          file={FILE}
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
