import type { Readable } from 'node:stream'

/** A stored file. `key` is the storage's opaque name for it. */
export type Stored = { readonly key: string; readonly size: number; readonly sha256: string }

/** A stored file with the name that the browser sent, which is not trusted. */
export type StoredFile = Stored & { readonly filename: string }

/**
 * Stores videos. A file is written once, never changed, and visible to `read` and `stat` only when it is complete and durable.
 * Every adapter passes `storage-suite.ts`.
 */
export type Storage = {
  /**
   * Stores a stream with constant memory. Rejects with `TooLarge` beyond `maxBytes`, with the Problem disk_full beyond `room`, and
   * with the error of the stream or `signal`; then nothing stays stored.
   */
  put(body: Readable, limits: { readonly maxBytes: number; readonly signal?: AbortSignal }): Promise<Stored>
  readonly parts: PartialFiles
  /** Bytes `first` to `last`, both included, in reads of 1 MiB. Rejects with `NotStored` for an unknown key. */
  read(key: string, first: number, last: number): Promise<Readable>
  stat(key: string): Promise<{ readonly size: number } | null>
  /** Partial files too. Succeeds for unknown keys. Readers that have started can finish. */
  delete(key: string): Promise<void>
  /** Every stored file and every one of `parts`, unordered; concurrent changes may be missing. Times are epoch ms. */
  list(): AsyncIterable<{ readonly key: string; readonly storedAt: number }>
  /** Bytes that it still takes, with a reserve left free; negative below that. Read anew at each call. */
  room(): Promise<number>
  /** Writes a few bytes and deletes them. Rejects with the system's error where that fails. */
  probe(): Promise<void>
  /** Deletes what killed processes left of `put`. Called at start; safe while other processes write. */
  sweep(): Promise<void>
}

/** Files that arrive in parts, each from the end of the earlier one. The caller sees to it that one part is written at a time. */
export type PartialFiles = {
  begin(): Promise<string>
  /**
   * Appends at `offset`, which must be the present size, and resolves with the new size once it is durable. Rejects with
   * `TooLarge` beyond `maxBytes` of the whole file, the Problem disk_full beyond `room`, and with the stream's error; what was written
   * until then stays.
   */
  append(
    key: string,
    body: Readable,
    at: { readonly offset: number; readonly maxBytes: number },
  ): Promise<number>
  /** Durable bytes, of a completed file too; null for an unknown key. */
  size(key: string): Promise<number | null>
  /** Makes it a stored file; may be repeated. Rejects with `NotStored` for an unknown key. */
  complete(key: string): Promise<Stored>
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
