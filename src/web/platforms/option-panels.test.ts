import { expect, test } from 'vitest'
import { DRAFT_CHOICES, PLATFORM_IDS } from '#contract/platforms/index.ts'
import { coverOf, OPTION_PANELS, replacesCover, withCover } from './option-panels.tsx'

const context = { options: null, account: null, auditForm: false, video: null, text: '' }
const { instagram, tiktok } = OPTION_PANELS

test('stored options are validated, and missing or unreadable ones are the default', () => {
  const stored = { ...instagram.fromOptions(null), shareToFeed: false }
  const info = { media_type: 'VIDEO', share_to_feed: true }
  expect(instagram.validate(stored, context)).toMatchObject({ info: { ...info, share_to_feed: false } })
  expect(instagram.validate(null, context)).toMatchObject({ ok: true, info })
  expect(instagram.validate({ shareToFeed: 'perhaps' }, context)).toMatchObject({ ok: true, info })
  expect(instagram.summary(stored, context)).toBe('Reel only')
  expect(instagram.summary(null, context)).toBe('Reel and feed')
})

test('options of a post that a draft was made of are chosen again', () => {
  const posted = { share_to_feed: false, is_ai_generated: true }
  expect(instagram.validate({ posted }, context)).toMatchObject({ ok: true, info: posted })
  const cover = { privacy_level: 'SELF_ONLY', video_cover_timestamp_ms: 1500 }
  expect(tiktok.coverMs({ posted: cover })).toBe(1500)
})

test.each(PLATFORM_IDS)('whatever the composer keeps for %s, a draft may have', (platform) => {
  const kept = Object.keys(OPTION_PANELS[platform].fromOptions(null))
  expect(new Set(kept)).toEqual(new Set(DRAFT_CHOICES[platform]))
})

test('one cover is set for every platform', () => {
  const options = withCover({ instagram: { ...instagram.fromOptions(null), shareToFeed: false } }, 2500)
  expect(coverOf(options)).toBe(2500)
  expect(instagram.validate(options.instagram, context)).toMatchObject({
    info: { share_to_feed: false, thumb_offset: 2500 },
  })
  expect(tiktok.coverMs(options.tiktok)).toBe(2500)
  expect(coverOf({})).toBe(0)
})

test('only an own picture of a platform that shows frames stands in for the frame', () => {
  expect(replacesCover({})).toBe(false)
  expect(replacesCover({ youtube: { thumbnail_picture_id: 7 } })).toBe(false)
  expect(replacesCover({ instagram: { cover_picture_id: 7 } })).toBe(true)
})
