import { expect, it, test } from 'vitest'
import type { VideoFacts } from '#contract/videos.ts'
import { GOOD_FACTS } from '../testing/good-facts.ts'
import { type FixTarget, planFix, planNeededFix, listRefusers } from './fix-plan.ts'

const MB = 1_000_000
const TIKTOK: FixTarget = { platform: 'tiktok' }
const INSTAGRAM: FixTarget = { platform: 'instagram' }
const BOTH = [TIKTOK, INSTAGRAM]

const ROWS: {
  what: string
  facts?: Partial<VideoFacts>
  size?: number
  targets?: readonly FixTarget[]
  changes: readonly string[] | null
  video?: object | null
  audio?: object | null
}[] = [
  { what: 'a video that each platform takes', changes: null },
  { what: 'a landscape video', facts: { width: 1920, height: 1080 }, changes: null },
  {
    what: 'an index at the end',
    facts: { index_first: false },
    changes: ['optimised for the web'],
    video: null,
    audio: null,
  },
  {
    what: 'a MOV with its index at the end',
    facts: { container: 'mov', index_first: false },
    changes: ['optimised for the web'],
    video: null,
    audio: null,
  },
  {
    what: 'Matroska with fitting streams',
    facts: { container: 'mkv', index_first: null },
    changes: ['MP4'],
    video: null,
    audio: null,
  },
  {
    what: 'H.265 in Matroska',
    facts: { container: 'mkv', video_codec: 'hevc', index_first: null },
    changes: ['MP4'],
    video: null,
    audio: null,
  },
  {
    what: 'WebM with VP9 and Opus',
    facts: { container: 'webm', video_codec: 'vp9', audio_codec: 'opus', index_first: null },
    changes: ['MP4', 'H.264', 'AAC sound'],
    video: { width: 1080, height: 1920, fps: null, bitsPerSecond: 6_220_800 },
    audio: { rateHz: 48_000, bitsPerSecond: 128_000 },
  },
  {
    what: 'WebM for TikTok alone',
    facts: { container: 'webm', video_codec: 'vp9', audio_codec: 'opus', index_first: null },
    targets: [TIKTOK],
    changes: null,
  },
  {
    what: 'sound of 96 kHz',
    facts: { audio_rate_hz: 96_000 },
    changes: ['sound at 48 kHz'],
    video: null,
    audio: { rateHz: 48_000, bitsPerSecond: 128_000 },
  },
  {
    what: '5.1 sound',
    facts: { audio_channels: 6 },
    changes: ['stereo sound'],
    video: null,
    audio: { rateHz: 48_000, bitsPerSecond: 128_000 },
  },
  {
    what: '60 Mbit a second',
    facts: { video_bit_rate: 60_000_000 },
    changes: ['6.22 Mbit per second'],
    audio: null,
  },
  {
    what: '60 Mbit a second for TikTok alone',
    facts: { video_bit_rate: 60_000_000 },
    targets: [TIKTOK],
    changes: null,
  },
  // Browsers cannot deinterlace, and may not read other chroma.
  { what: 'interlaced video in 4:2:2', facts: { scan: 'interlaced', chroma: '4:2:2' }, changes: null },
  { what: 'half a file in Matroska', facts: { container: 'mkv', integrity: 'cut_off' }, changes: null },
  // A conversion would show the parts that the edit list cuts.
  { what: 'an edit list, and 120 frames a second', facts: { has_edits: true, fps: 120 }, changes: null },
  {
    what: 'an edit list and an index at the end',
    facts: { has_edits: true, index_first: false },
    changes: ['optimised for the web'],
  },
  {
    what: 'uncompressed sound in a MOV',
    facts: { container: 'mov', audio_codec: 'pcm' },
    changes: ['MP4', 'AAC sound'],
    video: null,
  },
  {
    what: 'Opus of 96 kHz',
    facts: { audio_codec: 'opus', audio_rate_hz: 96_000 },
    changes: ['AAC sound at 48 kHz'],
  },
  {
    what: '120 frames a second',
    facts: { fps: 120 },
    changes: ['60 frames per second'],
    video: { width: 1080, height: 1920, fps: 60, bitsPerSecond: 10_666_667 },
    audio: null,
  },
  {
    what: '90 frames a second',
    facts: { fps: 90 },
    changes: ['45 frames per second'],
  },
  {
    what: '15 frames a second',
    facts: { fps: 15 },
    changes: ['30 frames per second'],
  },
  {
    what: '4K for Instagram',
    facts: { width: 2160, height: 3840 },
    changes: ['1920 × 3412 pixels'],
  },
  { what: '4K for TikTok', facts: { width: 2160, height: 3840 }, targets: [TIKTOK], changes: null },
  {
    what: '8K for TikTok',
    facts: { width: 4320, height: 7680 },
    targets: [TIKTOK],
    changes: ['2304 × 4096 pixels'],
  },
  {
    what: '412 MB for Instagram',
    size: 412 * MB,
    facts: { duration_s: 300 },
    changes: ['about 240 MB'],
  },
  {
    what: '2 GB of 14 minutes at 60 frames a second for Instagram',
    size: 2000 * MB,
    facts: { duration_s: 840, fps: 60 },
    changes: ['750 × 1336 pixels', 'about 270 MB'],
  },
  {
    what: 'odd sides that are encoded again',
    facts: { width: 405, height: 721, fps: 120 },
    changes: ['404 × 720 pixels', '60 frames per second'],
  },
  { what: 'an unknown video codec', facts: { video_codec: null }, changes: null },
  { what: 'an unknown audio codec', facts: { container: 'mkv', audio_codec: null }, changes: null },
  { what: 'a file that is no video', facts: { container: 'unknown', width: null }, changes: null },
  { what: 'a video that is too long', facts: { duration_s: 1200 }, targets: [INSTAGRAM], changes: null },
  { what: 'a video that is too small', facts: { width: 320, height: 568 }, changes: null },
  { what: 'no chosen account', facts: { container: 'mkv' }, targets: [], changes: null },
]

for (const { what, facts, size = 20 * MB, targets = BOTH, changes, ...expected } of ROWS) {
  it(`${what}: ${changes?.join(', ') ?? 'nothing to convert'}`, () => {
    const plan = planFix({ ...GOOD_FACTS, ...facts }, size, targets)
    expect(plan?.changes ?? null).toEqual(changes)
    if (plan) expect(plan).toMatchObject(expected)
  })
}

const moves = (facts: Partial<VideoFacts>) => planFix({ ...GOOD_FACTS, ...facts }, MB, BOTH)?.movesIndexOnly

test('only an index at the end is moved without writing the file again', () => {
  expect(moves({ index_first: false })).toBe(true)
  expect(moves({ container: 'mkv', index_first: null })).toBe(false)
  expect(moves({ index_first: false, audio_rate_hz: 96_000 })).toBe(false)
})

test('what conversion cannot change remains refused', () => {
  const plan = planFix({ ...GOOD_FACTS, container: 'mkv', duration_s: 1200 }, MB, BOTH)
  expect(plan?.solved.map(({ platform, code }) => `${platform} ${code}`)).toEqual([
    'tiktok container',
    'instagram container',
  ])
  expect(plan?.remaining.map(({ platform, code }) => `${platform} ${code}`)).toEqual(['instagram too_long'])
})

test("an account's own length limit remains refused", () => {
  const targets = [{ platform: 'tiktok' as const, account: { maxDurationS: 20 } }]
  expect(planFix({ ...GOOD_FACTS, fps: 120 }, MB, targets)?.remaining.map(({ code }) => code)).toEqual([
    'too_long',
  ])
})

test('a fix is needed where a platform refuses the file, not for a warning', () => {
  expect(planNeededFix({ ...GOOD_FACTS, index_first: false }, MB, BOTH)).toBeNull()
  expect(planNeededFix({ ...GOOD_FACTS, container: 'mkv' }, MB, BOTH)).not.toBeNull()
})

test('the platforms that refuse a file are named once each', () => {
  expect(listRefusers(planFix({ ...GOOD_FACTS, container: 'mkv', fps: 10 }, MB, BOTH)?.solved ?? [])).toBe(
    'TikTok and Instagram',
  )
  expect(listRefusers(planFix({ ...GOOD_FACTS, width: 2000 }, MB, BOTH)?.solved ?? [])).toBe('Instagram')
})
