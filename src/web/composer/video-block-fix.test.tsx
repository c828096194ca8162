import { screen, waitFor } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { useLayoutEffect, useState } from 'react'
import { beforeAll, expect, test, vi } from 'vitest'
import { Video } from '#contract/videos.ts'
import { planFix, planNeededFix } from '#domain/video-check/fix-plan.ts'
import { BROWSER_NOTIFICATIONS_KEY } from '#web/lib/storage-keys.ts'
import { api } from '#web/testing/api-stub.ts'
import { allowInBrowser } from '#web/testing/browser-notifications.ts'
import { video } from '#web/testing/data.ts'
import { fixtureFile, matroskaFile } from '#web/testing/sample-files.ts'
import { tus } from '#web/testing/tus-stub.ts'
import { button, findAlert, renderPart } from '#web/testing/render-app.tsx'
import { uploadFixed } from '#web/videos/upload-video.ts'
import { useUpload } from '#web/videos/use-upload.ts'
import { isAsking, isOnItsWay } from './use-post-video.ts'
import { VideoBlock } from './video-block.tsx'

const stored = video({ video_id: 7, filename: 'tart.mp4' })
const onCover = vi.fn<(ms: number) => void>()
const onUpload = vi.fn<(state: { uploading: boolean; asking: boolean }) => void>()
const INSTAGRAM = [{ platform: 'instagram' }] as const

// Loaded on demand, which takes its time on a busy machine.
beforeAll(async () => {
  await import('#web/videos/convert.ts')
})

/** A post to Instagram; "Fix" is what a check offers about the stored video. */
function Post({ first = null, coverMs = 0 }: { first?: Video | null; coverMs?: number }) {
  const [taken, setTaken] = useState(first)
  const { place, upload } = useUpload<Video>('compose')
  const [uploading, asking] = [isOnItsWay(upload, taken), isAsking(upload)]
  useLayoutEffect(() => onUpload({ uploading, asking }), [uploading, asking])
  const plan = taken && planFix(taken.facts, taken.size, INSTAGRAM)
  return (
    <>
      <button onClick={() => taken && plan && void uploadFixed(place, taken, plan)}>Fix</button>
      <VideoBlock
        video={taken}
        onVideo={setTaken}
        coverMs={coverMs}
        onCover={onCover}
        disabled={false}
        draftId="compose"
        planFile={(facts, size) => planNeededFix(facts, size, INSTAGRAM)}
      />
    </>
  )
}

function open(post = <Post />): Promise<UserEvent> {
  onCover.mockClear()
  onUpload.mockClear()
  tus.becomes(() => Video.parse(stored))
  return renderPart(post)
}
const choose = (events: UserEvent, file: File) =>
  events.upload(screen.getByLabelText('Video file', { selector: 'input' }), file)
const sentNames = () => tus.parts().map(({ filename }) => filename)

test('a file that would be refused is not sent before one says whether it is to be fixed', async () => {
  const events = await open()
  await choose(events, await matroskaFile())
  expect(await screen.findByRole('heading', { name: 'Instagram would refuse this file' })).toBeVisible()
  expect(screen.getByText("The file's format is MKV; Instagram accepts MP4 or MOV.")).toBeVisible()
  expect(screen.getByText(/: MP4\. The file on your device stays as it is\.$/)).toBeVisible()
  expect(onUpload).toHaveBeenLastCalledWith({ uploading: false, asking: true })
  expect(sentNames()).toEqual([])
  await events.click(button('Fix and upload'))
  expect(await screen.findByText('Uploaded')).toBeVisible()
  expect(sentNames()).toEqual(['tart.mp4'])
  expect(onUpload).toHaveBeenLastCalledWith({ uploading: false, asking: false })
})

test('a file that would be refused can be uploaded as it is', async () => {
  const events = await open()
  await choose(events, await matroskaFile())
  await events.click(await screen.findByRole('button', { name: 'Upload as it is' }))
  expect(await screen.findByText('Uploaded')).toBeVisible()
  expect(sentNames()).toEqual(['tart.mkv'])
})

test('a file that is tried again is not asked about again', async () => {
  const events = await open()
  const body = { code: 'too_many_requests', message: 'Cancel an unfinished upload first.' }
  tus.onOther((method) => (method === 'POST' ? { status: 429, body } : null))
  await choose(events, await matroskaFile())
  await events.click(await screen.findByRole('button', { name: 'Upload as it is' }))
  const again = await screen.findByRole('button', { name: 'Try again' })
  tus.onOther(() => null)
  await events.click(again)
  expect(await screen.findByText('Uploaded')).toBeVisible()
})

test('where the browser has no codecs, the step says what to do instead', async () => {
  const events = await open()
  await choose(events, fixtureFile('vp9.webm', 'tart.webm'))
  await findAlert(/https address, .* Or use a video editor: Export it as MP4\./)
  expect(screen.queryByRole('button', { name: 'Fix and upload' })).toBeNull()
  await events.click(button('Upload as it is'))
  await waitFor(() => expect(sentNames()).toEqual(['tart.webm']))
})

test('another file in place of one that is asked about is uploaded', async () => {
  const events = await open()
  await choose(events, await matroskaFile())
  await screen.findByRole('button', { name: 'Fix and upload' })
  await choose(events, fixtureFile('good.mp4', 'pie.mp4'))
  expect(await screen.findByText('Uploaded')).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Fix and upload' })).toBeNull()
  expect(sentNames()).toEqual(['pie.mp4'])
})

test('a fixed copy takes the place of an uploaded video, with its cover', async () => {
  const facts = { ...video().facts, index_first: false }
  const shown = allowInBrowser()
  localStorage.setItem(BROWSER_NOTIFICATIONS_KEY, '0')
  const events = await open(<Post coverMs={2000} />)
  tus.becomes(() => Video.parse(video({ video_id: 7, filename: 'tart.mov', facts })))
  await choose(events, fixtureFile('moov-last.mp4', 'tart.mov'))
  expect(await screen.findByText('Uploaded')).toBeVisible()
  onCover.mockClear()
  tus.becomes(() => Video.parse(video({ video_id: 8, filename: 'tart (fixed).mov' })))
  await events.click(button('Fix'))
  expect(await screen.findByText('tart (fixed).mov')).toBeVisible()
  expect(await screen.findByText('Uploaded')).toBeVisible()
  expect(sentNames()).toEqual(['tart.mov', 'tart (fixed).mov'])
  await waitFor(() => expect(shown).toEqual(['Video fixed']))
  expect(onCover).not.toHaveBeenCalled()
})

test('a stored video that cannot be read stays as it is, and says why', async () => {
  const facts = { ...video().facts, index_first: false }
  const events = await open(<Post first={Video.parse(video({ filename: 'tart.mp4', facts }))} />)
  api.refuse('createPlayback', 'not_found', 'Deleted.')
  const shown = allowInBrowser()
  localStorage.setItem(BROWSER_NOTIFICATIONS_KEY, '0')
  await events.click(button('Fix'))
  await findAlert("The stored video couldn't be read.")
  await waitFor(() => expect(shown).toEqual(["Couldn't fix the video"]))
  expect(screen.getByText('tart.mp4')).toBeVisible()
  expect(sentNames()).toEqual([])
})
