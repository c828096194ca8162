import { spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdtempSync, rmSync, rmdirSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

export type SmallDisk = {
  readonly dir: string
  /** Takes all of its space but `leave` bytes, to the last byte by default. */
  fill(leave?: number): void
  /** Gives back what `fill` took, if anything. */
  free(): void
  remove(): void
}

/** A file system of its own that runs full; null where we may not mount one. */
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
      // Lazily: a process that was killed may still hold a file for a moment.
      spawnSync('umount', ['-l', dir])
      rmdirSync(dir)
    },
  }
}

const CHUNK = 65_536
