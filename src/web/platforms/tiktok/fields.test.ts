import { expect, test } from 'vitest'
import type { TikTokAccountOptions } from '#contract/platforms/tiktok.ts'
import { EMPTY_TIKTOK_DRAFT, tiktokPostInfo } from './fields.tsx'

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
const draft = { ...EMPTY_TIKTOK_DRAFT, title: 'Tart' }

test('what was not chosen is as the specification has it', () => {
  expect(tiktokPostInfo(draft, { options, auditForm: false })).toEqual({
    ok: true,
    value: {
      title: 'Tart',
      privacy_level: 'PUBLIC_TO_EVERYONE',
      disable_comment: false,
      disable_duet: false,
      disable_stitch: false,
      video_cover_timestamp_ms: 0,
    },
  })
})

test('for an audit nothing is chosen for the user', () => {
  const rules = { options, auditForm: true }
  expect(tiktokPostInfo(draft, rules)).toEqual({
    ok: false,
    errors: { privacy_level: 'Choose who can see this video.' },
  })
  expect(tiktokPostInfo({ ...draft, privacy: 'SELF_ONLY' }, rules)).toMatchObject({
    value: { disable_comment: true, disable_duet: true, disable_stitch: true },
  })
})

test('what the account has switched off stays off, and a choice that it no longer offers is not sent', () => {
  const rules = {
    options: { ...options, duet_disabled: true, privacy_levels: ['SELF_ONLY' as const] },
    auditForm: false,
  }
  const chosen = { ...draft, duet: true, privacy: 'PUBLIC_TO_EVERYONE' as const }
  expect(tiktokPostInfo(chosen, rules)).toMatchObject({
    value: { privacy_level: 'SELF_ONLY', disable_duet: true, disable_stitch: false },
  })
})

test('a title is needed, and several levels without Public among them leave the choice to the user', () => {
  const rules = {
    options: { ...options, privacy_levels: ['FOLLOWER_OF_CREATOR' as const, 'SELF_ONLY' as const] },
    auditForm: false,
  }
  expect(tiktokPostInfo({ ...draft, title: ' ' }, rules)).toEqual({
    ok: false,
    errors: { title: 'Enter a title.', privacy_level: 'Choose who can see this video.' },
  })
})
