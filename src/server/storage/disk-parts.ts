import { createHash, type Hash } from 'node:crypto'
import { mkdir, open, rename } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { storagePath, newKey, openStored, statStored, syncFolder } from './disk-files.ts'
import { createRoomCheck } from './disk-room.ts'
import { hashingSink } from './hashing-sink.ts'
import { BUFFER_BYTES, NotStored, type PartialFiles, type StoredObject } from './storage.ts'

/** Hashes of unfinished files in memory; a file whose hash was dropped is read once more at its end. */
const HASHES_MAX = 1000

type Folders = { readonly files: string; readonly partial: string; readonly room: () => Promise<number> }
type HashState = { readonly hash: Hash; readonly size: number }

/** Files in `partial` grow part by part and are renamed into `files`. Their size is the only record of what has arrived. */
export async function openDiskParts({
  files,
  partial,
  room,
}: Folders): Promise<PartialFiles & { forget(key: string): void }> {
  await mkdir(partial, { recursive: true, mode: 0o700 })
  const hashes = new Map<string, HashState>()
  const remember = (key: string, hashed: HashState) => {
    hashes.delete(key)
    hashes.set(key, hashed)
    const [oldest] = hashes.keys()
    if (hashes.size > HASHES_MAX && oldest !== undefined) hashes.delete(oldest)
  }
  /** If another process wrote the bytes so far, the file is hashed once, when it is complete. */
  const hashAt = (key: string, offset: number): Hash | null => {
    const known = hashes.get(key)
    hashes.delete(key)
    if (offset === 0) return createHash('sha256')
    return known?.size === offset ? known.hash : null
  }

  return {
    async begin() {
      const key = newKey()
      await (await open(storagePath(partial, key), 'wx', 0o600)).close()
      await syncFolder(partial)
      return key
    },

    async append(key, body, { offset, maxBytes }) {
      const handle = await openStored(partial, key, 'r+')
      try {
        const { size: before } = await handle.stat()
        if (before !== offset) throw new Error(`${key} has ${before} bytes, not ${offset}`)
        const hash = hashAt(key, offset)
        const sink = hashingSink(handle, { hash, maxBytes, start: offset, assertRoom: createRoomCheck(room) })
        const end = await settle(() => pipeline(body, sink.writable))
        const size = await sink.written()
        await handle.datasync()
        if (hash) remember(key, { hash, size })
        if (end.failed) throw end.error
        return size
      } finally {
        await handle.close()
      }
    },

    async size(key) {
      const handle = await openStored(partial, key, 'r+').catch((error: unknown) => {
        if (error instanceof NotStored) return null
        throw error
      })
      if (handle === null) return (await statStored(files, key))?.size ?? null
      try {
        // Bytes of a killed process are only in the system's cache.
        await handle.datasync()
        return (await handle.stat()).size
      } finally {
        await handle.close()
      }
    },

    async complete(key) {
      if ((await statStored(partial, key)) !== null)
        await rename(storagePath(partial, key), storagePath(files, key))
      await syncFolder(files)
      const handle = await openStored(files, key)
      try {
        const { size } = await handle.stat()
        const known = hashes.get(key)
        const hash = known?.size === size ? known.hash : await hashFile(handle)
        remember(key, { hash, size })
        return { key, size, sha256: hash.copy().digest('hex') } satisfies StoredObject
      } finally {
        await handle.close()
      }
    },

    forget: (key) => void hashes.delete(key),
  }
}

/** Uses one buffer: a stream would allocate one per read. */
async function hashFile(handle: FileHandle): Promise<Hash> {
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  for (let offset = 0; ;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset)
    if (bytesRead === 0) return hash
    hash.update(buffer.subarray(0, bytesRead))
    offset += bytesRead
  }
}

type End = { readonly failed: false } | { readonly failed: true; readonly error: unknown }

/** Delays a failure until the written bytes are durable. */
const settle = (task: () => Promise<void>): Promise<End> =>
  task().then(
    () => ({ failed: false }),
    (error: unknown) => ({ failed: true, error }),
  )
