type Box = { readonly type: string; readonly start: number; readonly size: number }

/**
 * Puts the index (`moov`) of an MP4 or MOV before the media data, so that players can begin before they have the whole file.
 * The media data is not read, so its size does not matter. Null: the index of this file cannot be moved.
 */
export async function toFastStart(file: Blob): Promise<Blob | null> {
  const boxes = await outerBoxes(file)
  const index = boxes?.find(({ type }) => type === 'moov')
  const media = boxes?.find(({ type }) => type === 'mdat')
  if (!boxes || !index || !media) return null
  if (index.start < media.start) return file
  // A fragmented file has an index in each part, and further tables of where these are.
  if (boxes.some(({ type }) => type === 'moof' || type === 'mfra' || type === 'sidx')) return null
  const bytes = new Uint8Array(await file.slice(index.start, index.start + index.size).arrayBuffer())
  const moved = { from: media.start, to: index.start, by: index.size }
  if (!shiftOffsets(bytes, moved)) return null
  const parts = [
    file.slice(0, media.start),
    bytes,
    file.slice(media.start, index.start),
    file.slice(index.start + index.size),
  ]
  return new Blob(parts, { type: file.type })
}

/** ISO/IEC 14496-12, 4.2: a size of 32 bits; 0: to the end of the file, 1: 64 bits follow. Null: this is not such a file. */
async function outerBoxes(file: Blob): Promise<Box[] | null> {
  const boxes: Box[] = []
  for (let start = 0; start < file.size;) {
    const head = new DataView(await file.slice(start, start + 16).arrayBuffer())
    if (head.byteLength < 8 || boxes.length === MAX_BOXES) return null
    const short = head.getUint32(0)
    if (short === 1 && head.byteLength < 16) return null
    const size = short === 0 ? file.size - start : short === 1 ? Number(head.getBigUint64(8)) : short
    if (size < 8 || start + size > file.size) return null
    boxes.push({ type: typeAt(head, 0), start, size })
    start += size
  }
  return boxes
}
const MAX_BOXES = 64

const typeAt = (view: DataView, at: number): string =>
  String.fromCharCode(...[4, 5, 6, 7].map((byte) => view.getUint8(at + byte)))

type Move = { readonly from: number; readonly to: number; readonly by: number }

/** Adds `by` to each chunk offset from `from` to `to`. @returns false if a table of offsets cannot be changed */
function shiftOffsets(index: Uint8Array<ArrayBuffer>, move: Move): boolean {
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength)
  return shiftWithin(view, { start: 8, end: view.byteLength }, move)
}

/** The boxes around the tables of offsets: `moov/trak/mdia/minf/stbl`. */
const PARENTS = new Set(['trak', 'mdia', 'minf', 'stbl'])

function shiftWithin(view: DataView, { start, end }: { start: number; end: number }, move: Move): boolean {
  for (let at = start; at + 8 <= end;) {
    const size = view.getUint32(at)
    const type = typeAt(view, at)
    if (size < 8 || at + size > end || type === 'cmov') return false
    const isShifted =
      type === 'stco' || type === 'co64'
        ? shiftTable(view, { at, size, width: type === 'stco' ? 4 : 8 }, move)
        : !PARENTS.has(type) || shiftWithin(view, { start: at + 8, end: at + size }, move)
    if (!isShifted) return false
    at += size
  }
  return true
}

/** `stco` and `co64` (8.7.5): version and flags, how many, then the offsets. */
function shiftTable(
  view: DataView,
  { at, size, width }: { at: number; size: number; width: 4 | 8 },
  { from, to, by }: Move,
): boolean {
  const count = size < 16 ? 0 : view.getUint32(at + 12)
  if (16 + count * width > size) return false
  for (let entry = at + 16; entry < at + 16 + count * width; entry += width) {
    const offset = width === 4 ? view.getUint32(entry) : Number(view.getBigUint64(entry))
    if (offset < from || offset >= to) continue
    const next = offset + by
    if (width === 8) view.setBigUint64(entry, BigInt(next))
    else if (next <= 0xffff_ffff) view.setUint32(entry, next)
    else return false
  }
  return true
}
