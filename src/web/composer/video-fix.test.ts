import { expect, test } from 'vitest'
import type { VideoFacts } from '#contract/videos.ts'
import { planFixBeforeUpload } from './video-fix.ts'

const WEBM: VideoFacts = {
  container: 'webm',
  video_codec: 'vp9',
  audio_codec: 'opus',
  audio_rate_hz: 48_000,
  audio_channels: 2,
  audio_bit_rate: 128_000,
  video_bit_rate: 5_000_000,
  duration_s: 30,
  fps: 30,
  fps_is_estimate: false,
  width: 1080,
  height: 1920,
  rotation: 0,
  chroma: '4:2:0',
  scan: 'progressive',
  has_edits: false,
  index_first: null,
  integrity: 'complete',
}
const TIKTOK = { platform: 'tiktok' } as const
const INSTAGRAM = { platform: 'instagram' } as const

test.each([
  ['a chosen account would refuse the file', [TIKTOK, INSTAGRAM], [TIKTOK, INSTAGRAM], true],
  ['each chosen account takes it', [TIKTOK], [TIKTOK, INSTAGRAM], false],
  ['nobody is chosen and no account takes it', [], [INSTAGRAM], true],
  ['nobody is chosen and one account takes it', [], [TIKTOK, INSTAGRAM], false],
  ['no account is linked', [], [], false],
])('a fix is offered before the upload where %s: %j of %j, %s', (_what, selected, linked, isOffered) => {
  expect(planFixBeforeUpload({ facts: WEBM, size: 1e6 }, selected, linked) !== null).toBe(isOffered)
})
