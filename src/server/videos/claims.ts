import { type Bytes, viewOf } from '#domain/video-check/media-index.ts'

// ISO/IEC 14496-12. This looks only for claims that the file's size rules out; the parser judges everything else.

/** Limits for the boxes that are read: outermost ones, and all. */
const MAX_TOP_BOXES = 256
const MAX_BOXES = 4_096
/** Bytes of tables that are summed up; the parser judges the rest. */
const MAX_TABLE_BYTES = 67_108_864
const PIECE_BYTES = 1_048_576

const CONTAINERS: ReadonlySet<string> = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'moof', 'traf'])
/** Bytes of one entry of a table that says after four bytes of flags how many entries it has. */
const ENTRY_BYTES: Readonly<Record<string, number>> = {
  stts: 8,
  ctts: 8,
  stsc: 12,
  stco: 4,
  co64: 8,
  stss: 4,
}

type File = {
  readonly bytes: Bytes
  readonly size: number
  boxes: number
  tableBytes: number
  /** The most samples of any track, by its table of sizes, and by its table of times. */
  sized: number
  timed: number
}
type Box = { readonly type: string; readonly at: number; readonly body: number; readonly end: number }

/**
 * Finds MP4 and MOV files that claim more than their size can hold: more samples than bytes or than sizes, or a table longer than
 * its box. The parser would build all of that before it noticed. Other files are not looked into.
 */
export async function claimsTooMuch(bytes: Bytes, size: number): Promise<boolean> {
  const file: File = { bytes, size, boxes: 0, tableBytes: 0, sized: 0, timed: 0 }
  const head = await bytes(0, Math.min(size, 8) - 1)
  if (!/^(ftyp|moov|mdat|wide|free|skip|moof|styp|sidx)$/.test(typeOf(head))) return false
  const isImpossible = await anyBox(file, { at: 0, end: size, most: MAX_TOP_BOXES }, (box) =>
    isTooMuch(file, box),
  )
  // Careless writers are off by a few.
  return isImpossible || file.timed > 2 * file.sized + 1_000
}

async function isTooMuch(file: File, box: Box): Promise<boolean> {
  if (CONTAINERS.has(box.type)) {
    return anyBox(file, { at: box.body, end: box.end, most: MAX_BOXES }, (inner) => isTooMuch(file, inner))
  }
  switch (box.type) {
    case 'stsz':
    case 'stz2':
      return hasTooManySizes(file, box)
    case 'trun':
      return hasTooLongRun(file, box)
    default: {
      const entryBytes = ENTRY_BYTES[box.type]
      return entryBytes === undefined ? false : hasTooLongTable(file, box, entryBytes)
    }
  }
}

/** Visits the boxes of a part of the file in order, until one is found that claims too much. */
async function anyBox(
  file: File,
  part: { readonly at: number; readonly end: number; readonly most: number },
  claims: (box: Box) => Promise<boolean>,
): Promise<boolean> {
  let { at } = part
  for (let seen = 0; seen < part.most && file.boxes < MAX_BOXES && at + 8 <= part.end; seen++) {
    file.boxes += 1
    const head = viewOf(await file.bytes(at, Math.min(at + 16, part.end) - 1))
    const length = head.getUint32(0)
    const isLong = length === 1 && head.byteLength >= 16
    const long = isLong ? Number(head.getBigUint64(8)) : length
    // 0: to the end of the file. A length shorter than the head is invalid.
    const end = length === 0 ? part.end : at + long
    const body = at + (isLong ? 16 : 8)
    if (end < body) return false
    const type = typeOf(new Uint8Array(head.buffer, head.byteOffset, 8))
    if (await claims({ type, at, body, end: Math.min(end, part.end) })) return true
    at = end
  }
  return false
}

/** `stsz`: one size for all samples, or a table of them. */
async function hasTooManySizes(file: File, { type, body, end }: Box): Promise<boolean> {
  const head = await numbersAt(file, body + 4, 2, end)
  if (!head) return false
  const [size, count] = head
  file.sized = Math.max(file.sized, count)
  if (type === 'stsz' && size > 0) return size * count > file.size
  const bits = type === 'stz2' ? size & 0xff : 32
  return (count * bits) / 8 > end - body
}

/** `trun`: its flags say which fields each sample has; without any, samples take no bytes. */
async function hasTooLongRun(file: File, { body, end }: Box): Promise<boolean> {
  const head = await numbersAt(file, body, 2, end)
  if (!head) return false
  const [flags, count] = head
  const fields = [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length
  return fields === 0 ? count > file.size : count * fields * 4 > end - body
}

async function hasTooLongTable(file: File, box: Box, entryBytes: number): Promise<boolean> {
  const head = await numbersAt(file, box.body + 4, 1, box.end)
  if (!head) return false
  const [entries] = head
  const first = box.body + 8
  if (entries * entryBytes > box.end - first) return true
  // Runs of equal samples: the length of each comes first.
  if (box.type !== 'stts' && box.type !== 'ctts') return false
  let samples = 0
  const last = first + entries * entryBytes
  for (let at = first; at < last && file.tableBytes < MAX_TABLE_BYTES; at += PIECE_BYTES) {
    const piece = viewOf(await file.bytes(at, Math.min(at + PIECE_BYTES, last) - 1))
    file.tableBytes += piece.byteLength
    for (let i = 0; i + entryBytes <= piece.byteLength; i += entryBytes) samples += piece.getUint32(i)
    if (samples > file.size) return true
  }
  if (box.type === 'stts') file.timed = Math.max(file.timed, samples)
  return false
}

/** So many 32-bit numbers in a row; null where the box ends before. */
async function numbersAt(
  file: File,
  at: number,
  count: 1 | 2,
  end: number,
): Promise<readonly [number, number] | null> {
  if (at + 4 * count > end) return null
  const view = viewOf(await file.bytes(at, at + 4 * count - 1))
  return [view.getUint32(0), count === 2 ? view.getUint32(4) : 0]
}

const typeOf = (head: Uint8Array) => String.fromCharCode(...head.subarray(4, 8))
