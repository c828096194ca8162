import {
  type Bytes,
  type MediaIndex,
  PROBED_SAMPLES,
  type Sample,
  spread,
  spreadOver,
  type TrackIndex,
  viewOf,
  withWindow,
} from './media-index.ts'

// ISO/IEC 14496-12 and the QuickTime File Format: boxes with a length, a name and content.

/** `ftyp` is newer than QuickTime: older files begin with any of the others. */
const FIRST_BOXES = /^(ftyp|styp|moov|mdat|wide|free|skip|pnot|uuid|moof|sidx|pdin|PICT|junk)$/
/** Samples are lost only without these boxes; a foreign trailer that looks like another box proves nothing. */
const VITAL = ['moov', 'mdat', 'moof']

const MAX_OUTER_BOXES = 20_000
/** The index of a day at 60 frames a second. */
const MAX_INDEX_BYTES = 67_108_864
const MAX_FRAGMENT_BYTES = 1_048_576

/** Cameras write a few tracks; each costs time to parse. */
const MAX_TRACKS = 200

/** Encoders add silence or frames at the start and skip them by an edit of at most this length. */
const PRIMING_S = 0.25
const PRIMING_FRAMES = 3

type Box = { readonly type: string; readonly at: number; readonly end: number }
type OuterBox = Box & { readonly start: number }

/** A track while its file is read. Times are in the track's own units. */
type Track = {
  readonly id: number
  readonly kind: 'video' | 'audio'
  readonly timescale: number
  readonly edits: readonly Edit[] | null
  readonly entry: Pick<TrackIndex, 'isEncrypted' | 'isInterlaced' | 'aperture'>
  runs: { count: number; ticks: number }[]
  /** Time between decoding and showing the first frame. */
  readonly delay: number
  frames: number
  ticks: number
  bytes: number
  samples: Sample[]
  last: Sample | null
}
/** Seconds of the movie; `from`: a moment of the track in its units, -1 for a pause. */
type Edit = { readonly seconds: number; readonly from: number; readonly rate: number }

type Defaults = { readonly duration: number; readonly size: number }

type Movie = {
  readonly tracks: Track[]
  readonly hasTooManyTracks: boolean
  readonly defaults: ReadonlyMap<number, Defaults>
  /** The length of all fragments as promised; 0: unknown. */
  readonly fragmentsS: number
  end: number
}

/** Null: the file has another format. */
export async function readIsoIndex(bytes: Bytes, size: number): Promise<MediaIndex | null> {
  const read = withWindow(bytes, size)
  let movie: Movie | null = null
  let indexFirst: boolean | null = null
  let overflow = ''
  let isEstimate = false
  let hasIndex = false
  let promisedEnd = 0
  let boxes = 0
  for await (const box of outerBoxes(read, size)) {
    boxes += 1
    if (boxes === 1 && !FIRST_BOXES.test(box.type)) return null
    if (boxes > MAX_OUTER_BOXES) {
      isEstimate = true
      break
    }
    hasIndex ||= box.type === 'moov'
    if (box.type === 'moov' || box.type === 'mdat') indexFirst ??= box.type === 'moov'
    if (box.end > size) {
      overflow = box.type
      break
    }
    const length = box.end - box.at
    if (length === 0) continue
    if (box.type === 'moov' && movie === null && length <= MAX_INDEX_BYTES) {
      movie = readMovie(viewOf(await bytes(box.at, box.end - 1)))
    } else if (box.type === 'sidx' && length <= MAX_FRAGMENT_BYTES) {
      promisedEnd = Math.max(promisedEnd, segmentsEnd(viewOf(await read(box.at, box.end - 1)), box.end))
    } else if (box.type === 'moof' && movie !== null) {
      if (length > MAX_FRAGMENT_BYTES) isEstimate = true
      else readFragment(movie, viewOf(await read(box.at, box.end - 1)), box.start)
    }
  }
  if (boxes === 0) return null
  const tracks = (movie?.tracks ?? []).map((track) => toTrackIndex(track, isEstimate))
  const durations = tracks.map(({ shownS }) => shownS)
  const durationS = durations.length === 0 ? null : Math.max(...durations)
  const samplesEnd = movie?.end ?? 0
  const isCutOff =
    promisedEnd > size ||
    samplesEnd > size ||
    // Some writers give the media data a wrong length although all samples are there.
    (VITAL.includes(overflow) && (overflow !== 'mdat' || samplesEnd === 0)) ||
    // Media data without an index: the index would have followed.
    (indexFirst === false && !hasIndex) ||
    // A download may have ended between two fragments.
    (!isEstimate && (durationS ?? 0) < (movie?.fragmentsS ?? 0) * MOST)
  return {
    durationS,
    indexFirst,
    isCutOff: isEstimate && !isCutOff ? null : isCutOff,
    isBroken: movie?.hasTooManyTracks === true,
    tracks,
  }
}
/** Writers round the lengths they promise. */
const MOST = 0.95

export async function endsWithinBox(bytes: Bytes, size: number): Promise<boolean> {
  let boxes = 0
  for await (const { type, end } of outerBoxes(withWindow(bytes, size), size)) {
    boxes += 1
    if (end > size || boxes > MAX_OUTER_BOXES) return VITAL.includes(type) && end > size
  }
  return false
}

async function* outerBoxes(read: Bytes, size: number): AsyncGenerator<OuterBox> {
  for (let start = 0; start + 8 <= size;) {
    const head = viewOf(await read(start, Math.min(start + 15, size - 1)))
    const short = head.getUint32(0)
    const isLong = short === 1 && head.byteLength >= 16
    const headBytes = isLong ? 16 : 8
    const length = short === 0 ? size - start : isLong ? Number(head.getBigUint64(8)) : short
    if (length < headBytes) return
    yield { type: typeAt(head, 4), start, at: start + headBytes, end: start + length }
    start += length
  }
}

function* boxesIn(view: DataView, from: number, to: number): Generator<Box> {
  for (let at = from; at + 8 <= to;) {
    const short = view.getUint32(at)
    const isLong = short === 1 && at + 16 <= to
    const length = short === 0 ? to - at : isLong ? Number(view.getBigUint64(at + 8)) : short
    const head = isLong ? 16 : 8
    if (length < head || at + length > to) return
    yield { type: typeAt(view, at + 4), at: at + head, end: at + length }
    at += length
  }
}

function find(view: DataView, within: Pick<Box, 'at' | 'end'>, ...path: string[]): DataView | null {
  let { at, end } = within
  for (const type of path) {
    const found = [...boxesIn(view, at, end)].find((box) => box.type === type)
    if (!found) return null
    ;({ at, end } = found)
  }
  return new DataView(view.buffer, view.byteOffset + at, end - at)
}

const typeAt = (view: DataView, at: number): string =>
  String.fromCharCode(...[0, 1, 2, 3].map((byte) => view.getUint8(at + byte)))

const WHOLE = (view: DataView) => ({ at: 0, end: view.byteLength })

function readMovie(view: DataView): Movie {
  const header = find(view, WHOLE(view), 'mvhd')
  const movieScale = header === null ? 0 : numberAt(header, isLongForm(header) ? 20 : 12)
  const defaults = new Map<number, Defaults>()
  for (const box of boxesIn(view, ...findBoxRange(view, 'mvex'))) {
    if (box.type !== 'trex' || box.end - box.at < 20) continue
    defaults.set(view.getUint32(box.at + 4), {
      duration: view.getUint32(box.at + 12),
      size: view.getUint32(box.at + 16),
    })
  }
  const promise = find(view, WHOLE(view), 'mvex', 'mehd')
  const promised = promise === null ? 0 : isLongForm(promise) ? longAt(promise, 4) : numberAt(promise, 4)
  const boxes = [...boxesIn(view, 0, view.byteLength)].filter(({ type }) => type === 'trak')
  const movie: Movie = {
    tracks: [],
    hasTooManyTracks: boxes.length > MAX_TRACKS,
    defaults,
    fragmentsS: movieScale > 0 ? promised / movieScale : 0,
    end: 0,
  }
  for (const box of boxes.slice(0, MAX_TRACKS)) {
    const track = readTrack(view, box, movieScale)
    if (track === null) continue
    movie.tracks.push(track)
    movie.end = Math.max(movie.end, readTables(track, view, box))
  }
  return movie
}

function findBoxRange(view: DataView, type: string): [from: number, to: number] {
  const found = [...boxesIn(view, 0, view.byteLength)].find((box) => box.type === type)
  return found ? [found.at, found.end] : [0, 0]
}

/** Version 1 boxes have 64-bit times. */
const isLongForm = (view: DataView): boolean => view.byteLength > 0 && view.getUint8(0) === 1
const numberAt = (view: DataView, at: number): number => (at + 4 <= view.byteLength ? view.getUint32(at) : 0)
const longAt = (view: DataView, at: number): number =>
  at + 8 <= view.byteLength ? Number(view.getBigUint64(at)) : 0

function readTrack(view: DataView, box: Box, movieScale: number): Track | null {
  const header = find(view, box, 'tkhd')
  const media = find(view, box, 'mdia', 'mdhd')
  const handler = find(view, box, 'mdia', 'hdlr')
  const description = find(view, box, 'mdia', 'minf', 'stbl', 'stsd')
  if (header === null || media === null || handler === null || description === null) return null
  const handlerType = handler.byteLength < 12 ? '' : typeAt(handler, 8)
  const kind = handlerType === 'vide' ? 'video' : handlerType === 'soun' ? 'audio' : null
  const timescale = numberAt(media, isLongForm(media) ? 20 : 12)
  if (kind === null || timescale === 0) return null
  const offsets = find(view, box, 'mdia', 'minf', 'stbl', 'ctts')
  const edits = find(view, box, 'edts', 'elst')
  return {
    id: numberAt(header, isLongForm(header) ? 20 : 12),
    kind,
    timescale,
    edits: edits && readEdits(edits, movieScale),
    entry: readEntry(description, kind),
    delay: offsets !== null && offsets.byteLength >= 16 ? Math.max(0, offsets.getInt32(12)) : 0,
    runs: [],
    frames: 0,
    ticks: 0,
    bytes: 0,
    samples: [],
    last: null,
  }
}

function readEdits(view: DataView, movieScale: number): Edit[] {
  const width = isLongForm(view) ? 20 : 12
  const count = Math.min(numberAt(view, 4), Math.floor((view.byteLength - 8) / width), MAX_EDITS)
  return Array.from({ length: Math.max(0, count) }, (_, i) => {
    const at = 8 + i * width
    const length = width === 20 ? longAt(view, at) : view.getUint32(at)
    const from = width === 20 ? Number(view.getBigInt64(at + 8)) : view.getInt32(at + 4)
    return {
      seconds: movieScale > 0 ? length / movieScale : 0,
      from,
      rate: view.getInt32(at + width - 4) / 65_536,
    }
  })
}
const MAX_EDITS = 1000

/** The first sample description: 8.5.2, and the QuickTime boxes `fiel` and `clap` behind its fixed fields. */
function readEntry(view: DataView, kind: 'video' | 'audio'): Track['entry'] {
  const [first] = boxesIn(view, 8, view.byteLength)
  const isEncrypted = first?.type === 'encv' || first?.type === 'enca'
  if (!first || kind === 'audio' || first.at + 78 > first.end)
    return { isEncrypted, isInterlaced: null, aperture: null }
  const extensions = { at: first.at + 78, end: first.end }
  const fields = find(view, extensions, 'fiel')
  const clean = find(view, extensions, 'clap')
  const ratio = (at: number) =>
    clean === null || numberAt(clean, at + 4) === 0 ? 0 : numberAt(clean, at) / numberAt(clean, at + 4)
  const aperture = { width: ratio(0), height: ratio(8) }
  return {
    isEncrypted,
    isInterlaced: fields === null || fields.byteLength < 1 ? null : fields.getUint8(0) > 1,
    aperture: aperture.width > 0 && aperture.height > 0 ? aperture : null,
  }
}

/** @returns the end of the last sample */
function readTables(track: Track, view: DataView, box: Box): number {
  const table = (name: string) => find(view, box, 'mdia', 'minf', 'stbl', name)
  const times = table('stts')
  const sizes = readSampleSizes(table('stsz'), table('stz2'))
  const groups = table('stsc')
  const chunks = table('stco') ?? table('co64')
  if (times === null || sizes === null || groups === null || chunks === null) return 0
  for (const at of entryOffsets(times, 8)) {
    const run = { count: times.getUint32(at), ticks: times.getUint32(at + 4) }
    track.runs.push(run)
    track.ticks += run.count * run.ticks
    track.frames += run.count
  }
  const width = table('stco') === null ? 8 : 4
  const wanted = spreadOver(sizes.count, PROBED_SAMPLES)
  const groupAt = [...entryOffsets(groups, 12)]
  let group = 0
  let sample = 0
  let end = 0
  for (const at of entryOffsets(chunks, width)) {
    const chunk = (at - 8) / width + 1
    while (numberAt(groups, groupAt[group + 1] ?? groups.byteLength) <= chunk && group + 1 < groupAt.length)
      group += 1
    const stop = Math.min(sizes.count, sample + numberAt(groups, (groupAt[group] ?? groups.byteLength) + 4))
    let position = width === 4 ? chunks.getUint32(at) : longAt(chunks, at)
    // Sound of constant size may have a thousand million samples.
    while (sample < stop) {
      const next = sizes.isSame ? Math.min(stop, Math.max(sample + 1, wanted[0] ?? stop)) : sample + 1
      const size = sizes.of(sample)
      if (sample === wanted[0]) {
        wanted.shift()
        if (size > 0) track.samples.push({ at: position, size })
      }
      position += size * (next - sample)
      track.bytes += size * (next - sample)
      sample = next
    }
    end = Math.max(end, position)
  }
  return end
}

/** The positions of a table's entries, which follow its version and count, as far as the table has room. */
function* entryOffsets(view: DataView, width: number): Generator<number> {
  const count = Math.min(numberAt(view, 4), Math.floor((view.byteLength - 8) / width))
  for (let i = 0; i < count; i++) yield 8 + i * width
}

function readSampleSizes(table: DataView | null, compact: DataView | null) {
  if (table !== null && table.byteLength >= 12) {
    const same = table.getUint32(4)
    const room = same > 0 ? Infinity : (table.byteLength - 12) / 4
    const count = Math.min(table.getUint32(8), Math.floor(room))
    return { count, isSame: same > 0, of: (i: number) => (same > 0 ? same : table.getUint32(12 + i * 4)) }
  }
  if (compact === null || compact.byteLength < 12) return null
  const bits = compact.getUint32(4) & 0xff
  const count = Math.min(
    compact.getUint32(8),
    Math.floor(((compact.byteLength - 12) * 8) / Math.max(bits, 4)),
  )
  return {
    count,
    isSame: false,
    of: (i: number) => {
      if (bits === 16) return compact.getUint16(12 + i * 2)
      if (bits === 8) return compact.getUint8(12 + i)
      const pair = compact.getUint8(12 + (i >> 1))
      return i % 2 === 0 ? pair >> 4 : pair & 0xf
    },
  }
}

/** `sidx` (8.16.3) tells the length of all segments behind it. @returns their end */
function segmentsEnd(view: DataView, start: number): number {
  const isLong = isLongForm(view)
  const first = isLong ? longAt(view, 20) : numberAt(view, 16)
  const countAt = isLong ? 30 : 22
  if (countAt + 2 > view.byteLength) return 0
  let end = start + first
  for (let i = 0, at = countAt + 2; i < view.getUint16(countAt) && at + 12 <= view.byteLength; i++, at += 12)
    end += view.getUint32(at) & 0x7fff_ffff
  return end
}

function readFragment(movie: Movie, view: DataView, start: number): void {
  for (const box of boxesIn(view, 0, view.byteLength)) {
    if (box.type !== 'traf') continue
    const header = find(view, box, 'tfhd')
    const track = movie.tracks.find(({ id }) => header !== null && id === numberAt(header, 4))
    if (header === null || !track) continue
    const flags = numberAt(header, 0)
    let at = 8
    const field = (flag: number, width: number): number | null => {
      if (!(flags & flag)) return null
      at += width
      return width === 8 ? longAt(header, at - 8) : numberAt(header, at - 4)
    }
    const base = field(0x1, 8) ?? start
    field(0x2, 4)
    const preset = movie.defaults.get(track.id)
    const duration = field(0x8, 4) ?? preset?.duration ?? 0
    const size = field(0x10, 4) ?? preset?.size ?? 0
    let position = base
    for (const run of boxesIn(view, box.at, box.end)) {
      if (run.type !== 'trun') continue
      position = readRun(track, new DataView(view.buffer, view.byteOffset + run.at, run.end - run.at), {
        base,
        position,
        duration,
        size,
      })
      movie.end = Math.max(movie.end, position)
    }
  }
}

/** `trun` (8.8.8): flags tell which fields each sample has. @returns the end of its last sample */
function readRun(
  track: Track,
  view: DataView,
  preset: {
    readonly base: number
    readonly position: number
    readonly duration: number
    readonly size: number
  },
): number {
  const flags = numberAt(view, 0)
  const count = numberAt(view, 4)
  let at = 8
  let { position } = preset
  if (flags & 0x1) {
    position = preset.base + (at + 4 <= view.byteLength ? view.getInt32(at) : 0)
    at += 4
  }
  if (flags & 0x4) at += 4
  const [hasDuration, hasSize] = [(flags & 0x100) > 0, (flags & 0x200) > 0]
  const width = 4 * [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length
  if (!hasDuration && !hasSize) {
    addRun(track, count, preset.duration)
    addSample(track, { at: position, size: preset.size })
    track.bytes += count * preset.size
    return position + count * preset.size
  }
  for (let i = 0; i < count && at + width <= view.byteLength; i++, at += width) {
    const size = hasSize ? view.getUint32(at + (hasDuration ? 4 : 0)) : preset.size
    addRun(track, 1, hasDuration ? view.getUint32(at) : preset.duration)
    addSample(track, { at: position, size })
    track.bytes += size
    position += size
  }
  return position
}

function addRun(track: Track, count: number, ticks: number): void {
  const last = track.runs.at(-1)
  if (last?.ticks === ticks) last.count += count
  else track.runs.push({ count, ticks })
  track.frames += count
  track.ticks += count * ticks
}

function addSample(track: Track, sample: Sample): void {
  if (sample.size === 0) return
  track.samples.push(sample)
  if (track.samples.length > 16 * PROBED_SAMPLES) track.samples = spread(track.samples, 4 * PROBED_SAMPLES)
}

function toTrackIndex(track: Track, isEstimate: boolean): TrackIndex {
  const { id, kind, timescale, entry } = track
  const mediaS = track.ticks / timescale
  const shown = applyEditList(track, mediaS)
  return {
    id,
    kind,
    ...entry,
    ...shown,
    bitsPerSecond: mediaS > 0 ? (track.bytes * 8) / mediaS : null,
    isEstimate,
    samples: isEstimate && track.samples.length === 0 ? null : spread(track.samples, PROBED_SAMPLES),
  }
}

/** Players show only the parts of a track in its edit list (8.6.6). */
function applyEditList({ edits, runs, timescale, delay, frames }: Track, mediaS: number) {
  const stored = { framesPerSecond: readRate(frames, mediaS), shownS: mediaS, hasEdits: false }
  if (edits === null || edits.length === 0) return stored
  const pauseS = edits.filter(({ from }) => from < 0).reduce((sum, { seconds }) => sum + seconds, 0)
  const parts = edits
    .filter(({ from }) => from >= 0)
    .map(({ from, seconds, rate }) => {
      const startS = Math.min(mediaS, Math.max(0, from - delay) / timescale)
      // Fragmented files give no length, so the edit lasts to the end.
      return { startS, endS: Math.min(mediaS, seconds === 0 ? mediaS : startS + seconds), rate }
    })
  const partsS = parts.reduce((sum, { startS, endS }) => sum + endS - startS, 0)
  const slackS = Math.max(PRIMING_S, frames > 0 ? (PRIMING_FRAMES * mediaS) / frames : 0)
  const shownS = pauseS + partsS
  const isOne = parts.length === 1 && parts.every(({ rate }) => rate === 1)
  if (isOne && pauseS <= slackS && mediaS - partsS <= 2 * slackS) return { ...stored, shownS }
  const within = parts.reduce(
    (sum, { startS, endS }) => sum + framesBetween(runs, startS * timescale, endS * timescale),
    0,
  )
  return { framesPerSecond: readRate(within, partsS), shownS, hasEdits: true }
}

const readRate = (frames: number, seconds: number): number | null =>
  frames > 1 && seconds > 0 ? frames / seconds : null

/** Frames that begin in this time, given in the track's units. */
function framesBetween(runs: Track['runs'], from: number, to: number): number {
  let at = 0
  let frames = 0
  for (const { count, ticks } of runs) {
    const before = (moment: number) =>
      ticks === 0 ? (at < moment ? count : 0) : Math.min(count, Math.max(0, Math.ceil((moment - at) / ticks)))
    frames += before(to) - before(from)
    at += count * ticks
  }
  return frames
}
