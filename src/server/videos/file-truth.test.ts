import { readFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { BufferSource, Input } from 'mediabunny'
import { describe, expect, it } from 'vitest'
import type { VideoFacts } from '#contract/videos.ts'
import { checkVideo, unusableReason } from '#domain/video-check/post-check.ts'
import { readVideoFacts, VIDEO_FORMATS } from '#domain/video-check/video-facts.ts'
import { fixture } from '#test/support/sample.ts'
import { readFacts } from './facts.ts'

// Read in this process: `facts.test.ts` shows that another one reads the same.
const factsOf = (file: Buffer): Promise<VideoFacts> =>
  readVideoFacts(
    new Input({ source: new BufferSource(file), formats: VIDEO_FORMATS }),
    async (first, last) => file.subarray(first, last + 1),
    file.length,
  )

const otherBytes = createHash('shake256', { outputLength: 1_048_576 }).update('other data').digest()

const FILES = ['good.mp4', 'moov-last.mp4', 'rotated.mov', 'vp9.webm', 'wide.mkv']
const read = (name: string): Buffer => readFileSync(fixture(name))

/** Where the media data lie: between the index and the end, whichever comes first. */
function mediaOf(file: Buffer): [from: number, to: number] {
  const mdat = file.indexOf('mdat', 0, 'latin1')
  if (mdat < 0) return [file.length >> 1, file.length]
  return [mdat + 4, Math.min(file.length, mdat - 4 + file.readUInt32BE(mdat - 4))]
}

describe.each(FILES)('%s', (name) => {
  const whole = read(name)

  it('is whole as it is', async () => {
    expect(await factsOf(whole)).toMatchObject({ integrity: 'complete', fps_is_estimate: false })
  })

  it.each([0.3, 0.55, 0.9, 0.999])(
    'is cut off after %f of its bytes, and refused in words',
    async (share) => {
      const facts = await factsOf(whole.subarray(0, Math.floor(whole.length * share)))
      expect(facts.integrity).toBe('cut_off')
      expect(unusableReason(facts)).toMatch(/^The end of this file is missing\./)
      expect(checkVideo(facts, whole.length, 'tiktok')[0]).toMatchObject({ level: 'error', code: 'cut_off' })
    },
  )

  it.each<[string, (bytes: Buffer) => void]>([
    ['zeros', (bytes) => bytes.fill(0)],
    // The same each time: of random bytes some lead the parser itself astray, and the file is refused as unreadable.
    ['other data', (bytes) => bytes.set(otherBytes.subarray(0, bytes.length))],
  ])('is damaged where %s stand for the second half of its media data', async (_what, spoil) => {
    const file = Buffer.from(whole)
    const [from, to] = mediaOf(file)
    spoil(file.subarray((from + to) >> 1, to))
    const facts = await factsOf(file)
    expect(facts.integrity).toBe('damaged')
    expect(checkVideo(facts, file.length, 'instagram')[0]).toMatchObject({ level: 'error', code: 'damaged' })
  })
})

it('a file that ends within its index is cut off, whatever its tables claim then', async () => {
  const last = read('moov-last.mp4')
  const cut = last.subarray(0, last.indexOf('stsz', 0, 'latin1') + 40)
  expect(await readFacts(async (from, to) => cut.subarray(from, to + 1), cut.length)).toMatchObject({
    container: 'unknown',
    integrity: 'cut_off',
  })
})

describe('QuickTime without ftyp', () => {
  const mov = read('rotated.mov')
  const headBytes = mov.readUInt32BE(0)
  /** Boxes in the place of `ftyp`, so that the offsets of the index stay right. */
  const beginningWith = (...boxes: [type: string, bytes: number][]): Buffer => {
    const file = Buffer.from(mov).fill(0, 0, headBytes)
    let at = 0
    for (const [type, bytes] of boxes) {
      file.writeUInt32BE(bytes, at)
      file.write(type, at + 4, 'latin1')
      at += bytes
    }
    return file
  }

  it.each([
    ['wide and skip', beginningWith(['wide', 8], ['skip', headBytes - 8])],
    ['skip', beginningWith(['skip', headBytes])],
    ['free', beginningWith(['free', headBytes])],
    ['a preview', beginningWith(['pnot', headBytes])],
    ['a box of a maker', beginningWith(['uuid', headBytes])],
  ])('is a MOV that begins with %s', async (_what, file) => {
    expect(await factsOf(file)).toEqual(await factsOf(mov))
  })

  it('is no video where there is no index', async () => {
    for (const text of ['free beer', 'skip this text, it is none', 'wide open'])
      expect((await factsOf(Buffer.from(text.padEnd(400, '.')))).container).toBe('unknown')
  })
})

describe('figures of the whole file', () => {
  it('the frame rate is the average, although a recording begins slowly', async () => {
    // 30 frames of a fifth of a second, then 90 of a thirtieth: 120 in 9 seconds.
    const times = numbers(0, 2, 30, 3072, 90, 512)
    const slow = showing(withTable(read('moov-last.mp4'), 'stts', times), 9)
    expect(await factsOf(slow)).toMatchObject({ fps: 13.333, fps_is_estimate: false })
  })

  it('what an edit list leaves out is neither in the length nor in the frame rate', async () => {
    const file = showing(read('moov-last.mp4'), 1.5)
    const facts = await factsOf(file)
    expect(facts).toMatchObject({ duration_s: 1.5, fps: 30, has_edits: true })
    expect(checkVideo(facts, file.length, 'instagram').map(({ code }) => code)).toEqual([
      'too_short',
      'index_last',
      'edit_list',
    ])
  })
})

const numbers = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length)
  values.forEach((value, i) => bytes.writeUInt32BE(value, 4 * i))
  return bytes
}

/** The file whose edit lists, of picture and sound, show so many seconds. */
function showing(file: Buffer, seconds: number): Buffer {
  const movieScale = file.readUInt32BE(file.indexOf('mvhd', 0, 'latin1') + 16)
  for (let at = file.indexOf('elst', 0, 'latin1'); at >= 0; at = file.indexOf('elst', at + 4, 'latin1'))
    file.writeUInt32BE(seconds * movieScale, at + 12)
  return file
}

/** The file with another table for the picture. Its index comes last, so that offsets stay right. */
function withTable(file: Buffer, type: string, body: Buffer): Buffer {
  const at = file.indexOf(type, file.indexOf('vide', 0, 'latin1'), 'latin1') - 4
  const end = at + file.readUInt32BE(at)
  const made = Buffer.concat([
    file.subarray(0, at),
    numbers(8 + body.length),
    Buffer.from(type),
    body,
    file.subarray(end),
  ])
  for (const parent of ['moov', 'trak', 'mdia', 'minf', 'stbl']) {
    const head = made.lastIndexOf(parent, at, 'latin1') - 4
    made.writeUInt32BE(made.readUInt32BE(head) + 8 + body.length - (end - at), head)
  }
  return made
}

const noParser = {} as Input
const readWithoutParser = (file: Buffer) =>
  readVideoFacts(noParser, async (first, last) => file.subarray(first, last + 1), file.length)

const box = (type: string, ...content: Buffer[]) => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), ...content])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(body.length + 4)
  return Buffer.concat([size, body])
}

it('a file of very many empty tracks is refused without asking the parser', async () => {
  const tracks = Array.from({ length: 300 }, () => box('trak'))
  const file = Buffer.concat([box('ftyp', Buffer.from('isom\0\0\0\0')), box('moov', ...tracks), box('mdat')])
  await expect(readWithoutParser(file)).rejects.toThrow('no frame where its index says')
})

it('a WebM file whose clusters are zeros is refused without asking the parser', async () => {
  const file = Buffer.from(read('vp9.webm'))
  const cluster = file.indexOf(Buffer.from('1f43b675', 'hex'))
  file.fill(0, cluster + 12) // behind its id and its length
  await expect(readWithoutParser(file)).rejects.toThrow('no frame where its index says')
})
