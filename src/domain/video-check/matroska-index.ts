import {
  type Bytes,
  type MediaIndex,
  PROBED_SAMPLES,
  type Sample,
  spread,
  type TrackIndex,
  viewOf,
  withWindow,
} from './media-index.ts'

// Matroska and WebM (RFC 9559): elements of an id, a length and content. Frames stand in clusters and are not listed
// anywhere.

const EBML = 0x1a45dfa3
const SEGMENT = 0x18538067
const INFO = 0x1549a966
const TRACKS = 0x1654ae6b
const CLUSTER = 0x1f43b675

/** Files up to this size are read completely; of larger ones only stretches of this size. */
const MAX_EXACT_BYTES = 25_165_824
const STRETCH_BYTES = 524_288
const STRETCHES = 32
/** Live recorders begin a cluster only every few seconds. */
const LIVE_STRETCH_BYTES = 3_145_728
const LIVE_STRETCHES = 12
const MAX_ELEMENTS = 12_000
/** The longest head of an element: an id of 4 bytes and a length of 8. */
const MAX_HEAD = 12
const MAX_HEAD_BYTES = 1_048_576

type Element = {
  readonly id: number
  readonly start: number
  readonly at: number
  readonly end: number
}
/** A track's frames in one stretch of the file. Times are in seconds. */
type Run = { frames: number; bytes: number; from: number; to: number }
type Track = Pick<TrackIndex, 'id' | 'kind' | 'isInterlaced'> & {
  readonly isPlain: boolean
  readonly runs: Run[]
  samples: Sample[]
}

/** Null: the file has another format. */
export async function readMatroskaIndex(bytes: Bytes, size: number): Promise<MediaIndex | null> {
  const read = withWindow(bytes, size)
  const header = await elementAt(read, 0, size)
  if (header?.id !== EBML) return null
  let tracks: Track[] = []
  let tickS = 0.001
  let promisedS: number | null = null
  /** The end that the segment promises; Infinity: it promises none. */
  let promisedEnd = Infinity
  let isBroken = false
  const clusters: Element[] = []
  let count = 0
  let at = header.end
  for (; at < Math.min(size, promisedEnd) && count < MAX_ELEMENTS; count++) {
    const element = await elementAt(read, at, size)
    const isWithin = element !== null && (element.end === Infinity || element.end <= promisedEnd)
    if (!isWithin) {
      isBroken = at + MAX_HEAD <= size
      break
    }
    if (element.id === SEGMENT) {
      promisedEnd = element.end
      at = element.at
      continue
    }
    const length = Math.min(element.end, size) - element.at
    if ((element.id === INFO || element.id === TRACKS) && length > 0 && length <= MAX_HEAD_BYTES) {
      const content = viewOf(await read(element.at, element.at + length - 1))
      if (element.id === TRACKS) tracks = tracksIn(content)
      else ({ tickS, promisedS } = infoIn(content))
    }
    if (element.id === CLUSTER) clusters.push(element)
    at = element.end
    // Live recorders give no length: search for the next cluster among the frames.
    if (at === Infinity) break
  }
  const isSized = promisedEnd !== Infinity
  let isCutOff: boolean | null = isSized ? promisedEnd > size : at === Infinity ? null : at > size
  const isLiveRecording = clusters.at(-1)?.end === Infinity
  const known = clusters.reduce((sum, cluster) => sum + Math.min(cluster.end, size) - cluster.at, 0)
  const isExact = count < MAX_ELEMENTS && (isLiveRecording ? size : known) <= MAX_EXACT_BYTES
  const stretches = isLiveRecording
    ? spreadStretches(size, isExact, clusters.at(-1)?.start ?? 0)
    : isExact
      ? clusters
      : spread(clusters, STRETCHES)
  let end: StretchEnd = 'unknown'
  for (const [i, stretch] of stretches.entries()) {
    const limit = isExact ? size : stretch.at + (isLiveRecording ? LIVE_STRETCH_BYTES : STRETCH_BYTES)
    const last = Math.min(isLiveRecording ? limit : Math.min(stretch.end, limit), size) - 1
    const from = isLiveRecording ? stretch.start : stretch.at
    if (last <= from) continue
    const reader = { view: viewOf(await bytes(from, last)), from, tracks, tickS }
    end = readBlocks(reader, isLiveRecording && i > 0)
    // A stretch may end within a frame, but a whole cluster does not.
    isBroken ||= end === 'broken' || (!isLiveRecording && end === 'cut' && last === stretch.end - 1)
  }
  if (isLiveRecording && end !== 'unknown') isCutOff = end === 'cut'
  const indexed = tracks.map((track) => toTrackIndex(track, isExact))
  const lastS = Math.max(0, ...tracks.flatMap(({ runs }) => runs.map(({ to }) => to)))
  // Only the last frames prove the promised length.
  const sawEnd =
    isExact || isLiveRecording || (stretches.at(-1)?.end ?? 0) <= (stretches.at(-1)?.at ?? 0) + STRETCH_BYTES
  if (!isSized && promisedS !== null && sawEnd) isCutOff = isCutOff === true || lastS < promisedS * 0.9 - 1
  return {
    durationS: promisedS ?? (sawEnd && lastS > 0 ? lastS : null),
    indexFirst: null,
    isCutOff,
    isBroken,
    tracks: indexed,
  }
}

/** The stretches of a live recording: all of it, or some from everywhere including its end. */
function spreadStretches(size: number, isExact: boolean, start: number): Element[] {
  if (isExact) return [stretchAt(start)]
  const last = size - LIVE_STRETCH_BYTES
  return Array.from({ length: LIVE_STRETCHES }, (_, i) =>
    stretchAt(Math.round(start + ((last - start) * i) / (LIVE_STRETCHES - 1))),
  )
}

const stretchAt = (start: number): Element => ({ id: CLUSTER, start, at: start, end: Infinity })

async function elementAt(read: Bytes, start: number, size: number): Promise<Element | null> {
  if (start + 2 > size) return null
  return headAt(viewOf(await read(start, Math.min(start + 11, size - 1))), 0, start)
}

/** The head of an element: an id with its length marker, and a length whose bits are all ones if unknown (RFC 8794, 4-6). */
function headAt(view: DataView, at: number, offset = 0): Element | null {
  if (at >= view.byteLength) return null
  const idBytes = Math.clz32(view.getUint8(at)) - 23
  if (idBytes > 4 || at + idBytes >= view.byteLength) return null
  const lengthBytes = Math.clz32(view.getUint8(at + idBytes)) - 23
  if (lengthBytes > 8 || at + idBytes + lengthBytes > view.byteLength) return null
  const content = at + idBytes + lengthBytes
  const length = vint(view, at + idBytes, lengthBytes)
  return {
    id: unsigned(view, at, idBytes),
    start: offset + at,
    at: offset + content,
    end: length === null ? Infinity : offset + content + length,
  }
}

/** A number without its length marker; null: all ones. Eight bytes with the marker would not fit. */
function vint(view: DataView, at: number, count: number): number | null {
  const mask = 0xff >> count
  const first = view.getUint8(at) & mask
  const rest = new Uint8Array(view.buffer, view.byteOffset + at + 1, count - 1)
  if (first === mask && rest.every((byte) => byte === 0xff)) return null
  return rest.reduce((value, byte) => value * 256 + byte, first)
}

function unsigned(view: DataView, at: number, count: number): number {
  let value = 0
  for (let i = 0; i < count && at + i < view.byteLength; i++) value = value * 256 + view.getUint8(at + i)
  return value
}

function* elementsIn(view: DataView, from = 0, to = view.byteLength): Generator<Element> {
  for (let at = from; at < to;) {
    const element = headAt(view, at)
    if (element === null || element.end > to) return
    yield element
    at = element.end
  }
}

const readValue = (view: DataView, { at, end }: Element): number => unsigned(view, at, Math.min(8, end - at))

function infoIn(view: DataView): { tickS: number; promisedS: number | null } {
  let tickS = 0.001
  let ticks: number | null = null
  for (const element of elementsIn(view)) {
    if (element.id === 0x2ad7b1) tickS = readValue(view, element) / 1e9
    if (element.id === 0x4489 && element.end - element.at === 8) ticks = view.getFloat64(element.at)
    if (element.id === 0x4489 && element.end - element.at === 4) ticks = view.getFloat32(element.at)
  }
  const seconds = ticks === null ? 0 : ticks * tickS
  return { tickS, promisedS: seconds > 0 && Number.isFinite(seconds) ? seconds : null }
}

function tracksIn(view: DataView): Track[] {
  const tracks: Track[] = []
  for (const entry of elementsIn(view)) {
    if (entry.id !== 0xae) continue
    let id = 0
    let type = 0
    let isInterlaced: boolean | null = null
    let isPlain = true
    for (const element of elementsIn(view, entry.at, entry.end)) {
      if (element.id === 0xd7) id = readValue(view, element)
      if (element.id === 0x83) type = readValue(view, element)
      if (element.id === 0x6d80) isPlain = false
      if (element.id !== 0xe0) continue
      for (const inner of elementsIn(view, element.at, element.end)) {
        const scan = inner.id === 0x9a ? readValue(view, inner) : 0
        if (scan > 0) isInterlaced = scan === 1
      }
    }
    if (type === 1 || type === 2)
      tracks.push({ id, kind: type === 1 ? 'video' : 'audio', isInterlaced, isPlain, runs: [], samples: [] })
  }
  return tracks
}

type StretchEnd = 'whole' | 'cut' | 'broken' | 'unknown'

type Stretch = {
  readonly view: DataView
  readonly from: number
  readonly tracks: readonly Track[]
  readonly tickS: number
}

/**
 * Adds the frames of a stretch. `isMidway`: it starts anywhere, so its first cluster must be found. @returns if the stretch
 * ends with an element, within one or with invalid data; unknown: it has no cluster
 */
function readBlocks({ view, from, tracks, tickS }: Stretch, isMidway: boolean): StretchEnd {
  let clusterTicks = 0
  let at = isMidway ? findCluster(view) : 0
  if (at === view.byteLength) return 'unknown'
  const runs = new Map<Track, Run>()
  while (at < view.byteLength) {
    const element = headAt(view, at)
    if (element === null) break
    const isGroup = element.id === CLUSTER || element.id === 0xa0
    if (element.id === 0xe7) clusterTicks = readValue(view, element)
    if (element.id === 0xa3 || element.id === 0xa1) addBlock(element)
    if (!isGroup && element.end > view.byteLength) break
    at = isGroup ? element.at : element.end
  }
  for (const [track, run] of runs) track.runs.push(run)
  if (at === view.byteLength) return 'whole'
  return at + MAX_HEAD > view.byteLength || headAt(view, at) !== null ? 'cut' : 'broken'

  function addBlock({ at: start, end }: Element): void {
    const idBytes = start < view.byteLength ? Math.clz32(view.getUint8(start)) - 23 : 9
    const head = start + idBytes
    if (idBytes > 8 || head + 3 > view.byteLength) return
    const id = vint(view, start, idBytes)
    const track = tracks.find((one) => one.id === id)
    if (!track) return
    const moment = (clusterTicks + view.getInt16(head)) * tickS
    // Laced frames share a block (10.3): their number is its first byte plus one.
    const frames =
      (view.getUint8(head + 2) & 6) > 0 && head + 4 <= view.byteLength ? view.getUint8(head + 3) + 1 : 1
    const size = end - head - 3
    const run = runs.get(track) ?? { frames: 0, bytes: 0, from: moment, to: moment }
    runs.set(track, run)
    run.frames += frames
    run.bytes += size
    run.from = Math.min(run.from, moment)
    run.to = Math.max(run.to, moment)
    if (track.isPlain && frames === 1 && size > 0) track.samples.push({ at: from + head + 3, size })
    if (track.samples.length > 16 * PROBED_SAMPLES) track.samples = spread(track.samples, 4 * PROBED_SAMPLES)
  }
}

/** The first cluster: its id, and its time or a checksum as the first element within. */
function findCluster(view: DataView): number {
  for (let at = 0; at + 12 < view.byteLength; at++) {
    if (view.getUint32(at) !== CLUSTER) continue
    const cluster = headAt(view, at)
    const first = cluster && headAt(view, cluster.at)
    if (first && (first.id === 0xe7 || first.id === 0xbf)) return at
  }
  return view.byteLength
}

function toTrackIndex(
  { id, kind, isInterlaced, isPlain, runs, samples }: Track,
  isExact: boolean,
): TrackIndex {
  // Each stretch stands for the time up to the next one, so that a quiet beginning does not count for the whole file.
  const ordered = runs.filter(({ frames }) => frames > 0).toSorted((one, other) => one.from - other.from)
  const first = ordered[0]?.from ?? 0
  const last = Math.max(first, ...ordered.map(({ to }) => to))
  let frames = 0
  let bits = 0
  let weightS = 0
  if (isExact) {
    frames = ordered.reduce((sum, run) => sum + run.frames, 0) - 1
    bits = ordered.reduce((sum, run) => sum + run.bytes, 0) * 8
    weightS = last - first
  } else {
    for (const [i, run] of ordered.entries()) {
      const ownS = run.to - run.from
      if (run.frames < 2 || ownS <= 0) continue
      const gapS = Math.max(ownS, (ordered[i + 1]?.from ?? run.to) - run.from)
      frames += ((run.frames - 1) / ownS) * gapS
      bits += ((run.bytes * 8) / ownS) * gapS
      weightS += gapS
    }
  }
  const frameS = frames > 0 ? weightS / frames : 0
  return {
    id,
    kind,
    shownS: last + frameS,
    // Times are in milliseconds: more digits would be noise.
    framesPerSecond: frames > 0 && weightS > 0 ? Math.round((frames / weightS) * 100) / 100 : null,
    bitsPerSecond: weightS > 0 ? bits / weightS : null,
    isEstimate: !isExact,
    samples: isPlain && (isExact || samples.length > 0) ? spread(samples, PROBED_SAMPLES) : null,
    hasEdits: false,
    isInterlaced,
    aperture: null,
    isEncrypted: false,
  }
}
