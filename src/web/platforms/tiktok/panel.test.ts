import { expect, test } from 'vitest'
import { UNKNOWN_FACTS } from '#domain/video-check/unknown-facts.ts'
import { ApiProblem } from '#web/api/api.ts'
import { creator } from '#web/testing/data.ts'
import { tiktokForm } from './form.ts'
import { tiktokPanel } from './panel.tsx'

const options = creator()
const typed = { ...tiktokPanel.empty, title: 'Tart' }
const context = { options, account: null, auditForm: false, video: null, text: '' }

test('defaults are the specified ones: Public, nothing disabled, the cover at 0', () => {
  expect(tiktokPanel.validate(typed, context)).toEqual({
    ok: true,
    info: {
      title: 'Tart',
      privacy_level: 'PUBLIC_TO_EVERYONE',
      disable_comment: false,
      disable_duet: false,
      disable_stitch: false,
      video_cover_timestamp_ms: 0,
    },
  })
})

test('with TIKTOK_AUDIT_FORM=true nothing is preselected', () => {
  const audit = { ...context, auditForm: true }
  expect(tiktokPanel.validate(typed, audit)).toEqual({
    ok: false,
    errors: { privacy_level: 'Choose who can see this video.' },
  })
  expect(tiktokPanel.validate({ ...typed, privacy: 'SELF_ONLY' }, audit)).toMatchObject({
    info: { disable_comment: true, disable_duet: true, disable_stitch: true },
  })
})

test('with TIKTOK_APP_AUDITED=false Private is sent, the only level offered', () => {
  const unaudited = { ...context, options: { ...options, privacy_levels: ['SELF_ONLY' as const] } }
  expect(tiktokPanel.validate(typed, unaudited)).toMatchObject({ info: { privacy_level: 'SELF_ONLY' } })
})

test('options turned off in TikTok stay off, and levels no longer offered are not sent', () => {
  const narrower = {
    ...context,
    options: { ...options, duet_disabled: true, privacy_levels: ['SELF_ONLY' as const] },
  }
  const chosen = { ...typed, duet: true, privacy: 'PUBLIC_TO_EVERYONE' as const }
  expect(tiktokPanel.validate(chosen, narrower)).toMatchObject({
    info: { privacy_level: 'SELF_ONLY', disable_duet: true, disable_stitch: false },
  })
})

test('a choice that an account does not offer is asked for, never replaced by a wider one', () => {
  const levels = ['PUBLIC_TO_EVERYONE' as const, 'SELF_ONLY' as const]
  const other = { ...context, options: { ...options, privacy_levels: levels } }
  expect(tiktokPanel.validate({ ...typed, privacy: 'MUTUAL_FOLLOW_FRIENDS' }, other)).toEqual({
    ok: false,
    errors: { privacy_level: 'Choose who can see this video.' },
  })
})

test('a title is required, and without Public the user chooses the privacy level', () => {
  const narrower = {
    ...context,
    options: { ...options, privacy_levels: ['FOLLOWER_OF_CREATOR' as const, 'SELF_ONLY' as const] },
  }
  expect(tiktokPanel.validate({ ...typed, title: ' ' }, narrower)).toEqual({
    ok: false,
    errors: { title: 'Enter a title.', privacy_level: 'Choose who can see this video.' },
  })
})

test('the title is validated while the account’s options are unknown', () => {
  const unknown = { ...context, options: null }
  expect(tiktokPanel.validate(tiktokPanel.empty, unknown)).toEqual({
    ok: false,
    errors: { title: 'Enter a title.' },
  })
  expect(tiktokPanel.validate(typed, unknown)).toEqual({ ok: false, errors: {} })
})

test('a cover after the end of the video is refused', () => {
  const video = { ...UNKNOWN_FACTS, container: 'mp4' as const, duration_s: 3 }
  const judged = (coverMs: number) => tiktokPanel.validate({ ...typed, coverMs }, { ...context, video })
  expect(judged(3000)).toMatchObject({ ok: true })
  expect(judged(3001)).toEqual({
    ok: false,
    errors: { video_cover_timestamp_ms: 'The video is shorter than that.' },
  })
})

test('a stored draft is read back, and anything else is ignored', () => {
  const chosen = { ...typed, privacy: 'SELF_ONLY' as const, duet: false, coverMs: 1500 }
  expect(tiktokPanel.schema.parse(JSON.parse(JSON.stringify(chosen)))).toEqual(chosen)
  expect(tiktokPanel.schema.safeParse({ title: 'Tart' }).success).toBe(false)
})

const failure = (message: string) => tiktokForm.texts.failure(new ApiProblem({ kind: 'refused', message }))

test('a failed TikTok upload points to the console only without a known reason', () => {
  expect(failure('')).toBe('Failed to upload video. Check console for details.')
  expect(failure('The file costs $& more.')).toBe('Failed to upload video. The file costs $& more.')
})
