import { createHash } from 'node:crypto'
import { accessSync, constants, createReadStream, statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { API_PREFIX } from '#contract/http/addresses.ts'
import { UploadId, VideoId } from '#contract/ids.ts'
import { VIDEO_MAX_BYTES } from '#contract/limits.ts'
import { UPLOADS_PATH, VIDEO_ID_HEADER } from '#contract/uploads.ts'
import { call, Refused, request, Unreachable } from './client.ts'
import { Stop } from './ends.ts'
import { formatBytes, note, progressLine } from './output.ts'
import { openRecord, type Server } from './settings.ts'

/** One request sends this much. What has arrived of it is kept when the connection is lost. */
const PART_BYTES = 64 * 1024 * 1024
/** A request that has sent nothing for so long is made again, and so is one whose answer does not come. */
const STALLED_MS = 60_000
/** Tries in a row by which nothing arrives. Together they last about three minutes. */
const TRIES = 12
const LONGEST_WAIT_MS = 30_000
/** Half a minute of looks at an upload that has arrived and is no video yet. */
const FINISHING_TRIES = 6

const Unfinished = z.object({ upload: z.string() })

export type VideoFile = {
  readonly path: string
  readonly size: number
  /** A file that was changed is another upload. */
  readonly changed_at: number
}

export function openVideoFile(given: string): VideoFile {
  const file = path.resolve(given)
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined || !stats.isFile()) throw new Stop('refused', `There is no file ${given}.`)
  try {
    accessSync(file, constants.R_OK)
  } catch (cause) {
    throw new Stop('refused', `You may not read ${given}.`, { cause })
  }
  if (stats.size === 0) throw new Stop('refused', `${given} is empty.`)
  if (stats.size > VIDEO_MAX_BYTES)
    throw new Stop('refused', `${given} is larger than ${formatBytes(VIDEO_MAX_BYTES)}.`)
  return { path: file, size: stats.size, changed_at: stats.mtimeMs }
}

/**
 * Sends a file by tus 1.0, and goes on where an earlier run stopped. A file that is in the library already is not sent.
 * @throws Stop
 */
export async function uploadVideo(server: Server, file: VideoFile): Promise<VideoId> {
  const known = await findInLibrary(server, file)
  if (known !== null) return known
  const record = openRecord('upload', [server.address, file], Unfinished)
  let address = record.read()?.upload ?? null
  if (address !== null) note('Going on with the upload where it stopped.')
  let arrived = -1
  for (let failures = 0; ;) {
    assertUnchanged(file)
    try {
      // Of two runs at the same moment both go on with the same one, or the second would post another video.
      address ??= record.readOr({ upload: await createUpload(server, file) }).upload
      const uploadId = UploadId.parse(path.posix.basename(address))
      const { offset, video } = await call(server, 'getUpload', { params: { uploadId }, tries: 1 })
      if (video === null && offset === file.size && failures < FINISHING_TRIES) {
        // The request that sent the last bytes is finishing it: to send them again would make a second video.
        failures += 1
        await sleep(pauseAfter(failures))
        continue
      }
      if (video === null && offset === file.size) {
        // Its video was deleted.
        address = null
        arrived = -1
        record.remove()
        continue
      }
      if (offset > arrived) failures = 0
      arrived = offset
      const done = video?.video_id ?? (await sendPart(server, file, address, offset))
      failures = 0
      if (done === null) continue
      progressLine.clear()
      assertUnchanged(file)
      record.remove()
      return done
    } catch (error) {
      const problem = error instanceof Refused ? error.problem : null
      if (problem === 'not_found') {
        // It has expired.
        address = null
        arrived = -1
        record.remove()
      } else if (!isTransient(error)) {
        progressLine.clear()
        if (problem === 'invalid') record.remove()
        throw error
      }
      failures += 1
      if (failures === TRIES) throw error
      progressLine.show('The connection was lost. Trying again …')
      const asked = error instanceof Refused ? (error.retryAfterS ?? 0) * 1000 : 0
      await sleep(Math.max(asked, pauseAfter(failures)))
    }
  }
}

const pauseAfter = (failures: number): number => Math.min(LONGEST_WAIT_MS, 250 * 2 ** failures)

/** Of a file that is still being written, half of one video and half of another would be sent. @throws Stop */
function assertUnchanged(file: VideoFile): void {
  const now = openVideoFile(file.path)
  if (now.size !== file.size || now.changed_at !== file.changed_at)
    throw new Stop('refused', `${file.path} was changed while it was sent. Run the command again.`)
}

const TUS = { 'tus-resumable': '1.0.0' }

/** The oldest video with the same bytes, so that the same command always posts the same video. */
async function findInLibrary(server: Server, file: VideoFile): Promise<VideoId | null> {
  const { videos } = await call(server, 'listVideos', {
    query: { size: file.size, sort: 'oldest', limit: 100 },
  }).catch((error: unknown) => {
    // Keys that are limited to some brands cannot list videos.
    if (error instanceof Refused && error.problem === 'forbidden') return { videos: [] }
    throw error
  })
  if (videos.length === 0) return null
  const sha256 = await hashFile(file)
  return videos.find((one) => one.sha256 === sha256)?.video_id ?? null
}

export async function hashFile(file: VideoFile): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(file.path)) hash.update(bytes as Buffer) // no encoding was set
  return hash.digest('hex')
}

async function createUpload(server: Server, file: VideoFile): Promise<string> {
  const answer = await request(server, `${API_PREFIX}${UPLOADS_PATH}`, {
    method: 'POST',
    headers: {
      ...TUS,
      'upload-length': String(file.size),
      'upload-metadata': `filename ${Buffer.from(path.basename(file.path)).toString('base64')}`,
    },
  })
  const location = answer.headers.get('location')
  if (location === null) throw new Unreachable(server.address, 'an answer without Location')
  // A server behind a proxy may name itself otherwise.
  return new URL(location, `${server.address}${API_PREFIX}`).pathname
}

/** Sends the next part. It answers the video after the last one, else null. */
async function sendPart(
  server: Server,
  file: VideoFile,
  address: string,
  offset: number,
): Promise<VideoId | null> {
  const end = Math.min(file.size, offset + PART_BYTES)
  const stall = new AbortController()
  const timer = setTimeout(() => stall.abort(), STALLED_MS)
  async function* read() {
    let sent = offset
    for await (const bytes of createReadStream(file.path, { start: offset, end: end - 1 })) {
      yield bytes as Buffer // no encoding was set
      timer.refresh()
      sent += (bytes as Buffer).length
      const percent = Math.floor((sent / file.size) * 100)
      progressLine.show(`Uploading ${path.basename(file.path)}: ${percent} % of ${formatBytes(file.size)}`)
    }
  }
  try {
    const answer = await request(server, address, {
      method: 'PATCH',
      headers: {
        ...TUS,
        'upload-offset': String(offset),
        'content-type': 'application/offset+octet-stream',
        'content-length': String(end - offset),
      },
      body: read(),
      duplex: 'half',
      signal: stall.signal,
    })
    return readVideoId(answer)
  } finally {
    clearTimeout(timer)
  }
}

function readVideoId(answer: Response): VideoId | null {
  const id = answer.headers.get(VIDEO_ID_HEADER)
  return id === null ? null : VideoId.parse(Number(id))
}

/** The next try may succeed: nothing was answered, or the server is busy, or another connection still has the upload. */
const isTransient = (error: unknown): boolean =>
  error instanceof Unreachable ||
  (error instanceof Refused &&
    (error.exit === 'unreachable' || error.problem === 'locked' || error.problem === 'conflict'))
