import { BufferSource, EncodedPacketSink, Input, MP4 } from 'mediabunny'
import { expect, test, vi } from 'vitest'
import { planFix } from '#domain/video-check/fix-plan.ts'
import { readFacts } from './file-facts.ts'
import { fixtureFile, matroskaFile } from '#web/testing/sample-files.ts'
import { fixVideo } from './convert.ts'
import { findObstacle } from './obstacle.ts'

const BOTH = [{ platform: 'tiktok' }, { platform: 'instagram' }] as const

async function fix(source: File) {
  const facts = await readFacts(source)
  const plan = planFix(facts, source.size, BOTH)
  if (plan === null) throw new Error('nothing to fix')
  const onProgress = vi.fn<(share: number) => void>()
  const outcome = await fixVideo(
    { filename: source.name, source, facts, plan },
    { signal: new AbortController().signal, onProgress },
  )
  return { outcome, onProgress }
}

const fixedFile = ({ outcome }: Awaited<ReturnType<typeof fix>>): File => {
  if (outcome.kind !== 'fixed') throw new Error(JSON.stringify(outcome))
  return outcome.file
}

test('Matroska becomes an MP4 that each platform takes, with its streams as they are', async () => {
  const source = await matroskaFile()
  expect(await readFacts(source)).toMatchObject({ container: 'mkv' })
  const done = await fix(source)
  const made = fixedFile(done)
  expect([made.name, made.type]).toEqual(['tart.mp4', 'video/mp4'])
  const facts = await readFacts(fixtureFile('good.mp4'))
  const { duration_s, fps, audio_bit_rate, ...same } = await readFacts(made)
  expect(facts).toMatchObject(same)
  expect([duration_s, fps, Number(audio_bit_rate) / 1000].map((value) => Math.round(Number(value)))).toEqual([
    4, 30, 33,
  ])
  expect(done.onProgress).toHaveBeenCalled()
})

test('an index at the end is moved to the start, and nothing else changes', async () => {
  const source = fixtureFile('moov-last.mp4')
  const made = fixedFile(await fix(source))
  expect([made.name, made.size]).toEqual(['moov-last (fixed).mp4', source.size])
  const facts = await readFacts(source)
  expect([facts.index_first, await readFacts(made)]).toEqual([false, { ...facts, index_first: true }])
  expect(await packetsOf(made)).toEqual(await packetsOf(source))
})

/** Every packet of the picture, read by the offsets of the index. */
async function packetsOf(file: File): Promise<string[]> {
  const input = new Input({ source: new BufferSource(await file.arrayBuffer()), formats: [MP4] })
  const track = await input.getPrimaryVideoTrack()
  if (track === null) throw new Error('no picture')
  const packets: string[] = []
  for await (const { data } of new EncodedPacketSink(track).packets())
    packets.push(Buffer.from(data).toString('base64'))
  return packets
}

test('a MOV keeps its name when only its index is moved', async () => {
  const made = fixedFile(await fix(fixtureFile('rotated.mov')))
  expect(made.name).toBe('rotated (fixed).mov')
  expect(await readFacts(made)).toMatchObject({ container: 'mov', index_first: true, rotation: 270 })
})

test('a conversion that is cancelled on the way makes no file', async () => {
  const source = await matroskaFile()
  const facts = await readFacts(source)
  const plan = planFix(facts, source.size, BOTH)
  if (plan === null) throw new Error('nothing to fix')
  const controller = new AbortController()
  const outcome = await fixVideo(
    { filename: source.name, source, facts, plan },
    { signal: controller.signal, onProgress: () => controller.abort() },
  )
  expect(outcome).toEqual({ kind: 'cancelled' })
})

test('a broken file is called so, and what to do instead', async () => {
  const facts = await readFacts(fixtureFile('good.mp4'))
  const source = new File(['Flour, butter, lemons'], 'notes.mkv')
  const plan = planFix({ ...facts, container: 'mkv' }, source.size, BOTH)
  if (plan === null) throw new Error('nothing to fix')
  const outcome = await fixVideo(
    { filename: source.name, source, facts, plan },
    { signal: new AbortController().signal, onProgress: () => undefined },
  )
  expect(outcome).toEqual({
    kind: 'failed',
    why: "The browser couldn't convert this video. Upload it as it is, or export it again and choose that file.",
  })
})

test.each([
  [true, /^This browser can't convert videos; .* Or use a video editor: .*Export it as H\.264\./],
  [
    false,
    /^Browsers convert videos only on pages with an https address, .* Or use a video editor: .*Export it as H\.264\./,
  ],
])(
  'where the browser has no codecs, it says so and what to do instead (secure: %s)',
  async (isSecure, text) => {
    vi.stubGlobal('isSecureContext', isSecure)
    const { outcome } = await fix(fixtureFile('vp9.webm'))
    expect(outcome.kind === 'failed' && outcome.why).toMatch(text)
  },
)

test.each([
  [
    600_000_000,
    undefined,
    'This browser offers the page no disk space, and 600 MB are too much for its memory.',
  ],
  [
    600_000_000,
    500_000_000,
    'The converted file has about 600 MB, and this browser has room for 500 MB. Free some disk space.',
  ],
])('a file of %d bytes is not converted where there is room for %s', async (size, quota, reason) => {
  if (quota !== undefined) offerDisk(quota)
  const source = await matroskaFile()
  const facts = await readFacts(source)
  const plan = planFix(facts, size, [{ platform: 'tiktok' }])
  if (plan === null) throw new Error('nothing to fix')
  expect(await findObstacle(plan, facts)).toBe(`${reason} Or use a video editor: Export it as MP4.`)
  expect(await findObstacle({ ...plan, size: source.size }, facts)).toBeNull()
})

/** A browser with so much disk space for this page. */
function offerDisk(quota: number): void {
  vi.stubGlobal(
    'FileSystemFileHandle',
    class {
      createWritable(): void {}
    },
  )
  const folder = { getDirectoryHandle: async () => folder }
  const storage = { getDirectory: async () => folder, estimate: async () => ({ quota, usage: 0 }) }
  vi.stubGlobal('navigator', { storage, locks: {} })
}

// Different videos: the library remembers what it asked the browser.
test.each([
  [{ video_codec: 'vp9' }, [false, true], "This browser can't read VP9 video."],
  [{ video_codec: 'vp8' }, [true, false], "This browser can't make H.264 video of 360 × 640 pixels."],
  [{ video_codec: 'av1', width: 720 }, [true, true], "This browser can't make AAC sound."],
])(
  'where the browser lacks a codec, it is named: %j, decoded and encoded %j',
  async (changed, can, reason) => {
    const [decoder, encoder] = can.map((supported) => ({ isConfigSupported: async () => ({ supported }) }))
    vi.stubGlobal('VideoDecoder', decoder)
    vi.stubGlobal('VideoEncoder', encoder)
    vi.stubGlobal('AudioDecoder', {})
    const facts = { ...(await readFacts(fixtureFile('vp9.webm'))), ...changed }
    const plan = planFix(facts, 50_000, BOTH)
    expect(plan && (await findObstacle(plan, facts))).toContain(
      `${reason} Another browser may. Or use a video editor: `,
    )
  },
)
