import type { AxiosProgressEvent } from 'axios'
import { ApiProblem } from '#web/client/api.ts'
import type { Progress } from '#web/video/resumable/progress.ts'
import type { UploadPhase, RunningUpload } from './active-uploads.ts'
import { isUnanswered, reasonOf } from './upload-error.ts'

/** A form's upload. It continues while the user moves between screens. */
export type UploadState<T> =
  | { readonly kind: 'idle' }
  | ({ readonly kind: 'uploading' } & RunningUpload)
  /** `otherOutcome`: the message where the success text would be wrong. */
  | { readonly kind: 'done'; readonly reply: T; readonly otherOutcome: string | null }
  | { readonly kind: 'failed'; readonly error: Error; readonly arrival: Arrival }
  | ({ readonly kind: 'cancelled' } & Cancellation)

export type Cancellation = { readonly message: string; readonly publishesNothing: boolean }

/**
 * What is known of a failed upload. `refused`: the server said no. `interrupted`: it did not arrive whole, so the server
 * made nothing of it. `unknown`: everything was sent and no response came.
 */
export type Arrival = 'refused' | 'interrupted' | 'unknown'

/** Passed to the API call: how it reports progress and is cancelled. */
export type UploadControls = {
  readonly signal: AbortSignal
  readonly onUploadProgress: (event: AxiosProgressEvent) => void
}

export type UploadTask<T> = {
  readonly file: File
  readonly send: (controls: UploadControls) => Promise<T>
  /** The message where a reply is not the success that was asked for; null: it is. */
  readonly otherOutcome?: (reply: T) => string | null
  /**
   * Makes sure of what the server does with what it already received. The last byte may have left unreported.
   * @param mayHaveArrived whether the whole file may have left the browser
   */
  readonly afterCancel: (mayHaveArrived: boolean) => Promise<Cancellation>
  /** The message if the server cannot be asked and the file cannot have arrived whole. */
  readonly cancelledText: string
  /**
   * After a connection broke before everything was sent: asks what the server made of it, and prevents that it makes
   * anything later. Null: nothing. Absent: the server cannot be asked.
   */
  readonly afterInterruption?: () => Promise<T | null>
}

/**
 * Sends a file and finds out what the server made of it. Expected failures do not reject.
 * @param report receives progress
 */
export async function uploadFile<T>(
  task: UploadTask<T>,
  report: (running: RunningUpload) => void,
): Promise<UploadState<T>> {
  const { file } = task
  const controller = new AbortController()
  const { signal } = controller
  const ended = Promise.withResolvers<boolean>()
  const cancel = () => {
    controller.abort()
    return ended.promise
  }
  let progress: Progress = { sent: 0, total: file.size, leftS: null }
  const reportPhase = (phase: UploadPhase) => report({ progress, phase, cancel, note: null, pausing: null })
  signal.addEventListener('abort', () => reportPhase('cancelling'))
  reportPhase('sending')
  const outcome = await task
    .send({
      signal,
      onUploadProgress: ({ loaded, estimated }) => {
        progress = { sent: Math.min(loaded, file.size), total: file.size, leftS: estimated ?? null }
        reportPhase(signal.aborted ? 'cancelling' : 'sending')
      },
    })
    .then(
      (reply) => doneState(task, reply),
      (error: unknown) => {
        if (error instanceof ApiProblem && error.kind === 'aborted') return cancelled(task, progress)
        if (!isUnanswered(error)) return failedState(error, 'refused')
        if (isAllSent(progress)) return failedState(error, 'unknown')
        if (task.afterInterruption) reportPhase('checking')
        return interrupted(task, progress, error)
      },
    )
  ended.resolve(outcome.kind === 'cancelled' && outcome.publishesNothing)
  return outcome
}

const doneState = <T>({ otherOutcome }: UploadTask<T>, reply: T): UploadState<T> => ({
  kind: 'done',
  reply,
  otherOutcome: otherOutcome?.(reply) ?? null,
})

const cancelled = <T>(task: UploadTask<T>, progress: Progress): Promise<UploadState<T>> =>
  task.afterCancel(mayHaveArrived(progress)).then(
    (cancellation) => ({ kind: 'cancelled', ...cancellation }),
    (error: unknown) =>
      mayHaveArrived(progress)
        ? failedState(error, 'unknown')
        : { kind: 'cancelled', message: task.cancelledText, publishesNothing: true },
  )

async function interrupted<T>(
  task: UploadTask<T>,
  progress: Progress,
  error: unknown,
): Promise<UploadState<T>> {
  const likely = mayHaveArrived(progress) ? 'unknown' : 'interrupted'
  if (!task.afterInterruption) return failedState(error, likely)
  return task.afterInterruption().then(
    (reply) => (reply === null ? failedState(error, 'interrupted') : doneState(task, reply)),
    () => failedState(error, likely),
  )
}

const isAllSent = ({ sent, total }: Progress): boolean => sent >= total

/** Browsers report progress every 50 to 100 ms and not at a break: this much may have left unreported. */
const UNREPORTED_MAX_BYTES = 1_048_576
const mayHaveArrived = ({ sent, total }: Progress): boolean => total - sent < UNREPORTED_MAX_BYTES

export function failedState(error: unknown, arrival: Arrival): UploadState<never> {
  if (!(error instanceof Error)) throw error
  // oxlint-disable-next-line no-console -- the specified text sends users there where no reason is known
  if (reasonOf(error) === null) console.error(error)
  return { kind: 'failed', error, arrival }
}
