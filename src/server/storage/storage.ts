import type { Readable } from 'node:stream'

/** A stored file. `key` is the storage's opaque name for it. */
export type Stored = { readonly key: string; readonly size: number; readonly sha256: string }

/** A stored file with the name that the browser sent, which is not trusted. */
export type StoredFile = Stored & { readonly filename: string }

/**
 * Stores videos. A file is written once, never changed, and visible only when it is complete and durable. Every adapter passes
 * `storage-suite.ts`.
 */
export type Storage = {
  /**
   * Stores a stream with constant memory. Rejects with `TooLarge` beyond `maxBytes`, and with the error of the stream or
   * `signal`; then nothing stays stored.
   */
  put(body: Readable, limits: { readonly maxBytes: number; readonly signal?: AbortSignal }): Promise<Stored>
  /** Bytes `first` to `last`, both included, in reads of 1 MiB. Rejects with `NotStored` for an unknown key. */
  read(key: string, first: number, last: number): Promise<Readable>
  stat(key: string): Promise<{ readonly size: number } | null>
  /** Succeeds for unknown keys. Readers that have started can finish. */
  delete(key: string): Promise<void>
  /** Every stored file, unordered; concurrent changes may be missing. Times are epoch ms. */
  list(): AsyncIterable<{ readonly key: string; readonly storedAt: number }>
  /** Deletes partial files of killed processes. Called at start; safe while other processes write. */
  sweep(): Promise<void>
}

/** Bytes per read or write. Smaller buffers cost a quarter of the CPU. */
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
