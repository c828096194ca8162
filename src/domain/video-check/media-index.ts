/** A part of the file, both ends included. */
export type Bytes = (first: number, last: number) => Promise<Uint8Array>

export type Sample = { readonly at: number; readonly size: number }

export type TrackIndex = {
  readonly id: number
  readonly kind: 'video' | 'audio'
  /** The length as shown, in seconds. */
  readonly shownS: number
  readonly framesPerSecond: number | null
  readonly bitsPerSecond: number | null
  readonly isEstimate: boolean
  /** Spread evenly over the file, including first and last; null: they cannot be checked. */
  readonly samples: readonly Sample[] | null
  /** The container tells players to leave out, delay or repeat parts. */
  readonly hasEdits: boolean
  readonly isInterlaced: boolean | null
  /** The visible part of the picture before rotation; null: all of it. */
  readonly aperture: { readonly width: number; readonly height: number } | null
  readonly isEncrypted: boolean
}

/** A file's claims about itself, and how far its bytes support them. */
export type MediaIndex = {
  /** The length as shown; null: unknown. */
  readonly durationS: number | null
  /** The index stands before the media data; null: the container has none. */
  readonly indexFirst: boolean | null
  /** The file promises bytes behind its end; null: unknown. */
  readonly isCutOff: boolean | null
  readonly isBroken: boolean
  readonly tracks: readonly TrackIndex[]
}

/** Probed samples per track: a hole of a twelfth of the file hits two of them. */
export const PROBED_SAMPLES = 24

/** Evenly spread positions in a list of this length, including the first and the last. */
export const spreadOver = (length: number, count: number): number[] =>
  length <= count
    ? Array.from({ length }, (_, i) => i)
    : Array.from({ length: count }, (_, i) => Math.round((i * (length - 1)) / (count - 1)))

export const spread = <T>(all: readonly T[], count: number): T[] =>
  spreadOver(all.length, count).flatMap((place) => all.slice(place, place + 1))

/** Reads ahead: heads of boxes, and units of a sample, are adjacent. */
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
