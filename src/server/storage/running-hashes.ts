import { createHash, type Hash } from 'node:crypto'

/** Hashes of unfinished files in memory; a file whose hash was dropped is read once more at its end. */
const HASHES_MAX = 1000

/** The SHA-256 of files that arrive in parts, as far as this process has written them. */
export type RunningHashes = {
  /** Gives the hash of the file's first `offset` bytes, to go on with; null: another process wrote some of them. */
  take(key: string, offset: number): Hash | null
  put(key: string, hash: Hash, size: number): void
  /** Gives the hash of a whole file, as hex; null: not known here. */
  digest(key: string, size: number): string | null
  forget(key: string): void
}

export function createRunningHashes(): RunningHashes {
  const hashes = new Map<string, { readonly hash: Hash; readonly size: number }>()
  return {
    take(key, offset) {
      const known = hashes.get(key)
      hashes.delete(key)
      if (offset === 0) return createHash('sha256')
      return known?.size === offset ? known.hash : null
    },
    put(key, hash, size) {
      hashes.delete(key)
      hashes.set(key, { hash, size })
      const [oldest] = hashes.keys()
      if (hashes.size > HASHES_MAX && oldest !== undefined) hashes.delete(oldest)
    },
    digest(key, size) {
      const known = hashes.get(key)
      return known?.size === size ? known.hash.copy().digest('hex') : null
    },
    forget: (key) => void hashes.delete(key),
  }
}
