import { expect, test } from 'vitest'
import { coverOf, OPTION_PANELS, withCover } from './option-panels.tsx'

const context = { options: null, auditForm: false, video: null }
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

test('one cover is set for every platform', () => {
  const options = withCover({ instagram: { ...instagram.fromOptions(null), shareToFeed: false } }, 2500)
  expect(coverOf(options)).toBe(2500)
  expect(instagram.validate(options.instagram, context)).toMatchObject({
    info: { share_to_feed: false, thumb_offset: 2500 },
  })
  expect(tiktok.coverMs(options.tiktok)).toBe(2500)
  expect(coverOf({})).toBe(0)
})

test('the options of an earlier Instagram post are chosen again', () => {
  const sent = {
    media_type: 'VIDEO',
    share_to_feed: false,
    thumb_offset: 700,
    collaborators: ['maria.bakes', 'sam'],
    user_tags: ['ana'],
    audio_name: 'Morning',
    trial_params: { graduation_strategy: 'MANUAL' },
    is_ai_generated: true,
  }
  const again = instagram.fromOptions(sent)
  expect(instagram.validate(again, context)).toEqual({ ok: true, info: sent })
  expect(instagram.summary(again, context)).toBe('Trial reel, 2 collaborators')
})

const named = (collaborators: string) =>
  instagram.validate({ ...instagram.fromOptions(null), collaborators }, context)

test('people are named with or without @, and too many are refused', () => {
  expect(named('@maria.bakes, sam')).toMatchObject({ info: { collaborators: ['maria.bakes', 'sam'] } })
  expect(named('a b c d')).toEqual({ ok: false, errors: { collaborators: 'Name at most 3.' } })
  expect(named('Maria maria')).toEqual({ ok: false, errors: { collaborators: 'Name each once.' } })
})
