import { DetailedError, Upload, type UploadOptions } from 'tus-js-client'
import { UploadId } from '#contract/ids.ts'
import { UPLOADS_PATH } from '#contract/uploads.ts'
import { http } from '#web/api/api.ts'
import { axiosStack } from './axios-stack.ts'

// tus-js-client makes the requests of one attempt. Whether and when there is another one is decided in `resumable-upload.ts`: its
// own retries end after some attempts, and it replaces an unknown upload by a new one without telling.

export type Attempt = {
  readonly file: File
  /** Null: creates one. */
  readonly uploadId: UploadId | null
  /** So many bytes a request. */
  readonly chunkBytes: number
  readonly headers: () => Promise<Record<string, string>>
  readonly signal: AbortSignal
  readonly onCreated: (uploadId: UploadId) => void
  /** What the server has. */
  readonly onConfirmed: (offset: number) => void
  /** With what is under way. */
  readonly onSent: (offset: number) => void
}

/** Creates or continues an upload. Resolves once the server has everything; rejects with `TusFailure` or the signal's reason. */
export function attemptUpload(it: Attempt): Promise<void> {
  const { file, uploadId, signal } = it
  return new Promise((resolve, reject) => {
    const upload = new Upload(file, {
      ...requestOptions(it.headers),
      ...(uploadId === null ? { endpoint: addressOf() } : { uploadUrl: addressOf(uploadId) }),
      metadata: { filename: file.name, ...(file.type !== '' && { filetype: file.type }) },
      chunkSize: it.chunkBytes,
      onUploadUrlAvailable: () => {
        const created = UploadId.safeParse(upload.url?.split('/').at(-1))
        if (created.success) it.onCreated(created.data)
      },
      onAfterResponse: (_request, response) => {
        const offset = Number(response.getHeader('Upload-Offset') ?? Number.NaN)
        if (response.getStatus() < 300 && offset >= 0) it.onConfirmed(offset)
      },
      onProgress: it.onSent,
      onSuccess: () => resolve(),
      onError: (error) => reject(failureOf(error)),
    })
    const stop = () => {
      void upload.abort()
      reject(signal.reason)
    }
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    upload.start()
  })
}

/** Deletes what has arrived. @throws TusFailure where the server did not say that it is gone */
export const deleteUpload = (uploadId: UploadId, headers: Attempt['headers']): Promise<void> =>
  Upload.terminate(addressOf(uploadId), requestOptions(headers)).catch((error: unknown) => {
    const failure = failureOf(error)
    if (!(failure instanceof TusFailure && isGone(failure.status))) throw failure
  })

const isGone = (status: number | null): boolean => status === 404 || status === 410

const addressOf = (uploadId?: UploadId): string =>
  new URL(
    http.getUri({ url: uploadId === undefined ? UPLOADS_PATH : `${UPLOADS_PATH}/${uploadId}` }),
    location.href,
  ).href

const requestOptions = (headers: Attempt['headers']) =>
  ({
    httpStack: axiosStack,
    fileReader: { openFile: (file: File) => Promise.resolve(sourceOf(file)) },
    retryDelays: null,
    storeFingerprintForResuming: false,
    fingerprint: () => Promise.resolve(''),
    onBeforeRequest: async (request) => {
      for (const [name, value] of Object.entries(await headers())) request.setHeader(name, value)
    },
  }) satisfies UploadOptions

const sourceOf = (file: File) => ({
  size: file.size,
  slice: (start: number, end: number) =>
    Promise.resolve({ value: file.slice(start, end), done: end >= file.size }),
  close: () => undefined,
})

/** Why an attempt ended. `status` null: no answer came. */
export class TusFailure extends Error {
  override readonly name = 'TusFailure'
  readonly method: string
  readonly status: number | null
  readonly body: string
  readonly retryAfter: string | null

  constructor(error: DetailedError) {
    super(error.message, { cause: error.causingError ?? error })
    this.method = error.originalRequest.getMethod()
    const answer = error.originalResponse
    this.status = answer?.getStatus() ?? null
    this.body = answer?.getBody() ?? ''
    this.retryAfter = answer?.getHeader('Retry-After') ?? null
  }
}

/** Anything else is our bug and stays as it is. */
const failureOf = (error: unknown): Error =>
  error instanceof DetailedError
    ? new TusFailure(error)
    : error instanceof Error
      ? error
      : new Error(String(error))
