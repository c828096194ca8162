import { DetailedError, Upload, type HttpRequest, type HttpResponse, type HttpStack } from 'tus-js-client'
import { UploadId } from '#contract/ids.ts'
import { UPLOADS_PATH } from '#contract/uploads.ts'
import { ApiProblem, http, readProblem } from '#web/api/api.ts'
import { jsonOf } from '#web/lib/json-of.ts'

// tus-js-client makes the requests of one attempt. Whether and when there is another one is decided in `resumable-upload.ts`: its
// own retries end after some attempts, do not wait as long as the server asks, and replace an unknown upload by a new one without telling.

type Headers = () => Promise<Record<string, string>>

type Attempt = {
  readonly file: File
  /** Null: creates one. */
  readonly uploadId: UploadId | null
  readonly headers: Headers
  readonly signal: AbortSignal
  readonly onCreated: (uploadId: UploadId) => void
  readonly onConfirmed: (offset: number) => void
  /** With what is under way. */
  readonly onSent: (offset: number) => void
}

/** Creates or continues an upload. Resolves once the server has everything; rejects with the library's error or the signal's reason. */
export function attemptUpload({ file, uploadId, headers, signal, ...on }: Attempt): Promise<void> {
  return new Promise((resolve, reject) => {
    const upload = new Upload(file, {
      ...(uploadId === null ? { endpoint: addressOf() } : { uploadUrl: addressOf(uploadId) }),
      metadata: { filename: file.name, ...(file.type !== '' && { filetype: file.type }) },
      chunkSize: partBytes(),
      httpStack: axiosStack,
      fileReader: { openFile: () => Promise.resolve(sourceOf(file)) },
      retryDelays: null,
      storeFingerprintForResuming: false,
      fingerprint: () => Promise.resolve(''),
      onBeforeRequest: async (request) => {
        for (const [name, value] of Object.entries(await headers())) request.setHeader(name, value)
      },
      onUploadUrlAvailable: () => {
        const created = UploadId.safeParse(upload.url?.split('/').at(-1))
        if (created.success) on.onCreated(created.data)
      },
      onAfterResponse: (_request, response) => {
        const offset = Number(response.getHeader('Upload-Offset') ?? Number.NaN)
        if (response.getStatus() < 300 && offset >= 0) on.onConfirmed(offset)
      },
      onProgress: on.onSent,
      onSuccess: () => resolve(),
      onError: reject,
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

/** Deletes what has arrived. @throws where the server did not say that it is gone */
export async function deleteUpload(uploadId: UploadId, headers: Headers): Promise<void> {
  await http.delete(addressOf(uploadId), {
    headers: { ...(await headers()), 'Tus-Resumable': '1.0.0' },
    validateStatus: (status) => status === 204 || isMissing(status),
  })
}

const isMissing = (status: number): boolean => status === 404 || status === 410

const addressOf = (uploadId?: UploadId): string =>
  new URL(
    http.getUri({ url: uploadId === undefined ? UPLOADS_PATH : `${UPLOADS_PATH}/${uploadId}` }),
    location.href,
  ).href

const sourceOf = (file: File) => ({
  size: file.size,
  slice: (start: number, end: number) =>
    Promise.resolve({ value: file.slice(start, end), done: end >= file.size }),
  close: () => undefined,
})

/**
 * So much goes into one request. Without a limit, a proxy that buffers requests would hand on nothing before the last byte, so
 * that nothing could be continued, and Cloudflare refuses bodies over 100 MB. A larger file costs an answer per 64 MiB.
 */
const FIRST_BYTES = 67_108_864
/** nginx lets 1 MiB through by default, and firewalls may allow less. */
const SMALLEST_BYTES = 262_144

/** For all uploads of this page: they go through the same proxy. */
let current = FIRST_BYTES

export const partBytes = (): number => current

export const canSendSmaller = (): boolean => current > SMALLEST_BYTES

/** After a part of so many bytes was refused as too large, or lost. */
export const sendSmaller = (bytes: number): void =>
  void (current = Math.max(SMALLEST_BYTES, Math.floor(Math.min(current, bytes) / 4)))

export const resetPartBytes = (bytes = FIRST_BYTES): void => void (current = bytes)

/** The tus client's requests go the way of all calls, so that tests and settings of `http` hold for them too. */
const axiosStack: HttpStack = { createRequest, getName: () => 'axios' }

function createRequest(method: string, url: string): HttpRequest {
  const headers: Record<string, string> = {}
  const controller = new AbortController()
  let onSent: ((bytes: number) => void) | null = null
  return {
    getMethod: () => method,
    getURL: () => url,
    setHeader: (name, value) => void (headers[name] = value),
    getHeader: (name) => headers[name],
    setProgressHandler: (handler) => void (onSent = handler),
    send: async (body: Blob | null): Promise<HttpResponse> => {
      const answer = await http.request<unknown>({
        method,
        url,
        headers,
        ...(body !== null && { data: body }),
        signal: controller.signal,
        // The tus client decides by the status.
        validateStatus: () => true,
        responseType: 'text',
        transformResponse: (data: unknown) => data,
        onUploadProgress: ({ loaded }) => onSent?.(loaded),
      })
      return {
        getStatus: () => answer.status,
        getHeader: (name) => headerOf(answer.headers[name.toLowerCase()]),
        getBody: () => (typeof answer.data === 'string' ? answer.data : ''),
        getUnderlyingObject: () => answer,
      }
    },
    abort: () => Promise.resolve(controller.abort()),
    getUnderlyingObject: () => null,
  }
}

const headerOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

export type Reaction =
  /** `note`: what the server said; null: the network did not get through. `mayBeTooLarge`: a smaller part may get through. */
  | {
      readonly kind: 'wait'
      readonly afterS: number | null
      readonly note: string | null
      readonly mayBeTooLarge: boolean
    }
  /** The token is too old. */
  | { readonly kind: 'renew'; readonly error: ApiProblem }
  /** Another tab or device continues it. */
  | { readonly kind: 'displaced' }
  /** A proxy refuses requests of this length. */
  | { readonly kind: 'smaller'; readonly error: ApiProblem }
  | { readonly kind: 'refused'; readonly error: Error }

/** Statuses that say "later" rather than "no". */
const LATER: readonly number[] = [408, 409, 425, 429]
/** These 5xx are final: not implemented, and no room in the user's or the server's storage. */
const NEVER: readonly number[] = [501, 507]

const PROXY_REFUSES_PARTS =
  'A proxy between this page and the server refuses even small parts of the video. Contact the person who runs this server.'

const PROXY_ASKS_FOR_LOGIN =
  'Something between this page and the server asks for a log-in of its own (status 401). Reload the page and log in there, then choose the file again.'

export function reactionTo(failure: unknown): Reaction {
  if (failure instanceof ApiProblem) return toProblem(failure)
  if (!(failure instanceof DetailedError))
    return { kind: 'refused', error: failure instanceof Error ? failure : new Error(String(failure)) }
  const { causingError, originalRequest, originalResponse: answer } = failure
  if (causingError instanceof ApiProblem) return toProblem(causingError)
  if (!answer) return NO_ANSWER
  const status = answer.getStatus()
  const method = originalRequest.getMethod()
  const retryAfter = answer.getHeader('Retry-After') ?? null
  const problem = readProblem(jsonOf(answer.getBody()), retryAfter, failure)
  const afterS = problem?.retryAfterS ?? (Number(retryAfter) || null)
  // The server's own words say what is wrong; only of a part that took too long a smaller one may help.
  const mayBeTooLarge = problem === null || status === 408
  const wait = { kind: 'wait', afterS, note: problem?.message ?? null, mayBeTooLarge } as const
  // To HEAD nobody answers with words: a second 401 ends the upload, and only the server's own the session.
  if (status === 401) {
    const error = problem ?? foreign(status, failure, PROXY_ASKS_FOR_LOGIN)
    return { kind: problem !== null || method === 'HEAD' ? 'renew' : 'refused', error }
  }
  if (status === 423 && method !== 'PATCH') return wait
  if (status === 423 && problem !== null) return { kind: 'displaced' }
  // A proxy may answer 404 too, so our API is asked if the upload is gone.
  if (isMissing(status) && (method !== 'POST' || problem === null)) return wait
  if (status === 413 && problem === null)
    return { kind: 'smaller', error: foreign(status, failure, PROXY_REFUSES_PARTS) }
  // Too many unfinished uploads stay too many; too many at the same time do not.
  if (status === 429 && method === 'POST' && problem !== null) return { kind: 'refused', error: problem }
  if (LATER.includes(status) || (status >= 500 && !NEVER.includes(status)))
    return status === 409 ? { ...wait, note: null } : wait
  return { kind: 'refused', error: problem ?? foreign(status, failure) }
}

const NO_ANSWER: Reaction = { kind: 'wait', afterS: null, note: null, mayBeTooLarge: true }

function toProblem(problem: ApiProblem): Reaction {
  if (problem.kind === 'unreachable' || problem.kind === 'unreadable' || problem.kind === 'aborted')
    return NO_ANSWER
  const isLater =
    problem.code === 'unavailable' || problem.code === 'internal' || problem.code === 'too_many_requests'
  return isLater
    ? { kind: 'wait', afterS: problem.retryAfterS, note: problem.message, mayBeTooLarge: false }
    : { kind: 'refused', error: problem }
}

/** An answer in nobody's words. */
const foreign = (status: number, cause: unknown, message?: string) =>
  new ApiProblem({
    kind: 'refused',
    message: message ?? `Something between this page and the server refused the upload (status ${status}).`,
    cause,
  })
