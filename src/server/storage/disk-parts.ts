import { createHash, type Hash } from 'node:crypto'
import { mkdir, open, rename } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { storagePath, newKey, openStored, statStored, syncFolder } from './disk-files.ts'
import { createRoomCheck } from './disk-room.ts'
import { hashingSink } from './hashing-sink.ts'
import { createRunningHashes } from './running-hashes.ts'
import { BUFFER_BYTES, NotStored, type PartialFiles, type StoredObject } from './storage.ts'

type Folders = { readonly files: string; readonly partial: string; readonly room: () => Promise<number> }

/** Files in `partial` grow part by part and are renamed into `files`. Their size is the only record of what has arrived. */
export async function openDiskParts({
  files,
  partial,
  room,
}: Folders): Promise<PartialFiles & { forget(key: string): void }> {
  await mkdir(partial, { recursive: true, mode: 0o700 })
  const hashes = createRunningHashes()
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
        const hash = hashes.take(key, offset)
        const sink = hashingSink(handle, { hash, maxBytes, start: offset, assertRoom: createRoomCheck(room) })
        // A failure waits until the written bytes are durable.
        const [end] = await Promise.allSettled([pipeline(body, sink.writable)])
        const size = await sink.written()
        await handle.datasync()
        if (hash) hashes.put(key, hash, size)
        if (end.status === 'rejected') throw end.reason
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
        const known = hashes.digest(key, size)
        if (known !== null) return { key, size, sha256: known } satisfies StoredObject
        const hash = await hashFile(handle)
        hashes.put(key, hash, size)
        return { key, size, sha256: hash.copy().digest('hex') } satisfies StoredObject
      } finally {
        await handle.close()
      }
    },

    forget: (key) => hashes.forget(key),
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
