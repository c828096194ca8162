import { readFileSync } from 'node:fs'
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { useLayoutEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { expect, test, vi } from 'vitest'
import { Video } from '#contract/videos.ts'
import { api } from '#web/testing/api-stub.ts'
import { video, videosPage } from '#web/testing/data.ts'
import { tus } from '#web/testing/tus-stub.ts'
import { button, findAlert, renderPart } from '#web/testing/render-app.tsx'
import UploadDock from '#web/videos/upload-dock.tsx'
import { useUpload } from '#web/videos/use-upload.ts'
import { fileOfPost, isOnItsWay } from './use-post-video.ts'
import { VideoBlock } from './video-block.tsx'

// Vitest runs in the project's folder; jsdom's URL is not Node's.
const GOOD = readFileSync('test/fixtures/good.mp4')
const SIZE = GOOD.length
const HALF = Math.ceil(SIZE / 2)
const fileOf = (name: string, bytes: BlobPart = new Uint8Array(GOOD)) =>
  new File([bytes], name, { type: 'video/mp4' })
const tart = () => fileOf('tart.mp4')
const stored = video({ video_id: 7, filename: 'tart.mp4', size: SIZE })

const onVideo = vi.fn<(taken: Video | null) => void>()
const onCover = vi.fn<(ms: number) => void>()
const onUpload = vi.fn<(state: { uploading: boolean }) => void>()

/** A post that keeps what the block hands over, and a way to another screen and back. */
function Post({ first = null, firstMs = 0 }: { first?: Video | null; firstMs?: number }) {
  const [taken, setTaken] = useState(first)
  const [coverMs, setCoverMs] = useState(firstMs)
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const isHere = pathname === '/'
  const { upload } = useUpload<Video>('compose')
  const file = fileOfPost(upload, taken)
  const uploading = isOnItsWay(upload, taken)
  useLayoutEffect(() => onUpload({ uploading }), [uploading])
  return (
    <>
      <button onClick={() => void navigate(isHere ? '/queue' : '/')}>{isHere ? 'Leave' : 'Return'}</button>
      <UploadDock />
      <p>The preview has {file?.name ?? 'no file'}</p>
      {isHere && (
        <VideoBlock
          video={taken}
          onVideo={(next) => {
            onVideo(next)
            setTaken(next)
          }}
          coverMs={coverMs}
          onCover={(ms) => {
            onCover(ms)
            setCoverMs(ms)
          }}
          disabled={false}
          draftId="compose"
          planFile={() => null}
        />
      )}
    </>
  )
}

async function open(post = <Post />): Promise<UserEvent> {
  for (const spy of [onVideo, onCover, onUpload]) spy.mockClear()
  tus.becomes(() => Video.parse(stored))
  return renderPart(post)
}

const choose = (events: UserEvent, file: File) =>
  events.upload(screen.getByLabelText('Video file', { selector: 'input' }), file)

/** The bytes of the running upload, once they are sent. */
const sentPart = async (count = 1) => {
  await waitFor(() => expect(tus.parts()).toHaveLength(count))
  const part = tus.parts().at(-1)
  if (!part) throw new Error('no upload')
  return part
}
const report = async (sent: number) => {
  const part = await sentPart()
  act(() => part.report(sent))
}
const dock = () => screen.queryByRole('region', { name: 'Uploads' })
const isUploading = () => onUpload.mock.lastCall?.[0].uploading

test('a chosen file is uploaded at once, and the stored video is handed over', async () => {
  const events = await open()
  const release = tus.hold()
  await choose(events, tart())
  await report(HALF)
  expect(await screen.findByText('Uploading 50%')).toBeVisible()
  expect(screen.getByText(/^[\d.]+ of [\d.]+ [kM]B/)).toBeVisible()
  expect(screen.getByText(/\d+ × \d+ · \d+ fps · H\.264/)).toBeVisible()
  expect([isUploading(), onVideo.mock.calls]).toEqual([true, []])
  release()
  await waitFor(() => expect(onVideo).toHaveBeenCalledExactlyOnceWith(Video.parse(stored)))
  expect(await screen.findByText('Uploaded')).toBeVisible()
  expect(isUploading()).toBe(false)
})

test('a file whose last byte was sent is not called uploaded before the server says so', async () => {
  const events = await open()
  const release = tus.hold()
  await choose(events, tart())
  await report(SIZE)
  expect(await screen.findByText('Sent. The server is checking the video …')).toBeVisible()
  expect(screen.queryByText('Uploaded')).toBeNull()
  release()
  expect(await screen.findByText('Uploaded')).toBeVisible()
})

test('an upload goes on while another screen is shown, and is shown again on return', async () => {
  const events = await open()
  const release = tus.hold()
  await choose(events, tart())
  await report(HALF)
  expect(dock()).toBeNull()
  await events.click(button('Leave'))
  expect(within(await screen.findByRole('region', { name: 'Uploads' })).getByRole('link')).toHaveAttribute(
    'href',
    '/',
  )
  await events.click(button('Return'))
  expect(await screen.findByText('Uploading 50%')).toBeVisible()
  expect(dock()).toBeNull()

  await events.click(button('Leave'))
  release()
  await waitFor(() => expect(dock()).toBeNull())
  expect(onVideo).not.toHaveBeenCalled()
  await events.click(button('Return'))
  await waitFor(() => expect(onVideo).toHaveBeenCalledExactlyOnceWith(Video.parse(stored)))
  expect(screen.getByText('tart.mp4')).toBeVisible()
  expect(tus.parts()).toHaveLength(1)
})

test('a cancelled upload leaves the drop zone, and says what was stored', async () => {
  const events = await open()
  tus.hold()
  await choose(events, tart())
  await report(1)
  await events.click(await screen.findByRole('button', { name: 'Cancel' }))
  await findAlert('Upload cancelled.')
  expect(button('Choose a video')).toBeEnabled()
  expect(onVideo).not.toHaveBeenCalled()
  expect(isUploading()).toBe(false)
})

test('a refused upload says why, and can be tried again', async () => {
  const events = await open()
  const body = { code: 'too_many_requests', message: 'Cancel an unfinished upload first.' }
  tus.onOther((method) => (method === 'POST' ? { status: 429, body } : null))
  await choose(events, tart())
  await findAlert('The video is not uploaded. Cancel an unfinished upload first.')
  tus.onOther(() => null)
  await events.click(button('Try again'))
  await waitFor(() => expect(onVideo).toHaveBeenCalledExactlyOnceWith(Video.parse(stored)))
})

test('where the answer was lost, the video is found instead of being stored twice', async () => {
  const events = await open()
  tus.onPart((part) => {
    part.arrive(part.size)
    return 'disconnected'
  })
  await choose(events, tart())
  await waitFor(() => expect(onVideo).toHaveBeenCalledExactlyOnceWith(Video.parse(stored)))
  expect(tus.parts()).toHaveLength(1)
})

test('an upload can be paused and continued, in the block and in the dock of other screens', async () => {
  const events = await open()
  tus.hold()
  await choose(events, tart())
  await report(HALF)
  await events.click(await screen.findByRole('button', { name: 'Pause' }))
  expect(await screen.findByText('Paused at 50%')).toBeVisible()
  await events.click(button('Leave'))
  expect(await screen.findByText(/^Paused · [\d.]+ of [\d.]+ [kM]B$/)).toBeVisible()
  tus.onPart(() => null)
  await events.click(button('Continue the upload of tart.mp4'))
  await waitFor(() => expect(dock()).toBeNull())
  await events.click(button('Return'))
  await waitFor(() => expect(onVideo).toHaveBeenCalledExactlyOnceWith(Video.parse(stored)))
})

test('a lost line is waited for in words, without a guess of the time left', async () => {
  const events = await open()
  tus.onPart((part) => {
    part.report(HALF)
    part.arrive(HALF)
    return 'disconnected'
  })
  tus.onOther((method) => (method === 'GET' ? 'disconnected' : null))
  await choose(events, tart())
  expect(await screen.findByText('Waiting for the network')).toBeVisible()
  expect(screen.getByText(/^[\d.]+ of [\d.]+ [kM]B$/)).toBeVisible()
  tus.onOther(() => null)
  tus.onPart(() => null)
  act(() => void window.dispatchEvent(new Event('online')))
  await waitFor(() => expect(onVideo).toHaveBeenCalledExactlyOnceWith(Video.parse(stored)))
})

test('the preview has the local file as long as its video is the chosen one', async () => {
  const events = await open()
  const release = tus.hold()
  await choose(events, tart())
  expect(await screen.findByText('The preview has tart.mp4')).toBeVisible()
  release()
  await screen.findByText('Uploaded')
  expect(screen.getByText('The preview has tart.mp4')).toBeVisible()
  await events.click(button('Replace'))
  await events.click(await screen.findByRole('menuitem', { name: 'Remove from post' }))
  expect(screen.getByText('The preview has no file')).toBeVisible()
  expect(onVideo).toHaveBeenLastCalledWith(null)
})

test('a file that is no video is named so and not sent', async () => {
  const events = await open()
  await choose(events, fileOf('notes.mp4', 'Flour, butter, lemons'))
  await findAlert('Please select a valid video file')
  expect(button('Choose a video')).toBeEnabled()
  expect(tus.requests()).toEqual([])
})

test('a file that is no video leaves the video and the cover of the post as they are', async () => {
  const events = await open(<Post first={Video.parse(stored)} firstMs={2000} />)
  await choose(events, fileOf('notes.mp4', 'Flour, butter, lemons'))
  await findAlert('Please select a valid video file')
  expect(screen.getByText('tart.mp4')).toBeVisible()
  expect([onVideo.mock.calls, onCover.mock.calls]).toEqual([[], []])
  await choose(events, tart())
  await waitFor(() => expect(onVideo).toHaveBeenLastCalledWith(Video.parse(stored)))
  expect(onVideo.mock.calls[0]).toEqual([null])
  expect(onCover).toHaveBeenLastCalledWith(0)
  expect(screen.queryByRole('alert')).toBeNull()
})

test('a dropped file is uploaded like a chosen one', async () => {
  await open()
  const zone = screen.getByText(/^Or drop it here/).parentElement
  if (!zone) throw new Error('no drop zone')
  fireEvent.drop(zone, { dataTransfer: { files: [tart()] } })
  await waitFor(() => expect(onVideo).toHaveBeenCalledExactlyOnceWith(Video.parse(stored)))
})

test('replacing a file whose upload runs cancels it and uploads the other', async () => {
  const events = await open()
  const release = tus.hold()
  await choose(events, tart())
  await sentPart()
  await choose(events, fileOf('pie.mp4'))
  const second = await sentPart(2)
  expect(second.filename).toBe('pie.mp4')
  expect(tus.requests()).toContain('DELETE 1')
  release()
  await waitFor(() => expect(onVideo).toHaveBeenLastCalledWith(Video.parse(stored)))
  expect(screen.getByText('pie.mp4')).toBeVisible()
})

test('a video of the library is found by its name and takes the place of the other', async () => {
  // The list renders what is in view, and jsdom lays nothing out.
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600)
  const events = await open(<Post first={Video.parse(stored)} firstMs={2000} />)
  const [plum, lemon] = [
    video({ video_id: 9, filename: 'Plum pie.mp4' }),
    video({ video_id: 8, filename: 'Lemon pie.mp4' }),
  ]
  api.reply('getLibrary', {
    videos: 3,
    unused: 3,
    tags: [],
    storage: { used_bytes: 3000, quota_bytes: null },
  })
  api.reply('listVideos', videosPage(plum, lemon, stored))
  await events.click(button('Replace'))
  await events.click(await screen.findByRole('menuitem', { name: 'Choose from library' }))
  const library = within(await screen.findByRole('dialog', { name: 'Choose from library' }))
  await waitFor(() =>
    expect(
      library.getAllByRole('gridcell').map((card) => /[A-Za-z][A-Za-z ]*\.mp4/.exec(card.textContent)?.[0]),
    ).toEqual(['Plum pie.mp4', 'Lemon pie.mp4', 'tart.mp4']),
  )
  api.reply('listVideos', videosPage(lemon))
  await events.type(library.getByRole('searchbox', { name: 'Search name or tag' }), 'pie lem')
  await waitFor(() => expect(library.getAllByRole('gridcell')).toHaveLength(1))
  expect(api.calls('listVideos').at(-1)?.query).toMatchObject({ search: 'pie lem' })
  await events.click(library.getByRole('gridcell', { name: / Lemon pie\.mp4 / }))
  expect(onVideo.mock.lastCall?.[0]?.video_id).toBe(8)
  expect(onCover).toHaveBeenLastCalledWith(0)
  expect(await screen.findByText('Lemon pie.mp4')).toBeVisible()
})

test('the cover is moved by keys: a frame, with Shift a second, Home and End', async () => {
  const events = await open(<Post first={Video.parse(stored)} />)
  const slider = screen.getByRole('slider', { name: 'Cover' })
  slider.focus()
  await events.keyboard('{ArrowRight}')
  expect(onCover).toHaveBeenLastCalledWith(34)
  await events.keyboard('{Shift>}{ArrowRight}{/Shift}')
  expect(slider).toHaveAttribute('aria-valuetext', '0:01.03 of 0:04')
  await events.keyboard('{End}')
  expect(onCover).toHaveBeenLastCalledWith(3967)
  await events.keyboard('{Home}')
  expect(onCover).toHaveBeenLastCalledWith(0)
  fireEvent.change(slider, { target: { value: '2000' } })
  expect(onCover).toHaveBeenLastCalledWith(2000)
})

test('where the browser cannot decode a file, the strip says so and its time still counts', async () => {
  const events = await open()
  await choose(events, tart())
  expect(await screen.findByText(/^This browser can't show frames of this video/)).toBeVisible()
  screen.getByRole('slider', { name: 'Cover' }).focus()
  await events.keyboard('{ArrowRight}')
  expect(onCover).toHaveBeenCalledOnce()
})
