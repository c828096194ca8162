import type { Readable } from 'node:stream'

/** `key` is the storage's opaque name for the file. */
export type StoredObject = { readonly key: string; readonly size: number; readonly sha256: string }

/** The name comes from the browser and is not trusted. */
export type StoredFile = StoredObject & { readonly filename: string }

/**
 * Stores videos. A file is written once, never changed, and visible to `read` and `stat` only when it is complete and durable.
 * Every adapter passes `storage-suite.ts`.
 */
export type Storage = {
  /**
   * Stores a stream with constant memory. Rejects with `TooLarge` beyond `maxBytes`, with the Problem disk_full beyond `room`, and
   * with the error of the stream or `signal`; then nothing stays stored. `key`: under which it is stored instead of a new one; nothing
   * may be stored under it.
   */
  put(
    body: Readable,
    options: { readonly maxBytes: number; readonly signal?: AbortSignal; readonly key?: string },
  ): Promise<StoredObject>
  readonly parts: PartialFiles
  /** Bytes `first` to `last`, inclusive, in reads of 1 MiB. Rejects with `NotStored` for an unknown key. */
  read(key: string, first: number, last: number): Promise<Readable>
  stat(key: string): Promise<{ readonly size: number } | null>
  /** Deletes partial files too. Succeeds for unknown keys. Running reads can finish. */
  delete(key: string): Promise<void>
  /** Every stored file and every one of `parts`, unordered; concurrent changes may be missing. Times are epoch ms. */
  list(): AsyncIterable<{ readonly key: string; readonly storedAt: number }>
  /** Bytes that may still be stored, with a reserve left free; negative below that. Not cached. */
  room(): Promise<number>
  probe(): Promise<void>
  /** Deletes remains of killed `put` calls. Called at start; safe while other processes write. */
  sweep(): Promise<void>
}

/** Files that arrive in order, part by part. The caller ensures that one part is written at a time. */
export type PartialFiles = {
  begin(): Promise<string>
  /**
   * Appends at `offset`, which must be the present size, and resolves with the new durable size. Rejects with `TooLarge`
   * beyond `maxBytes` of the whole file, the Problem disk_full beyond `room`, and with the stream's error; bytes written
   * until then stay.
   */
  append(
    key: string,
    body: Readable,
    at: { readonly offset: number; readonly maxBytes: number },
  ): Promise<number>
  /** Durable bytes, also of a completed file; null for an unknown key. */
  size(key: string): Promise<number | null>
  /** Completes the file; repeatable. Rejects with `NotStored` for an unknown key. */
  complete(key: string): Promise<StoredObject>
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
