import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Storage } from './storage.ts'

/** Reads a whole file of this many bytes; an empty one has no range to ask for. Rejects with `NotStored` like `read`. */
export const readWholeFile = async (storage: Storage, key: string, size: number): Promise<Readable> =>
  size === 0 ? Readable.from([]) : storage.read(key, 0, size - 1)

/** The SHA-256 of a whole file, as hex. */
export async function hashWholeFile(storage: Storage, key: string, size: number): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of (await readWholeFile(storage, key, size)) as AsyncIterable<Buffer>)
    hash.update(chunk)
  return hash.digest('hex')
}
