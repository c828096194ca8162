import { afterEach, expect, test, vi } from 'vitest'
import { ApiProblem } from '#web/client/api.ts'
import { carry, type Job } from './carry.ts'
import type { Phase, Progress } from './uploads.ts'

const MB = 1_000_000
const broke = new ApiProblem({ kind: 'unreachable', message: 'Network Error' })

afterEach(() => vi.restoreAllMocks())

/** A file of `size` bytes of which the browser reports `sent` before the call ends with `error`. */
async function upload(it: { size: number; sent: number; error: Error } & Partial<Job<string>>) {
  const { size, sent, error, ...job } = it
  const seen: { phase: Phase; progress: Progress }[] = []
  const file = new File([], 'tart.mp4')
  Object.defineProperty(file, 'size', { value: size })
  const ended = await carry<string>(
    {
      file,
      stoppedEarly: 'Nothing was posted.',
      afterStop: () => Promise.reject(broke),
      run: async ({ onUploadProgress }) => {
        if (sent > 0) onUploadProgress({ loaded: sent, bytes: sent, lengthComputable: true })
        throw error
      },
      ...job,
    },
    (progress, phase) => seen.push({ progress, phase }),
  )
  return { ended, phases: seen.map(({ phase }) => phase) }
}

test('an upload that breaks at 24 % was interrupted, whether or not the server can be asked', async () => {
  const { ended, phases } = await upload({
    size: 100 * MB,
    sent: 24 * MB,
    error: broke,
    afterBreak: () => Promise.resolve(null),
  })
  expect(ended).toMatchObject({ kind: 'failed', arrival: 'interrupted' })
  expect(phases).toEqual(['sending', 'sending', 'checking'])

  const offline = { size: 100 * MB, sent: 24 * MB, error: broke, afterBreak: () => Promise.reject(broke) }
  expect((await upload(offline)).ended).toMatchObject({ kind: 'failed', arrival: 'interrupted' })
})

test('an upload without an answer may have arrived only if all bytes were sent', async () => {
  const afterBreak = vi.fn(() => Promise.resolve(null))
  const all = await upload({ size: 100 * MB, sent: 100 * MB, error: broke, afterBreak })
  expect(all.ended).toMatchObject({ kind: 'failed', arrival: 'unknown' })
  expect(afterBreak).not.toHaveBeenCalled()
})

test('a short rest may have left unreported, so that without the server nothing is certain', async () => {
  const nearly = { size: 5 * MB, sent: 4.5 * MB, error: broke }
  expect((await upload(nearly)).ended).toMatchObject({ arrival: 'unknown' })
  const asked = await upload({ ...nearly, afterBreak: () => Promise.resolve(null) })
  expect(asked.ended).toMatchObject({ arrival: 'interrupted' })
})

test('an upload whose answer was lost is done where the server has made something of it', async () => {
  const { ended } = await upload({
    size: 5 * MB,
    sent: 0,
    error: broke,
    afterBreak: () => Promise.resolve('a post'),
  })
  expect(ended).toEqual({ kind: 'done', reply: 'a post', instead: null })
})

test('what the server refused is neither interrupted nor uncertain', async () => {
  const error = new ApiProblem({ kind: 'refused', message: 'No.', code: 'invalid' })
  expect((await upload({ size: MB, sent: 0, error })).ended).toEqual({
    kind: 'failed',
    error,
    arrival: 'refused',
  })
})

const wentOut = () => Promise.resolve({ what: 'It had arrived.', isGone: false })

test('a cancelled upload says what the server knows, and without it only what is certain', async () => {
  const error = new ApiProblem({ kind: 'aborted', message: 'Request aborted' })
  expect((await upload({ size: 9 * MB, sent: 9 * MB, error, afterStop: wentOut })).ended).toEqual({
    kind: 'stopped',
    what: 'It had arrived.',
    isGone: false,
  })
  // The server cannot be asked.
  expect((await upload({ size: 9 * MB, sent: 9 * MB, error })).ended).toMatchObject({
    kind: 'failed',
    arrival: 'unknown',
  })
  expect((await upload({ size: 9 * MB, sent: 2 * MB, error })).ended).toEqual({
    kind: 'stopped',
    what: 'Nothing was posted.',
    isGone: true,
  })
})
