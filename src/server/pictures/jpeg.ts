export type Size = { readonly width: number; readonly height: number }

/** ITU-T T.81, table B.1: C0 to CF begin a frame, except tables (C4, CC) and C8. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/**
 * The size of a JPEG picture from its first bytes; null if it is none, or is neither RGB nor grey, such as CMYK with its
 * four components.
 */
export function jpegSize(head: Buffer): Size | null {
  if (!head.subarray(0, 3).equals(START)) return null
  for (let at = 2; at + 9 < head.length;) {
    if (head[at] !== 0xff) return null
    const marker = head.readUInt8(at + 1)
    // Fill bytes may precede a marker.
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (isFrame(marker)) {
      const [height, width] = [head.readUInt16BE(at + 5), head.readUInt16BE(at + 7)]
      const components = head.readUInt8(at + 9)
      return width > 0 && height > 0 && (components === 1 || components === 3) ? { width, height } : null
    }
    const length = head.readUInt16BE(at + 2)
    if (length < 2) return null
    at += 2 + length
  }
  return null
}
const START = Buffer.from([0xff, 0xd8, 0xff])
