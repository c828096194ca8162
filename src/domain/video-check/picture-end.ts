/**
 * True when the end of a picture's file is missing, as after an interrupted download: decoders would leave the rest grey.
 * Unknown formats are left to the decoder.
 */
export function isPictureCutOff(file: Uint8Array): boolean {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const name = (at: number, length = 4) => String.fromCharCode(...file.subarray(at, at + length))
  if (name(0, 3) === '\xff\xd8\xff') return !hasJpegEnd(file, view)
  if (name(1, 3) === 'PNG') return !hasPngEnd(view, name)
  if (name(0) === 'GIF8') return file.findLast((byte) => byte !== 0) !== 0x3b
  const isWebp = name(0) === 'RIFF' && name(8) === 'WEBP' && file.length >= 12
  if (isWebp && view.getUint32(4, true) + 8 > file.length) return true
  const isHeif = name(4) === 'ftyp'
  if (isHeif && !hasWholeBoxes(view)) return true
  // A download with a reserved size ends in zeros, unlike every compressed picture.
  return (isWebp || isHeif) && file.subarray(-64).every((byte) => byte === 0)
}

/** Finds the end marker of JPEG (ITU-T T.81, annex B); thumbnails have theirs within segments, which are skipped. */
function hasJpegEnd(file: Uint8Array, view: DataView): boolean {
  for (let at = 2; at + 1 < file.length;) {
    const marker = file[at] === 0xff ? file[at + 1] : undefined
    if (marker === 0xd9) return true
    // Within a scan: data, escaped 0xff, restart markers and fill bytes.
    const isData =
      marker === undefined || marker === 0 || marker === 0xff || (marker >= 0xd0 && marker <= 0xd7)
    if (isData) at += marker === undefined || marker === 0xff ? 1 : 2
    else if (at + 4 > file.length) return false
    else at += 2 + view.getUint16(at + 2)
  }
  return false
}

/** PNG, 5.3: chunks of a length, a name, data and a checksum, up to `IEND`. */
function hasPngEnd(view: DataView, name: (at: number) => string): boolean {
  for (let at = 8; at + 12 <= view.byteLength; at += 12 + view.getUint32(at)) {
    if (name(at + 4) === 'IEND') return true
    if (!/^[A-Za-z]{4}$/.test(name(at + 4))) return false
  }
  return false
}

/** AVIF and HEIC consist of boxes, each with its length (ISO/IEC 14496-12, 4.2); 0: up to the end. */
function hasWholeBoxes(view: DataView): boolean {
  for (let at = 0; at + 8 <= view.byteLength;) {
    const short = view.getUint32(at)
    if (short === 0) return true
    const length = short === 1 && at + 16 <= view.byteLength ? Number(view.getBigUint64(at + 8)) : short
    if (length < 8 || at + length > view.byteLength) return false
    at += length
  }
  return true
}
