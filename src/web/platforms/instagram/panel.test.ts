import { expect, test } from 'vitest'
import { instagramForm } from './form.ts'
import { instagramPanel } from './panel.tsx'

const context = { options: null, auditForm: false, video: null }
const judged = (length: number) =>
  instagramPanel.judge({ caption: 'x'.repeat(length), shareToFeed: true }, context)

test('post_info is the caption, the media type VIDEO, and shared to the feed unless that is unticked', () => {
  expect(instagramPanel.judge(instagramPanel.empty, context)).toEqual({
    ok: true,
    info: { caption: '', media_type: 'VIDEO', share_to_feed: true },
  })
  expect(instagramPanel.judge({ caption: 'Tart', shareToFeed: false }, context)).toEqual({
    ok: true,
    info: { caption: 'Tart', media_type: 'VIDEO', share_to_feed: false },
  })
})

test('a caption has up to 2200 characters', () => {
  expect(judged(2200)).toMatchObject({ ok: true })
  expect(judged(2201)).toEqual({ ok: false, errors: { caption: 'Use at most 2200 characters.' } })
})

test('a failed upload to Instagram ends in the reason, or in "Unknown error occurred"', () => {
  const { failure } = instagramForm.words
  expect(failure('There is no such account.')).toBe('Failed to upload video: There is no such account.')
  expect(failure(null)).toBe('Failed to upload video: Unknown error occurred')
})
