import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { mediaType, parseQuery } from '../kit/http/body.ts'
import type { Answer, Call, Outcome } from '../kit/http/serve.ts'
import { afterDraining, writeBody } from '../kit/http/upload-body.ts'
import { inspectUpload } from './state/processing.ts'
import { findUploadTask, uploadExpired, type TikTok, type UploadTask } from './state/state.ts'

const mediaTypes = ['video/mp4', 'video/quicktime', 'video/webm']

interface Chunk {
  first: number
  last: number
  isFinal: boolean
}

export interface Uploads {
  put(call: Call): Promise<Outcome>
  nameOf(request: FastifyRequest): 'chunk' | 'final_chunk'
  findAccount(request: FastifyRequest): string | null
}

/** The upload address: `PUT` of one chunk after the other. */
export function openUploads(tiktok: TikTok): Uploads {
  /** Running hashes over the accepted chunks, recomputed from the file after a restart. */
  const hashes = new Map<string, Hash>()
  /** The connection that fills each task: a newer one replaces one that hangs. */
  const filling = new Map<string, Socket>()

  const findTask = (request: FastifyRequest): UploadTask | undefined => {
    const query = parseQuery(request)
    const task = findUploadTask(tiktok, query.get('upload_id') ?? '')
    return task?.upload_token === query.get('upload_token') ? task : undefined
  }

  const put = async (call: Call): Promise<Outcome> => {
    const { request } = call
    if (request.headers.authorization !== undefined) call.flag = 'authorization_sent_to_upload_address'
    const task = findTask(request)
    const chunk = checkChunk(tiktok, task, request)
    if ('status' in chunk) return afterDraining(request, chunk)
    if (task === undefined) return status(404)
    const { socket } = request.raw
    filling.get(task.publish_id)?.destroy()
    filling.set(task.publish_id, socket)

    const hash = (hashes.get(task.publish_id) ?? (await hashReceived(tiktok, task))).copy()
    const length = chunk.last - chunk.first + 1
    const stopAt = call.fault?.fault === 'reset_midway' ? Math.floor(length / 2) : length
    const written = await writeBody(tiktok.media.incoming(task.upload_id), chunk.first, stopAt, request, hash)
    const takenOver = filling.get(task.publish_id) !== socket
    if (!takenOver) filling.delete(task.publish_id)
    if (written < length || takenOver) {
      call.detail = `connection ended after ${written} of ${length} bytes`
      socket.resetAndDestroy()
      return 'cut'
    }
    return accept(call, task, chunk, hash)
  }

  const accept = async (call: Call, task: UploadTask, chunk: Chunk, hash: Hash): Promise<Answer> => {
    // A reset may have cleared everything while the bytes arrived.
    if (tiktok.tasks.get(task.publish_id) === undefined) return status(404)
    const received = chunk.last + 1
    const headers = contentRange(tiktok, task, received)
    const log = receivedLog(tiktok, task, received)
    if (!chunk.isFinal) {
      hashes.set(task.publish_id, hash)
      tiktok.tasks.put(task.publish_id, { ...task, ...log, received })
      return { status: 206, headers, body: '' }
    }
    hashes.delete(task.publish_id)
    const sha256 = hash.digest('hex')
    // "TikTok will start the posting process": from here on the post cannot be stopped.
    const uploaded: UploadTask = {
      ...task,
      ...log,
      received,
      stuck: task.stuck || call.fault?.fault === 'stuck_processing',
      progress: { state: 'processing', sha256, uploaded_at: tiktok.clock.now() },
    }
    // First the record, then the file: the next start repairs a kill between them.
    tiktok.tasks.put(task.publish_id, uploaded)
    await tiktok.media.finish(task.upload_id, sha256)
    inspectUpload(tiktok, uploaded)
    return { status: 201, headers, body: '' }
  }

  return {
    put,
    nameOf: (request) => {
      const task = findTask(request)
      const range = parseRange(request)
      return task !== undefined && range !== null && range.last === task.video_size - 1
        ? 'final_chunk'
        : 'chunk'
    },
    findAccount: (request) => findTask(request)?.username ?? null,
  }
}

async function hashReceived(tiktok: TikTok, task: UploadTask): Promise<Hash> {
  const hash = createHash('sha256')
  if (task.received === 0) return hash
  const path = tiktok.media.incoming(task.upload_id)
  const accepted: AsyncIterable<Buffer> = createReadStream(path, { start: 0, end: task.received - 1 })
  for await (const part of accepted) hash.update(part)
  return hash
}

function checkChunk(tiktok: TikTok, task: UploadTask | undefined, request: FastifyRequest): Chunk | Answer {
  if (task === undefined) return status(404)
  if (uploadExpired(tiktok, task)) return status(403)
  if (!mediaTypes.includes(mediaType(request.headers['content-type']))) return status(400)
  const range = parseRange(request)
  if (range === null) return status(request.headers['content-range'] === undefined ? 416 : 400)
  const length = request.headers['content-length']
  if (length === undefined || Number(length) !== range.last - range.first + 1) {
    return status(400)
  }
  // The real status for a repeated chunk is unknown: a setting. The empty body is our assumption too.
  if (range.last < task.received) {
    const code = tiktok.settings.get().tiktok_repeated_chunk_status
    return { ...status(code), headers: code < 300 ? contentRange(tiktok, task, task.received) : {} }
  }
  const expected = nextChunk(task)
  const isExpected =
    range.first === expected.first && range.last === expected.last && range.total === task.video_size
  return isExpected ? expected : status(416)
}

/** "Content-Range: bytes 0-{UPLOADED_BYTES}/{TOTAL}": count or position is undocumented, so a setting decides. */
const contentRange = (tiktok: TikTok, task: UploadTask, received: number): Record<string, string> => ({
  'content-range': `bytes 0-${tiktok.settings.get().tiktok_content_range === 'count' ? received : received - 1}/${task.video_size}`,
})

const receivedLog = (tiktok: TikTok, task: UploadTask, received: number): Pick<UploadTask, 'received_log'> =>
  tiktok.settings.get().tiktok_status_lag_ms === 0
    ? {}
    : { received_log: [...(task.received_log ?? []), [tiktok.clock.now(), received]] }

function nextChunk(task: UploadTask): Chunk {
  const index = Math.floor(task.received / task.chunk_size)
  const isFinal = index >= task.total_chunk_count - 1
  return {
    first: task.received,
    last: isFinal ? task.video_size - 1 : task.received + task.chunk_size - 1,
    isFinal,
  }
}

function parseRange(request: FastifyRequest): { first: number; last: number; total: number } | null {
  const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(request.headers['content-range'] ?? '')
  return match === null ? null : { first: Number(match[1]), last: Number(match[2]), total: Number(match[3]) }
}

const status = (code: number): Answer => ({ status: code, headers: {}, body: '' })
