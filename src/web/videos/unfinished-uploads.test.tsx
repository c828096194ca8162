import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { UploadId } from '#contract/ids.ts'
import { api } from '#web/testing/api-stub.ts'
import { user } from '#web/testing/data.ts'
import { button, renderPart } from '#web/testing/render-app.tsx'
import { tus, uploadIdOf } from '#web/testing/tus-stub.ts'
import { rememberUpload } from './known-uploads.ts'
import { beginUpload } from './uploads.ts'
import { UnfinishedUploads } from './unfinished-uploads.tsx'

const HOUR_MS = 3_600_000
const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
const upload = (its: object = {}) => ({
  upload_id: uploadIdOf(1),
  filename: 'big.mp4',
  size: 1000,
  offset: 640,
  expires_at: ago(-6 * 24 * HOUR_MS),
  received_at: ago(HOUR_MS),
  ...its,
})
const remember = (nth: number) =>
  rememberUpload(user().uid, {
    fingerprint: `of file ${nth}`,
    uploadId: UploadId.parse(uploadIdOf(nth)),
    place: `draft ${nth}`,
  })
const onChoose = vi.fn<() => void>()
const open = () => renderPart(<UnfinishedUploads onChoose={onChoose} />)
const list = () => screen.findByRole('list', { name: 'Unfinished uploads' })

beforeEach(() => {
  onChoose.mockClear()
  localStorage.clear()
})

test('an upload that stands still says how much has arrived, and that its file continues it', async () => {
  remember(1)
  api.reply('listUploads', { items: [upload()] })
  const events = await open()
  expect(await list()).toHaveTextContent('big.mp4 is 64% uploaded. Choose the same file again to continue.')
  await events.click(button('Choose big.mp4 again'))
  expect(onChoose).toHaveBeenCalledOnce()
})

test('what was to become the video of the post is said at once, and first', async () => {
  remember(1)
  remember(2)
  const its = { received_at: ago(1000) }
  api.reply('listUploads', {
    items: [upload(), upload({ ...its, upload_id: uploadIdOf(2), filename: 'tart.mp4' })],
  })
  await renderPart(<UnfinishedUploads onChoose={onChoose} place="draft 2" />)
  const lines = within(await list()).getAllByRole('listitem')
  expect(lines.map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining("This post's video, tart.mp4, is 64% uploaded. Choose the same file again"),
    expect.stringContaining('big.mp4 is 64% uploaded.'),
  ])
})

test('one that another browser began can only be discarded', async () => {
  api.reply('listUploads', { items: [upload()] })
  await open()
  expect(await list()).toHaveTextContent('It continues in the browser where it began.')
  expect(screen.queryByRole('button', { name: 'Choose big.mp4 again' })).toBeNull()
})

test('a discarded upload is deleted and gone', async () => {
  api.reply('listUploads', { items: [upload()] })
  tus.uploads.set(uploadIdOf(1), { size: 1000, filename: 'big.mp4', offset: 640, video: null })
  const events = await open()
  const discard = await screen.findByRole('button', { name: 'Discard the upload of big.mp4' })
  api.reply('listUploads', { items: [] })
  await events.click(discard)
  await waitFor(() => expect(screen.queryByRole('list')).toBeNull())
  expect([...tus.uploads]).toEqual([])
})

test('nothing is said of uploads that run, here or elsewhere, or of which nothing has arrived', async () => {
  beginUpload({
    id: 'library 1',
    uid: user().uid,
    page: '/dashboard/library',
    filename: 'mine.mp4',
    file: null,
    state: {
      kind: 'uploading',
      progress: { sent: 1, total: 1000, leftS: null },
      phase: 'sending',
      note: null,
      cancel: () => Promise.resolve(true),
      pausing: null,
    },
  })
  api.reply('listUploads', {
    items: [
      upload({ upload_id: uploadIdOf(2), filename: 'mine.mp4' }),
      upload({ upload_id: uploadIdOf(3), filename: 'elsewhere.mp4', received_at: ago(1000) }),
      upload({ upload_id: uploadIdOf(4), filename: 'empty.mp4', offset: 0 }),
      upload({ filename: 'still.mp4' }),
    ],
  })
  await open()
  const lines = within(await list()).getAllByRole('listitem')
  expect(lines.map(({ textContent }) => textContent)).toEqual([expect.stringContaining('still.mp4 is 64%')])
})
