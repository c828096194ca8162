import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { secret } from '../kit/ids.ts'
import { mediaType } from '../kit/http/body.ts'
import type { Answer, Call } from '../kit/http/serve.ts'
import { apiError, badRequest, forbidden, json, missingParameter, notFound, type Caller } from './answers.ts'
import { etag, type Video, type YouTube } from './state.ts'
import { isProcessed, thumbnailsOf } from './videos.ts'

/** "≤ 50 MB since 2026-09-14" */
export const thumbnailMaxBytes = 50_000_000

/** `POST /upload/youtube/v3/thumbnails/set?videoId=` with the picture as the body. */
export async function setThumbnail(
  youtube: YouTube,
  call: Call,
  { creator, query }: Caller,
): Promise<Answer> {
  const id = query.get('videoId')
  if (id === null) return missingParameter(youtube, 'videoId')
  const { body } = call.request
  if (!Buffer.isBuffer(body) || body.length === 0)
    return badRequest(youtube, 'mediaBodyRequired', 'The request has no image.')
  if (body.length > thumbnailMaxBytes)
    return apiError(youtube, { status: 413, reason: 'uploadTooLarge', message: 'The image is too large.' })
  const type = readType(body)
  if (type === null || mediaType(call.request.headers['content-type']) !== type)
    return badRequest(
      youtube,
      'invalidImage',
      'The image is not a JPEG or PNG, or not what Content-Type says.',
    )
  const video = youtube.videos.get(id)
  if (video === undefined || call.fault?.fault === 'not_found')
    return notFound(youtube, 'videoNotFound', 'The video cannot be found.')
  if (video.username !== creator.username || !creator.thumbnails_allowed)
    return forbidden(youtube, 'forbidden', 'The thumbnail may not be set.')

  const sha256 = createHash('sha256').update(body).digest('hex')
  const changed: Video = { ...video, thumbnail: { sha256, type } }
  // Before processing has ended the answer is the same, and nothing changes: observed in 2026-07.
  if (isProcessed(youtube, video)) {
    const name = secret(16)
    await writeFile(youtube.media.incoming(name), body, { mode: 0o600 })
    await youtube.media.finish(name, sha256)
    youtube.videos.put(id, { ...(youtube.videos.get(id) ?? video), thumbnail: { sha256, type } })
  }
  return json(200, {
    kind: 'youtube#thumbnailSetResponse',
    etag: etag(`thumbnail ${sha256}`),
    items: [thumbnailsOf(changed, call.origin)],
  })
}

function readType(bytes: Buffer): string | null {
  if (bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return 'image/jpeg'
  return bytes.subarray(0, 8).equals(Buffer.from('\u0089PNG\r\n\u001A\n', 'latin1')) ? 'image/png' : null
}
