import { statfs } from 'node:fs/promises'
import { Problem } from '#base/problem.ts'

/** Uploads leave this much of the disk free, or this share of a small one, for the database and other programs. */
const RESERVE_BYTES = 1_000_000_000
const RESERVE_SHARE = 0.05

/** The free space is read again after this much, because others write too. */
const BLINDLY_WRITTEN_BYTES = 4_194_304

/** Bytes that may still be stored in this folder; negative below the reserve. */
export async function readDiskRoom(folder: string): Promise<number> {
  const { bavail, blocks, bsize } = await statfs(folder)
  // Some network file systems do not know their size.
  if (blocks === 0) return Infinity
  return bavail * bsize - Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_SHARE)
}

export const diskFull = (cause?: unknown): Problem =>
  new Problem(
    'disk_full',
    "The server's disk is nearly full, so it takes no files of this size now. Contact the person who runs it.",
    { cause },
  )

/** @throws Problem disk_full */
export async function assertDiskRoom(
  storage: { readonly room: () => Promise<number> },
  bytes: number,
): Promise<void> {
  if (bytes > (await storage.room())) throw diskFull()
}

/** For one stream: call it before each write. @throws Problem disk_full */
export function createRoomCheck(room: () => Promise<number>): (bytes: number) => Promise<void> {
  let allowed = 0
  return async (bytes) => {
    if (bytes > allowed) {
      const left = await room()
      if (bytes > left) throw diskFull()
      allowed = Math.min(left, Math.max(bytes, BLINDLY_WRITTEN_BYTES))
    }
    allowed -= bytes
  }
}
