import { expect, test } from 'vitest'
import { sumUploads, totalsText } from './upload-totals.tsx'
import type { Upload, UploadPhase, UploadState } from './uploads.ts'

const MB = 1_000_000

const upload = (megabytes: number, state: UploadState<unknown>): Upload => ({
  id: 'one',
  uid: 'ada',
  page: '/dashboard/library',
  filename: 'one.mp4',
  file: Object.defineProperty(new File([], 'one.mp4'), 'size', { value: megabytes * MB }),
  state,
  run: Symbol('run'),
})
const running = (megabytes: number, sent: number, leftS: number | null, phase: UploadPhase = 'sending') =>
  upload(megabytes, {
    kind: 'uploading',
    progress: { sent: sent * MB, total: megabytes * MB, leftS },
    phase,
    note: null,
    cancel: () => Promise.resolve(true),
    pausing: null,
  })
const textOf = (...uploads: Upload[]) => totalsText(sumUploads(uploads))

test('several uploads are summed, with the time that all of them take', () => {
  const done = upload(100, { kind: 'done', reply: null })
  const pending = upload(300, { kind: 'pending' })
  // 1 MB a second; the one that has just begun is taken to be as fast.
  expect(textOf(done, running(200, 40, 160), running(100, 0, null), pending)).toBe(
    '1 of 4 uploaded · 140 MB of 700 MB · about 5 min left',
  )
})

test('files that were refused are not waited for', () => {
  const refused = upload(900, { kind: 'refused', message: 'No video.' })
  expect(textOf(running(200, 50, null), refused)).toBe('0 of 1 uploaded · 50 MB of 200 MB')
})

test('uploads that all stand still say why, and no time', () => {
  expect(textOf(running(200, 50, null, 'paused'), upload(100, { kind: 'pending' }))).toBe(
    'Paused · 0 of 2 uploaded · 50 MB of 300 MB',
  )
})
