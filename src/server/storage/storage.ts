import type { Readable } from 'node:stream'

/** What storing found out about a file. `key` is the storage's own name for it; nothing can be read from it. */
export type Stored = { readonly key: string; readonly size: number; readonly sha256: string }

/** A stored file with the name that the browser gave it, which is not to be believed. */
export type StoredFile = Stored & { readonly filename: string }

/**
 * Where videos are kept. A file is written once, never changed, and visible only when it is whole and safe on the
 * medium. Every adapter passes `storage-suite.ts`.
 */
export type Storage = {
  /**
   * Takes a stream to its end. Rejects with `TooLarge` as soon as more than `maxBytes` have come, and with whatever ended
   * the stream or `signal` early; then nothing of it is left. Memory does not grow with the file.
   */
  put(body: Readable, limits: { readonly maxBytes: number; readonly signal?: AbortSignal }): Promise<Stored>
  /** Bytes `first` to `last`, both included, in reads of 1 MiB. Rejects with `NotStored` for a key that is not there. */
  read(key: string, first: number, last: number): Promise<Readable>
  stat(key: string): Promise<{ readonly size: number } | null>
  /** Deleting what is not there is no failure. A reader that has begun goes on to its end. */
  delete(key: string): Promise<void>
  /** Every stored file, in no order; what is put or deleted meanwhile may be missing. Times are epoch ms. */
  list(): AsyncIterable<{ readonly key: string; readonly storedAt: number }>
  /** Clears what killed processes left half-written. Called at start; safe beside processes that are writing. */
  sweep(): Promise<void>
}

/** How much is read or written at a time. A quarter of the CPU goes to small buffers otherwise. */
export const BUFFER_BYTES = 1_048_576

export class TooLarge extends Error {
  override name = 'TooLarge'
  constructor(maxBytes: number) {
    super(`The file is larger than ${maxBytes} bytes`)
  }
}

export class NotStored extends Error {
  override name = 'NotStored'
  constructor(key: string, options?: ErrorOptions) {
    super(`Nothing is stored as ${key}`, options)
  }
}
