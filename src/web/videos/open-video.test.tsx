import { expect, test, vi } from 'vitest'
import { fixtureFile } from '#web/testing/sample-files.ts'
import { openVideo } from './open-video.ts'

const open = () => openVideo(fixtureFile('good.mp4'), AbortSignal.timeout(60_000))

test('a video that the browser loads without a picture is not opened', async () => {
  vi.spyOn(HTMLMediaElement.prototype, 'src', 'set').mockImplementation(function load(
    this: HTMLMediaElement,
  ) {
    queueMicrotask(() => this.dispatchEvent(new Event('loadeddata')))
  })
  const width = vi.spyOn(HTMLVideoElement.prototype, 'videoWidth', 'get').mockReturnValue(360)
  expect((await open())?.video.videoWidth).toBe(360)
  width.mockReturnValue(0)
  expect(await open()).toBeNull()
})
