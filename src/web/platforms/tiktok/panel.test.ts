import { expect, test } from 'vitest'
import type { TikTokAccountOptions } from '#contract/platforms/tiktok.ts'
import { UNKNOWN_FACTS } from '#domain/video-check/video-facts.ts'
import { ApiProblem } from '#web/client/api.ts'
import { tiktokForm } from './form.ts'
import { tiktokPanel } from './panel.tsx'

const options: TikTokAccountOptions = {
  platform: 'tiktok',
  username: 'nova',
  nickname: 'Nova',
  avatar_url: null,
  privacy_levels: ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
  comment_disabled: false,
  duet_disabled: false,
  stitch_disabled: false,
  max_duration_s: 600,
  notice: null,
}
const typed = { ...tiktokPanel.empty, title: 'Tart' }
const context = { options, auditForm: false, video: null }

test('what was not chosen is as the specification has it: Public, nothing switched off, the cover at 0', () => {
  expect(tiktokPanel.judge(typed, context)).toEqual({
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

test('with TIKTOK_AUDIT_FORM=true nothing is chosen for the user', () => {
  const audit = { ...context, auditForm: true }
  expect(tiktokPanel.judge(typed, audit)).toEqual({
    ok: false,
    errors: { privacy_level: 'Choose who can see this video.' },
  })
  expect(tiktokPanel.judge({ ...typed, privacy: 'SELF_ONLY' }, audit)).toMatchObject({
    info: { disable_comment: true, disable_duet: true, disable_stitch: true },
  })
})

test('with TIKTOK_APP_AUDITED=false, where Private alone is offered, Private is what is sent', () => {
  const unaudited = { ...context, options: { ...options, privacy_levels: ['SELF_ONLY' as const] } }
  expect(tiktokPanel.judge(typed, unaudited)).toMatchObject({ info: { privacy_level: 'SELF_ONLY' } })
})

test('what the account has switched off stays off, and a choice that it no longer offers is not sent', () => {
  const narrower = {
    ...context,
    options: { ...options, duet_disabled: true, privacy_levels: ['SELF_ONLY' as const] },
  }
  const chosen = { ...typed, duet: true, privacy: 'PUBLIC_TO_EVERYONE' as const }
  expect(tiktokPanel.judge(chosen, narrower)).toMatchObject({
    info: { privacy_level: 'SELF_ONLY', disable_duet: true, disable_stitch: false },
  })
})

test('a title is needed, and several levels without Public among them leave the choice to the user', () => {
  const narrower = {
    ...context,
    options: { ...options, privacy_levels: ['FOLLOWER_OF_CREATOR' as const, 'SELF_ONLY' as const] },
  }
  expect(tiktokPanel.judge({ ...typed, title: ' ' }, narrower)).toEqual({
    ok: false,
    errors: { title: 'Enter a title.', privacy_level: 'Choose who can see this video.' },
  })
})

test('while the choices of the account are not known the title is judged all the same', () => {
  const unknown = { ...context, options: null }
  expect(tiktokPanel.judge(tiktokPanel.empty, unknown)).toEqual({
    ok: false,
    errors: { title: 'Enter a title.' },
  })
  expect(tiktokPanel.judge(typed, unknown)).toEqual({ ok: false, errors: {} })
})

test('a cover after the end of the video is refused', () => {
  const video = { ...UNKNOWN_FACTS, container: 'mp4' as const, duration_s: 3 }
  const judged = (coverMs: number) => tiktokPanel.judge({ ...typed, coverMs }, { ...context, video })
  expect(judged(3000)).toMatchObject({ ok: true })
  expect(judged(3001)).toEqual({
    ok: false,
    errors: { video_cover_timestamp_ms: 'The video ends before that.' },
  })
})

test('what the browser kept is read back, and what is not a draft is not', () => {
  const chosen = { ...typed, privacy: 'SELF_ONLY' as const, duet: false, coverMs: 1500 }
  expect(tiktokPanel.schema.parse(JSON.parse(JSON.stringify(chosen)))).toEqual(chosen)
  expect(tiktokPanel.schema.safeParse({ title: 'Tart' }).success).toBe(false)
})

const failure = (message: string) => tiktokForm.words.failure(new ApiProblem({ kind: 'refused', message }))

test('a failed upload to TikTok leads to the console only where no reason is known', () => {
  expect(failure('')).toBe('Failed to upload video. Check console for details.')
  expect(failure('The file costs $& more.')).toBe('Failed to upload video. The file costs $& more.')
})
