import type { AxiosProgressEvent } from 'axios'
import { ApiProblem } from '#web/api/api.ts'
import { isUnanswered } from '#web/api/problem-reason.ts'
import { endUpload, type OutcomeTexts } from '#web/videos/use-upload.ts'
import {
  beginUpload,
  findUpload,
  type RunningUpload,
  type UploadOutcome,
  type UploadPlace,
} from '#web/videos/uploads.ts'

/** Passed to the API call: how it reports progress and is cancelled. */
export type UploadControls = {
  readonly signal: AbortSignal
  readonly onUploadProgress: (event: AxiosProgressEvent) => void
}

type Form<T> = {
  readonly file: File
  readonly send: (controls: UploadControls) => Promise<T>
  /** The texts after a cancel. `late`: the whole form may have left the browser. */
  readonly cancelled: { readonly early: string; readonly late: string }
}

/** Browsers report progress every 50 to 100 ms and not at a break: this much may have left unreported. */
const UNREPORTED_MAX_BYTES = 1_048_576

/** Sends a form from its screen; it goes on while one moves about. @returns null: it is being sent already */
export async function uploadForm<T>(
  place: UploadPlace,
  form: Form<T> & { readonly texts: OutcomeTexts<T> },
): Promise<UploadOutcome<T> | null> {
  if (findUpload(place.id)?.state.kind === 'uploading') return null
  const { file } = form
  const run = beginUpload<T>({ ...place, filename: file.name, file, state: { kind: 'checking' } })
  const outcome = await sendForm(form, (running) => run.set({ kind: 'uploading', ...running }))
  endUpload(place.id, run, outcome, form.texts)
  return outcome
}

/** Sends a form in one request; of one that did not arrive whole the server makes nothing. Expected failures do not reject. */
export async function sendForm<T>(
  { file, send, cancelled }: Form<T>,
  report: (running: RunningUpload) => void,
): Promise<UploadOutcome<T>> {
  const controller = new AbortController()
  const ended = Promise.withResolvers<boolean>()
  const cancel = () => {
    controller.abort()
    return ended.promise
  }
  let sent = 0
  const show = (leftS: number | null) =>
    report({
      progress: { sent, total: file.size, leftS },
      phase: 'sending',
      note: null,
      cancel,
      pausing: null,
    })
  const endedBy = (error: unknown): UploadOutcome<T> => {
    if (!(error instanceof Error)) throw error
    const mayHaveArrived = file.size - sent < UNREPORTED_MAX_BYTES
    return error instanceof ApiProblem && error.kind === 'aborted'
      ? { kind: 'cancelled', message: mayHaveArrived ? cancelled.late : cancelled.early, mayHaveArrived }
      : { kind: 'failed', error, mayHaveArrived: mayHaveArrived && isUnanswered(error) }
  }

  show(null)
  const outcome = await send({
    signal: controller.signal,
    onUploadProgress: ({ loaded, estimated }) => {
      sent = Math.min(loaded, file.size)
      show(estimated ?? null)
    },
  }).then((reply): UploadOutcome<T> => ({ kind: 'done', reply }), endedBy)
  ended.resolve(outcome.kind === 'cancelled' && !outcome.mayHaveArrived)
  return outcome
}
