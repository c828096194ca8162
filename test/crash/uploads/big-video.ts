import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setImmediate as breathe } from 'node:timers/promises'
import { fixture } from '../../support/sample.ts'

const GOOD = readFileSync(fixture('good.mp4'))
export const PIECE_BYTES = 1_048_576

/** A real video of up to 4 GB that is stored nowhere: the fixture plus a `free` box. No two pieces are equal. */
export type BigVideo = {
  readonly size: number
  /** At most one piece from `offset` on. */
  read(offset: number): Buffer
  sha256(): Promise<string>
}

export function bigVideo(size: number): BigVideo {
  const free = Buffer.alloc(8)
  free.writeUInt32BE(size - GOOD.length)
  free.write('free', 4, 'latin1')
  const head = Buffer.concat([GOOD, free])
  const read = (offset: number): Buffer => {
    const index = Math.floor(offset / PIECE_BYTES)
    const start = index * PIECE_BYTES
    const piece = Buffer.alloc(Math.min(PIECE_BYTES, size - start))
    // Bytes in the wrong place change the hash.
    piece.writeUInt32BE(index, piece.length - 4)
    if (start < head.length) head.copy(piece, 0, start)
    return piece.subarray(offset - start)
  }
  return {
    size,
    read,
    async sha256() {
      const hash = createHash('sha256')
      for (let offset = 0; offset < size; offset += PIECE_BYTES) {
        hash.update(read(offset))
        await breathe()
      }
      return hash.digest('hex')
    },
  }
}
