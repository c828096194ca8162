import type { Bytes, Sample, TrackIndex } from './media-index.ts'

/** One sample's pieces are slices and parameter sets; more are not checked. */
const MAX_UNITS = 64

type Codec = {
  readonly name: string
  /** Bytes of the length field before each H.264 or H.265 unit; null: another form, which is not checked. */
  readonly lengthBytes: number | null
}

/**
 * True when the media data of a track can be its samples: a file filled with zeros, or with parts in wrong places, has a
 * complete index and nothing to play. Null: the codec is not known well enough.
 */
export async function isPlayable(read: Bytes, track: TrackIndex, codec: Codec): Promise<boolean | null> {
  if (track.isEncrypted) return false
  const check = CHECKS[codec.name]
  if (!check || track.samples === null) return null
  const results: boolean[] = []
  for (const sample of track.samples) {
    const isSample = await check(read, sample, codec)
    if (isSample === null) return null
    results.push(isSample)
  }
  // One broken sample may be an encoder's mistake, but not the last one.
  return results.at(-1) === true && results.filter((isSample) => !isSample).length < 2
}

type Check = (read: Bytes, sample: Sample, codec: Codec) => Promise<boolean | null>

const byHead =
  (count: number, isHead: (head: Uint8Array, sample: Sample) => boolean): Check =>
  async (read, sample) => {
    const head = await read(sample.at, sample.at + Math.min(count, sample.size) - 1)
    return isHead(head, sample)
  }

const byte = (bytes: Uint8Array, at: number): number => bytes[at] ?? 0

const isSound = byHead(32, (head) => head.length < 16 || head.some((value) => value !== 0))

const CHECKS: Readonly<Record<string, Check>> = {
  avc: units((head) => byte(head, 0) < 0x80 && (byte(head, 0) & 0x1f) > 0),
  hevc: units((head) => byte(head, 0) < 0x80 && (byte(head, 1) & 7) > 0),
  // A key frame has a start code (RFC 6386, 9.1); in other frames the first part must lie within the frame.
  vp8: byHead(10, (head, { size }) => {
    const tag = byte(head, 0) | (byte(head, 1) << 8) | (byte(head, 2) << 16)
    const isKey = (tag & 1) === 0
    return isKey ? byte(head, 3) === 0x9d && byte(head, 4) === 1 && byte(head, 5) === 0x2a : tag >> 5 < size
  }),
  // The frame marker of VP9's uncompressed header.
  vp9: byHead(1, (head) => byte(head, 0) >> 6 === 2),
  // AV1, 5.3.2: the forbidden bit is 0, the type is not reserved, and each unit but the last tells its size.
  av1: byHead(1, (head) => {
    const type = (byte(head, 0) >> 3) & 0xf
    return byte(head, 0) < 0x80 && ((type >= 1 && type <= 8) || type === 15)
  }),
  prores: byHead(8, (head) => String.fromCharCode(...head.subarray(4, 8)) === 'icpf'),
  aac: isSound,
  mp3: isSound,
  opus: isSound,
}

/** Units behind their lengths (ISO/IEC 14496-15, 5.3.3), which together fill the sample. */
function units(isUnit: (head: Uint8Array) => boolean): Check {
  return async (read, { at, size }, { lengthBytes }) => {
    if (lengthBytes === null) return null
    let position = 0
    for (let count = 0; position + lengthBytes < size; count++) {
      if (count === MAX_UNITS) return true
      const head = await read(at + position, at + Math.min(size, position + lengthBytes + 2) - 1)
      const length = head.subarray(0, lengthBytes).reduce((sum, value) => sum * 256 + value, 0)
      if (length === 0 || !isUnit(head.subarray(lengthBytes))) return false
      position += lengthBytes + length
    }
    return position === size
  }
}
