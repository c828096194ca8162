import { expect, test } from 'vitest'
import { ApiProblem } from '#web/api/api.ts'
import { instagramForm } from './form.ts'
import { instagramPanel } from './panel.tsx'

const context = { options: null, account: null, auditForm: false, video: null, text: '' }
const judgedText = (caption: string) => instagramPanel.validate({ caption, shareToFeed: true }, context)
const judged = (length: number) => judgedText('x'.repeat(length))

test('post_info has the caption, VIDEO, and share_to_feed unless unticked', () => {
  expect(instagramPanel.validate(instagramPanel.empty, context)).toEqual({
    ok: true,
    info: { caption: '', media_type: 'VIDEO', share_to_feed: true },
  })
  expect(instagramPanel.validate({ caption: 'Tart', shareToFeed: false }, context)).toEqual({
    ok: true,
    info: { caption: 'Tart', media_type: 'VIDEO', share_to_feed: false },
  })
})

test('a caption has up to 2200 characters', () => {
  expect(judged(2200)).toMatchObject({ ok: true })
  expect(judged(2201)).toEqual({ ok: false, errors: { caption: 'Use at most 2200 characters.' } })
})

test('a caption has up to 30 hashtags and 20 mentions', () => {
  expect(judgedText('#tart '.repeat(30) + '@anna '.repeat(20))).toMatchObject({ ok: true })
  expect(judgedText('#tart '.repeat(35))).toEqual({
    ok: false,
    errors: { caption: 'Instagram allows up to 30 hashtags; this caption has 35.' },
  })
  expect(judgedText('@anna '.repeat(25))).toEqual({
    ok: false,
    errors: { caption: 'Instagram allows up to 20 mentions; this caption has 25.' },
  })
})

const failure = (kind: ApiProblem['kind'], message: string) =>
  instagramForm.texts.failure(new ApiProblem({ kind, message }))

test('a failed Instagram upload shows the server’s message or "Unknown error occurred"', () => {
  expect(failure('refused', 'There is no such account.')).toBe(
    'Failed to upload video: There is no such account.',
  )
  const unknown = 'Failed to upload video: Unknown error occurred'
  expect(failure('refused', ' ')).toBe(unknown)
  expect(failure('unreachable', 'Network Error')).toBe(unknown)
  expect(failure('aborted', 'Request aborted')).toBe(unknown)
  expect(failure('unreadable', 'Request failed with status code 502')).toBe(unknown)
})
