import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))

export type Sample = { readonly file: File; readonly sha256: string; readonly bytes: number }

export const GOOD = readFileSync(fixture('good.mp4'))
let made = 0

/**
 * A real, playable MP4 of exactly this size, unlike every other one: the fixture plus a `free` box, which players skip
 * (ISO/IEC 14496-12, 8.1.2).
 */
export function sampleVideo(bytes: number = GOOD.length + 64): Sample {
  const padding = Buffer.alloc(bytes - GOOD.length)
  padding.writeUInt32BE(padding.length, 0)
  padding.write('free', 4, 'latin1')
  padding.writeUInt32BE(++made, 8)
  padding.writeDoubleBE(Math.random(), 12)
  const content = Buffer.concat([GOOD, padding])
  return {
    file: new File([content], `video-${made}.mp4`, { type: 'video/mp4' }),
    sha256: createHash('sha256').update(content).digest('hex'),
    bytes,
  }
}
