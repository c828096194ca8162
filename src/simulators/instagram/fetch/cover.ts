import { createHash } from 'node:crypto'
import type { Container, Instagram } from '../state/state.ts'
import { errorText, request, timedOut, type FetchRefusal, type FetchRules } from './request.ts'

/** 36000/2207004 and 36001/2207005 of the error codes. */
const tooLarge = 2207004
const badFormat = 2207005

/** "JPEG, 8MB maximum", with the smaller meaning of MB. */
const cover: FetchRules = { types: ['image/jpeg'], otherType: badFormat, maxBytes: 8_000_000, tooLarge }

/**
 * Downloads `cover_url` after the video. Our assumptions: a bad cover ends the container in ERROR with the subcodes of
 * pictures, `thumb_offset` is ignored then, and CMYK is refused.
 */
export async function fetchCover(
  instagram: Instagram,
  container: Container,
): Promise<{ sha256: string; status: number; bytes: number } | FetchRefusal | null> {
  const { cover_url: url } = container.options
  if (url === null) return null
  const fault = instagram.faults.strike('instagram', 'fetch_cover', container.username)
  const result =
    fault === null ? await download(instagram, url) : { subcode: timedOut, detail: `fault ${fault.fault}` }
  instagram.calls.record({
    platform: 'instagram',
    call: 'fetch_cover',
    account: container.username,
    status: result.status ?? null,
    ...(fault === null ? {} : { fault: fault.fault }),
    detail: 'detail' in result ? result.detail : `${result.bytes} bytes from ${url}`,
  })
  return result
}

async function download(instagram: Instagram, url: string) {
  const { instagram_fetch_timeout_ms: timeoutMs } = instagram.settings.get()
  try {
    const answer = await request(url, 'GET', cover, timeoutMs)
    if ('subcode' in answer) return answer
    const { status } = answer
    const body: AsyncIterable<Uint8Array> = answer.body
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of body) {
      bytes += chunk.byteLength
      if (bytes > cover.maxBytes) return { subcode: tooLarge, detail: 'more than 8 MB', status }
      chunks.push(chunk)
    }
    const picture = Buffer.concat(chunks)
    return isJpeg(picture)
      ? { sha256: createHash('sha256').update(picture).digest('hex'), status, bytes }
      : { subcode: badFormat, detail: 'no whole JPEG in RGB or grey', status }
  } catch (error) {
    return { subcode: timedOut, detail: errorText(error) }
  }
}

/** Walks the segments up to the scan, which an end marker closes; the frame header has the number of colour components. */
function isJpeg(picture: Buffer): boolean {
  if (picture.length < 4 || picture.readUInt16BE(0) !== 0xffd8) return false
  let components = 0
  for (
    let at = 2;
    at + 10 <= picture.length && picture[at] === 0xff;
    at += 2 + picture.readUInt16BE(at + 2)
  ) {
    const kind = picture.readUInt8(at + 1)
    if ([0xc0, 0xc1, 0xc2].includes(kind)) components = picture.readUInt8(at + 9)
    if (kind === 0xda) return [1, 3].includes(components) && picture.includes(endOfImage, at)
  }
  return false
}
const endOfImage = Buffer.from([0xff, 0xd9])
