import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { bodyText, mediaType, parseQuery } from '../kit/http/body.ts'
import { secret } from '../kit/ids.ts'
import { asObject, parseJson } from '../kit/json.ts'
import type { Answer, Call, Outcome } from '../kit/http/serve.ts'
import { afterDraining, writeBody } from '../kit/http/upload-body.ts'
import {
  apiError,
  authenticate,
  badRequest,
  json,
  readParts,
  refuseScope,
  unexpectedPart,
  type Caller,
} from './answers.ts'
import { parseError, readMetadata } from './metadata.ts'
import {
  newVideoId,
  uploadScope,
  type Creator,
  type UploadSession,
  type Video,
  type YouTube,
} from './state.ts'
import { inspectUpload, toResource, videoParts } from './videos.ts'

const day = 86_400_000
/** "Every chunk but the last is a multiple of 262144 bytes", and whole units of it are kept. */
const unit = 262_144
/** "≤ 256 GB" */
const maxBytes = 274_877_906_944

export const insertParts = videoParts

/** `POST /upload/youtube/v3/videos?uploadType=resumable`: begins an upload, and answers with its address. */
export function initiate(youtube: YouTube, call: Call, { creator, query }: Caller): Answer {
  const { headers, url } = call.request
  const parts = readParts(query)
  // Since it is settable by one of Google's pages only, the strict choice is that it is not.
  const isPaid = parts.includes('paidProductPlacementDetails')
  if (isPaid && !youtube.settings.get().youtube_paid_placement_accepted)
    return unexpectedPart(youtube, 'paidProductPlacementDetails')
  if (query.get('uploadType') !== 'resumable')
    return badRequest(youtube, 'notUpload', 'uploadType must be resumable.')
  if (mediaType(headers['content-type']) !== 'application/json') return parseError(youtube, 'Content-Type')
  const bytes = Number(headers['x-upload-content-length'])
  const type = mediaType(String(headers['x-upload-content-type'] ?? ''))
  if (!Number.isInteger(bytes) || bytes < 1)
    return badRequest(youtube, 'mediaBodyRequired', 'X-Upload-Content-Length')
  if (!/^video\/[\w.+-]+$/.test(type) && type !== 'application/octet-stream')
    return badRequest(youtube, 'mediaBodyRequired', 'X-Upload-Content-Type')
  if (bytes > maxBytes)
    return apiError(youtube, { status: 413, reason: 'uploadTooLarge', message: 'The file is too large.' })
  const body = asObject(parseJson(bodyText(call.request)))
  if (body === null) return parseError(youtube, 'body')
  const notify = query.get('notifySubscribers') ?? 'true'
  if (notify !== 'true' && notify !== 'false') return parseError(youtube, 'notifySubscribers')
  const metadata = readMetadata(youtube, creator, body, { parts, notifySubscribers: notify === 'true' })
  if (isRefusal(metadata)) return metadata
  if (asObject(body.status)?.privacyStatus === undefined) call.flag = 'privacy_status_omitted'
  if (youtube.settings.get().youtube_upload_limit_at === 'initiation' && isOverLimit(youtube, creator))
    return uploadLimitExceeded(youtube)

  const session: UploadSession = {
    upload_id: secret(100),
    username: creator.username,
    parts,
    metadata,
    bytes,
    stored: 0,
    created_at: youtube.clock.now(),
    gone: false,
    stuck: call.fault?.fault === 'stuck_processing',
    answer: null,
  }
  youtube.sessions.put(session.upload_id, session)
  const address = new URLSearchParams({
    uploadType: 'resumable',
    part: parts.join(','),
    upload_id: session.upload_id,
  })
  return {
    status: 200,
    headers: { location: `${call.origin}${url.split('?')[0] ?? ''}?${address.toString()}` },
    body: '',
  }
}

const isRefusal = (value: object): value is Answer => 'body' in value && 'headers' in value

/** Uploads of the channel by any app, in 24 hours. */
const isOverLimit = (youtube: YouTube, { username, daily_limit }: Creator): boolean =>
  daily_limit !== null &&
  youtube.videos
    .all()
    .filter((video) => video.username === username && video.created_at > youtube.clock.now() - day).length >=
    daily_limit

const uploadLimitExceeded = (youtube: YouTube): Answer =>
  apiError(youtube, {
    status: youtube.settings.get().youtube_upload_limit_status,
    reason: 'uploadLimitExceeded',
    domain: 'youtube.video',
    message: 'The user has exceeded the number of videos they may upload.',
  })

interface Range {
  first: number
  last: number
  total: number
}

export interface Uploads {
  put(call: Call): Promise<Outcome>
  nameOf(request: FastifyRequest): 'probe' | 'chunk' | 'final_chunk'
  findAccount(request: FastifyRequest): string | null
}

/** The address of an upload session: `PUT` of bytes, or of nothing to ask how many are stored. */
export function openUploads(youtube: YouTube): Uploads {
  /** Running hashes over the stored bytes, recomputed from the file after a restart or a cut. */
  const hashes = new Map<string, Hash>()
  /** The connection that fills each session: a newer one replaces one that hangs. */
  const filling = new Map<string, Socket>()

  const findSession = (request: FastifyRequest): UploadSession | undefined =>
    youtube.sessions.get(parseQuery(request).get('upload_id') ?? '')

  const put = async (call: Call): Promise<Outcome> => {
    const { request } = call
    const session = findSession(request)
    if (session === undefined || isGone(youtube, session, call)) return afterDraining(request, gone(youtube))
    const refused = refuseToken(youtube, request, session)
    if (refused !== null) return afterDraining(request, refused)
    const asked = readRange(request)
    const wrong = refuseRange(youtube, session, request, asked)
    if (wrong !== null) return afterDraining(request, wrong)
    if (session.answer !== null) return afterDraining(request, repeat(session.answer))
    if (asked === 'probe' || asked === null) return stored(youtube, session, request)
    if (asked.first !== session.stored) {
      // "none of it is stored"; Cloud Storage answers a gap with 503.
      const isGap = asked.first > session.stored && youtube.settings.get().youtube_gap_status === 503
      return afterDraining(request, isGap ? unavailable(youtube) : stored(youtube, session, request))
    }
    return fill(call, session, asked)
  }

  const fill = async (call: Call, session: UploadSession, range: Range): Promise<Outcome> => {
    const { request } = call
    const { socket } = request.raw
    const { upload_id } = session
    filling.get(upload_id)?.destroy()
    filling.set(upload_id, socket)
    const hash = (hashes.get(upload_id) ?? (await hashStored(youtube, session))).copy()
    const length = range.last - range.first + 1
    const stopAt = call.fault?.fault === 'reset_midway' ? Math.floor(length / 2) : length
    const written = await writeBody(youtube.media.incoming(upload_id), range.first, stopAt, request, hash)
    const isTakenOver = filling.get(upload_id) !== socket
    if (!isTakenOver) filling.delete(upload_id)
    const current = youtube.sessions.get(upload_id)
    // A reset may have cleared everything while the bytes arrived.
    if (current === undefined) return gone(youtube)
    if (written < length || isTakenOver) {
      call.detail = `connection ended after ${written} of ${length} bytes`
      if (!isTakenOver) keepWholeUnits(current, range.first + written)
      socket.resetAndDestroy()
      return 'cut'
    }
    if (range.last === session.bytes - 1) return finish(call, current, hash.digest('hex'))
    hashes.set(upload_id, hash)
    const grown = { ...current, stored: range.last + 1 }
    youtube.sessions.put(upload_id, grown)
    return stored(youtube, grown, request)
  }

  const keepWholeUnits = (session: UploadSession, received: number): void => {
    hashes.delete(session.upload_id)
    const whole = Math.floor(received / unit) * unit
    if (whole > session.stored) youtube.sessions.put(session.upload_id, { ...session, stored: whole })
  }

  /** The last byte is in: the video exists, and nothing more is needed for it to become public. */
  const finish = async (call: Call, session: UploadSession, sha256: string): Promise<Answer> => {
    const { upload_id, username, metadata, bytes } = session
    hashes.delete(upload_id)
    const creator = youtube.creators.get(username)
    const settings = youtube.settings.get()
    if (settings.youtube_upload_limit_at === 'last_byte' && creator && isOverLimit(youtube, creator)) {
      const { status, body } = uploadLimitExceeded(youtube)
      youtube.sessions.put(upload_id, { ...session, stored: bytes, answer: { status, body } })
      await youtube.media.discard(upload_id)
      return repeat({ status, body })
    }
    const video: Video = {
      id: newVideoId(),
      upload_id,
      username,
      metadata,
      sha256,
      bytes,
      created_at: youtube.clock.now(),
      stuck: session.stuck || call.fault?.fault === 'stuck_processing',
    }
    // It is `uploaded` in this answer, however short the processing is.
    const resource = toResource(youtube, { ...video, stuck: true }, call.origin, session.parts)
    const { body } = json(200, resource)
    const answer = { status: settings.youtube_final_status, body }
    youtube.store.transaction(() => {
      youtube.videos.put(video.id, video)
      youtube.sessions.put(upload_id, { ...session, stored: bytes, answer })
    })
    // First the record, then the file: the next start repairs a kill between them.
    await youtube.media.finish(upload_id, sha256)
    inspectUpload(youtube, video)
    return repeat(answer)
  }

  return {
    put,
    nameOf: (request) => {
      const range = readRange(request)
      if (range === 'probe') return 'probe'
      return range !== null && range.last === range.total - 1 ? 'final_chunk' : 'chunk'
    },
    findAccount: (request) => findSession(request)?.username ?? null,
  }
}

async function hashStored(youtube: YouTube, { upload_id, stored: bytes }: UploadSession): Promise<Hash> {
  const hash = createHash('sha256')
  if (bytes === 0) return hash
  const path = youtube.media.incoming(upload_id)
  const parts: AsyncIterable<Buffer> = createReadStream(path, { start: 0, end: bytes - 1 })
  for await (const part of parts) hash.update(part)
  return hash
}

/** The life of a session, also of a finished one, has no figure in YouTube's pages: a setting. A fault ends it early. */
function isGone(youtube: YouTube, session: UploadSession, call: Call): boolean {
  if (call.fault?.fault === 'not_found') youtube.sessions.put(session.upload_id, { ...session, gone: true })
  const lifeMs = youtube.settings.get().youtube_session_hours * 3_600_000
  return (
    session.gone || call.fault?.fault === 'not_found' || session.created_at + lifeMs <= youtube.clock.now()
  )
}

const gone = (youtube: YouTube): Answer => ({
  status: youtube.settings.get().youtube_session_gone_status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'Not Found',
})

const unavailable = (youtube: YouTube): Answer =>
  apiError(youtube, { status: 503, reason: 'backendError', message: 'Backend Error' })

/** Not verified: the session may carry the right by itself, which a setting plays. */
function refuseToken(youtube: YouTube, request: FastifyRequest, session: UploadSession): Answer | null {
  if (!youtube.settings.get().youtube_put_needs_token) return null
  const creator = authenticate(youtube, request)
  if ('status' in creator) return creator
  if (creator.username !== session.username)
    return apiError(youtube, { status: 401, reason: 'authError', message: 'Invalid Credentials' })
  return refuseScope(youtube, request, uploadScope)
}

function readRange(request: FastifyRequest): Range | 'probe' | null {
  const header = request.headers['content-range'] ?? ''
  if (/^bytes \*\/\d+$/.test(header)) return 'probe'
  const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(header)
  return match === null ? null : { first: Number(match[1]), last: Number(match[2]), total: Number(match[3]) }
}

function refuseRange(
  youtube: YouTube,
  session: UploadSession,
  request: FastifyRequest,
  range: Range | 'probe' | null,
): Answer | null {
  const refuse = (message: string): Answer => badRequest(youtube, 'badRequest', message, 'global')
  const length = request.headers['content-length']
  if (range === null || length === undefined) return refuse('Content-Range and Content-Length are required.')
  const total = range === 'probe' ? Number(request.headers['content-range']?.split('/')[1]) : range.total
  if (total !== session.bytes) return refuse('The total differs from X-Upload-Content-Length.')
  if (range === 'probe') return length === '0' ? null : refuse('A probe has no body.')
  const size = range.last - range.first + 1
  if (Number(length) !== size || size < 1 || range.last >= range.total)
    return refuse('Content-Length and Content-Range do not match.')
  return range.last === range.total - 1 || size % unit === 0
    ? null
    : refuse(`A chunk before the last must be a multiple of ${unit} bytes.`)
}

/** 308 is no redirect here: so much is stored. Without `Range` nothing is. */
function stored(youtube: YouTube, session: UploadSession, request: FastifyRequest): Answer {
  const retryAfterS = youtube.settings.get().youtube_retry_after_s
  const headers = {
    ...(session.stored > 0 && { range: `bytes=0-${session.stored - 1}` }),
    ...(retryAfterS > 0 && { 'retry-after': String(retryAfterS) }),
  }
  return request.headers['x-guploader-no-308'] === 'yes'
    ? { status: 200, headers: { ...headers, 'x-http-status-code-override': '308' }, body: '' }
    : { status: 308, headers, body: '' }
}

const repeat = ({ status, body }: { status: number; body: string }): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=UTF-8' },
  body,
})
