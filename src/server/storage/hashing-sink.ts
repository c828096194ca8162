import type { Hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { callbackify } from 'node:util'
import { BUFFER_BYTES, TooLarge } from './storage.ts'

/** Bytes between syncs, so that the last sync is short whatever the file's size. */
const SYNC_BYTES = 33_554_432

type Sink = {
  readonly writable: Writable
  /** The file's size, once no write is in progress: a stream that breaks does not wait for its last one. */
  written(): Promise<number>
}

export function hashingSink(
  handle: FileHandle,
  {
    hash,
    maxBytes,
    start = 0,
    assertRoom,
  }: {
    readonly hash: Hash | null
    readonly maxBytes: number
    readonly start?: number
    readonly assertRoom: (bytes: number) => Promise<void>
  },
): Sink {
  let size = start
  let synced = start
  let isSyncing = false
  let write: Promise<void> = Promise.resolve()
  // The system reports a failed sync only once, so keep the first failure until the end.
  let syncs: Promise<void> = Promise.resolve()
  const syncOn = async (earlier: Promise<void>) => {
    await earlier
    await handle.datasync()
    isSyncing = false
  }
  const take = async (chunks: Buffer[]) => {
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    if (size + bytes > maxBytes) throw new TooLarge(maxBytes)
    await assertRoom(bytes)
    const written = writeAll(handle, chunks, size, bytes)
    if (hash) for (const chunk of chunks) hash.update(chunk)
    await written
    size += bytes
    if (isSyncing || size - synced < SYNC_BYTES) return
    isSyncing = true
    synced = size
    syncs = syncOn(syncs)
    syncs.catch(() => {})
  }
  const takeThen = callbackify((chunks: Buffer[]) => (write = take(chunks)))
  const writable = new Writable({
    highWaterMark: BUFFER_BYTES,
    write: (chunk: Buffer, _encoding, done) => takeThen([chunk], done),
    // Not in object mode, so every chunk is a Buffer.
    writev: (entries, done) =>
      takeThen(
        entries.map(({ chunk }) => chunk as Buffer),
        done,
      ),
    final: callbackify(() => syncs),
  })
  return {
    writable,
    async written() {
      await write
      await syncs
      return size
    },
  }
}

async function writeAll(handle: FileHandle, chunks: Buffer[], position: number, bytes: number) {
  const { bytesWritten } = await handle.writev(chunks, position)
  if (bytesWritten === bytes) return
  // A short write means a nearly full disk; the next write succeeds or returns the error.
  const rest = Buffer.concat(chunks).subarray(bytesWritten)
  const { bytesWritten: more } = await handle.write(rest, 0, rest.length, position + bytesWritten)
  if (more !== rest.length) throw new Error(`The disk took ${bytesWritten + more} of ${bytes} bytes`)
}
