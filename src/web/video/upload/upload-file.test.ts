import { afterEach, expect, test, vi } from 'vitest'
import { ApiProblem } from '#web/client/api.ts'
import type { UploadPhase } from './active-uploads.ts'
import { uploadFile, type UploadTask } from './upload-file.ts'

const MB = 1_000_000
const disconnected = new ApiProblem({ kind: 'unreachable', message: 'Network Error' })

afterEach(() => vi.restoreAllMocks())

/** A file of `size` bytes of which the browser reports `sent` before the call ends with `error`. */
async function upload(it: { size: number; sent: number; error: Error } & Partial<UploadTask<string>>) {
  const { size, sent, error, ...task } = it
  const phases: UploadPhase[] = []
  const file = new File([], 'tart.mp4')
  Object.defineProperty(file, 'size', { value: size })
  const ended = await uploadFile<string>(
    {
      file,
      cancelledText: 'Nothing was posted.',
      afterCancel: () => Promise.reject(disconnected),
      send: async ({ onUploadProgress }) => {
        if (sent > 0) onUploadProgress({ loaded: sent, bytes: sent, lengthComputable: true })
        throw error
      },
      ...task,
    },
    ({ phase }) => phases.push(phase),
  )
  return { ended, phases }
}

test('an upload that breaks at 24 % was interrupted, even if the server cannot be asked', async () => {
  const { ended, phases } = await upload({
    size: 100 * MB,
    sent: 24 * MB,
    error: disconnected,
    afterInterruption: () => Promise.resolve(null),
  })
  expect(ended).toMatchObject({ kind: 'failed', arrival: 'interrupted' })
  expect(phases).toEqual(['sending', 'sending', 'checking'])

  const offline = {
    size: 100 * MB,
    sent: 24 * MB,
    error: disconnected,
    afterInterruption: () => Promise.reject(disconnected),
  }
  expect((await upload(offline)).ended).toMatchObject({ kind: 'failed', arrival: 'interrupted' })
})

test('an unanswered upload may have arrived only if all bytes were sent', async () => {
  const afterInterruption = vi.fn(() => Promise.resolve(null))
  const all = await upload({ size: 100 * MB, sent: 100 * MB, error: disconnected, afterInterruption })
  expect(all.ended).toMatchObject({ kind: 'failed', arrival: 'unknown' })
  expect(afterInterruption).not.toHaveBeenCalled()
})

test('the last unreported bytes may have arrived, so the outcome is unknown', async () => {
  const nearly = { size: 5 * MB, sent: 4.5 * MB, error: disconnected }
  expect((await upload(nearly)).ended).toMatchObject({ arrival: 'unknown' })
  const asked = await upload({ ...nearly, afterInterruption: () => Promise.resolve(null) })
  expect(asked.ended).toMatchObject({ arrival: 'interrupted' })
})

test('an upload with a lost answer is done if the server made a post of it', async () => {
  const { ended } = await upload({
    size: 5 * MB,
    sent: 0,
    error: disconnected,
    afterInterruption: () => Promise.resolve('a post'),
  })
  expect(ended).toEqual({ kind: 'done', reply: 'a post', otherOutcome: null })
})

test('an upload that the server refused is neither interrupted nor unknown', async () => {
  const error = new ApiProblem({ kind: 'refused', message: 'No.', code: 'invalid' })
  expect((await upload({ size: MB, sent: 0, error })).ended).toEqual({
    kind: 'failed',
    error,
    arrival: 'refused',
  })
})

const arrivedAnyway = () => Promise.resolve({ message: 'It had arrived.', publishesNothing: false })

test('a cancelled upload reports what the server knows, or else only what is certain', async () => {
  const error = new ApiProblem({ kind: 'aborted', message: 'Request aborted' })
  expect((await upload({ size: 9 * MB, sent: 9 * MB, error, afterCancel: arrivedAnyway })).ended).toEqual({
    kind: 'cancelled',
    message: 'It had arrived.',
    publishesNothing: false,
  })
  // Here the server cannot be asked.
  expect((await upload({ size: 9 * MB, sent: 9 * MB, error })).ended).toMatchObject({
    kind: 'failed',
    arrival: 'unknown',
  })
  expect((await upload({ size: 9 * MB, sent: 2 * MB, error })).ended).toEqual({
    kind: 'cancelled',
    message: 'Nothing was posted.',
    publishesNothing: true,
  })
})
