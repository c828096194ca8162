import { spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdtempSync, rmSync, rmdirSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

export type SmallDisk = {
  readonly dir: string
  /** Fills the file system up to `leave` bytes, by default to the last byte. */
  fill(leave?: number): void
  /** Frees what `fill` took. */
  free(): void
  remove(): void
}

/** Mounts a small file system that can be filled; null where mounting is not permitted. */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  const dir = mkdtempSync(path.join(tmpdir(), 'reelay-disk-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', dir])
  if (status !== 0) {
    rmdirSync(dir)
    return null
  }
  chmodSync(dir, 0o711) // for the database's own account, where we are root
  const ballast = path.join(dir, 'ballast')
  return {
    dir,
    fill(leave = 0) {
      const { bavail, bsize } = statfsSync(dir)
      const wanted = bavail * bsize - leave
      for (let taken = 0; taken < wanted; taken += CHUNK) {
        try {
          appendFileSync(ballast, Buffer.alloc(Math.min(CHUNK, wanted - taken)))
        } catch {
          return // somebody else took the rest
        }
      }
    },
    free: () => rmSync(ballast, { force: true }),
    remove() {
      // Lazily: a killed process may still have a file open for a moment.
      spawnSync('umount', ['-l', dir])
      rmdirSync(dir)
    },
  }
}

const CHUNK = 65_536
