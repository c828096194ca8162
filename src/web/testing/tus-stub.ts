import type { InternalAxiosRequestConfig } from 'axios'
import { API_PREFIX } from '#contract/http/addresses.ts'
import { UPLOADS_PATH } from '#contract/uploads.ts'
import type { Video } from '#contract/videos.ts'

export type TusReply = {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Record<string, string>
}
type Answer = TusReply | 'disconnected'

/** A request that sends bytes. */
export type Part = {
  readonly uploadId: string
  readonly filename: string
  readonly offset: number
  readonly size: number
  readonly authorization: unknown
  /** The browser reports so many of the part's bytes as sent. */
  readonly report: (bytes: number) => void
  /** So many of them have arrived, whatever becomes of the connection. */
  readonly arrive: (bytes: number) => void
}

type Stored = { readonly size: number; readonly filename: string; offset: number; video: Video | null }

const uploads = new Map<string, Stored>()
let created = 0
const requests: string[] = []
let parts: Part[] = []
let onPart: (part: Part, count: number) => Answer | null | Promise<Answer | null> = () => null
let onOther: (method: string) => Answer | null = () => null
let toVideo: ((upload: { size: number; filename: string }) => Video) | null = null

/** The tus server of a component test. Unless told otherwise it takes what it is sent. */
export const tus = {
  /** A finished upload becomes this video. */
  becomes: (video: (upload: { size: number; filename: string }) => Video) => void (toVideo = video),
  /** Answers parts, counted from 1; null: the part is stored. */
  onPart: (given: typeof onPart) => void (onPart = given),
  /** Answers POST, HEAD, GET and DELETE; null: as they should be. */
  onOther: (given: typeof onOther) => void (onOther = given),
  /** Keeps every part waiting until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<null>()
    onPart = () => promise
    return () => resolve(null)
  },
  parts: () => parts,
  uploads,
  /** Method and last part of the address, such as "PATCH 1". */
  requests: (): readonly string[] => requests,
  reset(): void {
    uploads.clear()
    created = 0
    requests.length = 0
    parts = []
    onPart = () => null
    onOther = () => null
    toVideo = null
  },
}

/** Ids are counted: "…01" is the first upload of a test. */
export const uploadIdOf = (count: number): string => String(count).padStart(32, '0')

const ADDRESS = /\/uploads(?:\/([0-9a-f]{32}))?$/

/** Null: the request is none of tus. */
export function answerTus(config: InternalAxiosRequestConfig): Promise<Answer> | null {
  const match = ADDRESS.exec(config.url ?? '')
  const id = match?.[1]
  const method = (config.method ?? 'get').toUpperCase()
  // A test says by `api.reply('listUploads', …)` which uploads stand still.
  if (match && id === undefined && method === 'GET')
    return Promise.resolve({ status: 200, body: { items: [] } })
  return match ? answerRequest(config, method, id) : null
}

async function answerRequest(
  config: InternalAxiosRequestConfig,
  method: string,
  id?: string,
): Promise<Answer> {
  requests.push(id === undefined ? method : `${method} ${Number(id)}`)
  if (method !== 'PATCH') {
    const instead = onOther(method)
    if (instead !== null) return instead
  }
  if (id === undefined) return create(config)
  const upload = uploads.get(id)
  if (!upload) return { status: 404, body: { code: 'not_found', message: 'This upload does not exist.' } }
  switch (method) {
    case 'HEAD':
      finish(upload)
      return { status: 200, headers: { ...offsetOf(upload), 'upload-length': String(upload.size) } }
    case 'PATCH':
      return takePart(config, id, upload)
    case 'DELETE':
      uploads.delete(id)
      return { status: 204 }
    default:
      return { status: 200, body: shown(id, upload) }
  }
}

function create({ headers }: InternalAxiosRequestConfig): Answer {
  const id = uploadIdOf(++created)
  const filename = /filename ([^,]+)/.exec(String(headers.get('Upload-Metadata')))?.[1] ?? ''
  const size = Number(headers.get('Upload-Length'))
  uploads.set(id, {
    size,
    filename: new TextDecoder().decode(bytesOf(atob(filename))),
    offset: 0,
    video: null,
  })
  return { status: 201, headers: { location: `${API_PREFIX}${UPLOADS_PATH}/${id}` } }
}
const bytesOf = (binary: string) => Uint8Array.from(binary, (char) => char.codePointAt(0) ?? 0)

async function takePart(
  config: InternalAxiosRequestConfig,
  uploadId: string,
  upload: Stored,
): Promise<Answer> {
  const { size } = config.data as Blob // the tus client sends slices of the file
  const offset = Number(config.headers.get('Upload-Offset'))
  if (offset !== upload.offset) return { status: 409, body: { code: 'conflict', message: 'Another offset.' } }
  const part: Part = {
    uploadId,
    filename: upload.filename,
    offset,
    size,
    authorization: config.headers.get('Authorization'),
    report: (loaded) =>
      config.onUploadProgress?.({ loaded, total: size, bytes: loaded, lengthComputable: true }),
    arrive: (bytes) => void (upload.offset = offset + bytes),
  }
  parts.push(part)
  const instead = await onPart(part, parts.length)
  if (instead !== null) return instead
  if (config.signal?.aborted) return 'disconnected'
  part.arrive(size)
  finish(upload)
  return { status: 204, headers: offsetOf(upload) }
}

function finish(upload: Stored): void {
  if (upload.offset === upload.size) upload.video ??= toVideo?.(upload) ?? null
}

const offsetOf = ({ offset }: Stored) => ({ 'upload-offset': String(offset) })

const shown = (uploadId: string, { size, filename, offset, video }: Stored) => ({
  upload_id: uploadId,
  filename,
  size,
  offset,
  expires_at: '2026-11-29T10:00:00.000Z',
  video,
})
