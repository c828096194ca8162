import { expect, test } from 'vitest'
import { coverOf, OPTION_PANELS, withCover } from './option-panels.tsx'

const context = { options: null, auditForm: false, video: null }
const { instagram, tiktok } = OPTION_PANELS

test('stored options are validated, and missing or unreadable ones are the default', () => {
  const stored = { shareToFeed: false, coverMs: 0 }
  expect(instagram.validate(stored, context)).toEqual({
    ok: true,
    info: { media_type: 'VIDEO', share_to_feed: false },
  })
  const defaults = { ok: true, info: { media_type: 'VIDEO', share_to_feed: true } }
  expect(instagram.validate(null, context)).toEqual(defaults)
  expect(instagram.validate({ shareToFeed: 'perhaps' }, context)).toEqual(defaults)
  expect(instagram.summary(stored, context)).toBe('Reel only')
  expect(instagram.summary(null, context)).toBe('Reel and feed')
})

test('one cover is set for every platform', () => {
  const options = withCover({ instagram: { shareToFeed: false, coverMs: 0 } }, 2500)
  expect(coverOf(options)).toBe(2500)
  expect(instagram.validate(options.instagram, context)).toMatchObject({
    info: { share_to_feed: false, thumb_offset: 2500 },
  })
  expect(tiktok.coverMs(options.tiktok)).toBe(2500)
  expect(coverOf({})).toBe(0)
})

test('the options of an earlier Instagram post are chosen again', () => {
  expect(instagram.fromOptions({ media_type: 'REELS', share_to_feed: false, thumb_offset: 700 })).toEqual({
    shareToFeed: false,
    coverMs: 700,
  })
  expect(instagram.fromOptions('nothing')).toEqual({ shareToFeed: true, coverMs: 0 })
})
