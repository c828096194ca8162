/** A part of the file; both ends included. */
export type Bytes = (first: number, last: number) => Promise<Uint8Array>

/** Where one encoded frame, or a piece of sound, lies in the file. */
export type Sample = { readonly at: number; readonly size: number }

/** One track by its container's own tables. */
export type TrackIndex = {
  readonly id: number
  readonly kind: 'video' | 'audio'
  /** As shown, in seconds. */
  readonly shownS: number
  readonly framesPerSecond: number | null
  readonly bitsPerSecond: number | null
  /** The figures come from parts of the file. */
  readonly isEstimate: boolean
  /** Spread evenly over the file, first and last among them; null: they cannot be looked at. */
  readonly samples: readonly Sample[] | null
  /** The container tells players to leave out, delay or repeat parts. */
  readonly hasEdits: boolean
  /** Null: the container does not tell. */
  readonly isInterlaced: boolean | null
  /** The part of the picture that is shown, before rotation; null: all of it. */
  readonly aperture: { readonly width: number; readonly height: number } | null
  readonly isEncrypted: boolean
}

/** What a file says about itself, and how much of that it holds. */
export type MediaIndex = {
  /** As shown; null: not told. */
  readonly durationS: number | null
  /** The index stands before the media data; null: the container has none. */
  readonly indexFirst: boolean | null
  /** The file promises bytes behind its end; null: it does not tell. */
  readonly isCutOff: boolean | null
  /** What should be its structure is none. */
  readonly isBroken: boolean
  readonly tracks: readonly TrackIndex[]
}

/** Samples of a track that are looked at: a hole of a twelfth of the file meets two of them. */
export const PROBED_SAMPLES = 24

/** So many places of a list of this length, evenly spread, with the first and the last. */
export const spreadOver = (length: number, count: number): number[] =>
  length <= count
    ? Array.from({ length }, (_, i) => i)
    : Array.from({ length: count }, (_, i) => Math.round((i * (length - 1)) / (count - 1)))

export const spread = <T>(all: readonly T[], count: number): T[] =>
  spreadOver(all.length, count).flatMap((place) => all.slice(place, place + 1))

/** Reads more than it is asked for, since heads of boxes, and the units of a sample, lie side by side. */
export function withWindow(bytes: Bytes, size: number, windowBytes = 4_096): Bytes {
  let start = 0
  let window = new Uint8Array()
  return async (first, last) => {
    const end = Math.min(last, size - 1)
    if (first < start || end >= start + window.length) {
      window = new Uint8Array(await bytes(first, Math.min(Math.max(end, first + windowBytes - 1), size - 1)))
      start = first
    }
    return window.subarray(first - start, end - start + 1)
  }
}

export const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
