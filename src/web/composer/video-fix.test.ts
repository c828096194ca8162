import { expect, test } from 'vitest'
import type { VideoFacts } from '#contract/videos.ts'
import { GOOD_FACTS } from '#domain/testing/good-facts.ts'
import { planFixBeforeUpload } from './video-fix.ts'

const WEBM: VideoFacts = {
  ...GOOD_FACTS,
  container: 'webm',
  video_codec: 'vp9',
  audio_codec: 'opus',
  index_first: null,
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
