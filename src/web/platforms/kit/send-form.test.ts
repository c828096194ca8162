import { expect, test } from 'vitest'
import { ApiProblem } from '#web/api/api.ts'
import { sendForm } from './send-form.ts'

const MB = 1_000_000
const disconnected = new ApiProblem({ kind: 'unreachable', message: 'Network Error' })
const aborted = new ApiProblem({ kind: 'aborted', message: 'Request aborted' })
const cancelled = { early: 'Nothing was posted.', late: 'It may be posted.' }

/** Sends a file of `size` bytes, of which the browser reports `sent` before the call ends with `error`. */
function send({ size, sent, error }: { size: number; sent: number; error: Error }) {
  const file = new File([], 'tart.mp4')
  Object.defineProperty(file, 'size', { value: size })
  return sendForm(
    {
      file,
      cancelled,
      send: async ({ onUploadProgress }) => {
        onUploadProgress({ loaded: sent, bytes: sent, lengthComputable: true })
        throw error
      },
    },
    () => undefined,
  )
}

test('an upload that breaks at 24 % has not arrived', async () => {
  expect(await send({ size: 100 * MB, sent: 24 * MB, error: disconnected })).toEqual({
    kind: 'failed',
    error: disconnected,
    mayHaveArrived: false,
  })
})

test('an unanswered upload may have arrived, even if its last bytes were not reported', async () => {
  for (const sent of [99.5 * MB, 100 * MB])
    expect(await send({ size: 100 * MB, sent, error: disconnected })).toMatchObject({ mayHaveArrived: true })
})

test('an upload that the server refused has not arrived', async () => {
  const error = new ApiProblem({ kind: 'refused', message: 'No.', code: 'invalid' })
  expect(await send({ size: MB, sent: MB, error })).toEqual({ kind: 'failed', error, mayHaveArrived: false })
})

test('a cancelled upload promises that nothing was posted only where that is certain', async () => {
  expect(await send({ size: 9 * MB, sent: 2 * MB, error: aborted })).toEqual({
    kind: 'cancelled',
    message: cancelled.early,
    mayHaveArrived: false,
  })
  expect(await send({ size: 9 * MB, sent: 9 * MB, error: aborted })).toEqual({
    kind: 'cancelled',
    message: cancelled.late,
    mayHaveArrived: true,
  })
})
