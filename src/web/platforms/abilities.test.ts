import { describe, expect, test } from 'vitest'
import type { InstagramAccountOptions } from '#contract/platforms/instagram.ts'
import type { TikTokAccountOptions } from '#contract/platforms/tiktok.ts'
import { abilitiesOf } from './abilities.ts'

const tiktok = (change: Partial<TikTokAccountOptions>) =>
  abilitiesOf({
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
    ...change,
  })

const instagram = (change: Partial<InstagramAccountOptions>) =>
  abilitiesOf({
    platform: 'instagram',
    username: 'nova',
    avatar_url: null,
    quota_used: 2,
    quota_total: 50,
    ...change,
  })

describe('what a TikTok account can do now', () => {
  test('includes public posts where offered, up to the allowed length', () => {
    expect(tiktok({})).toEqual(['Public posts', 'Videos up to 10 min'])
  })

  test('is less for a private account, and least for an unaudited app', () => {
    expect(tiktok({ privacy_levels: ['FOLLOWER_OF_CREATOR', 'SELF_ONLY'] })[0]).toBe(
      'No public posts: Followers Only, Private',
    )
    expect(tiktok({ privacy_levels: ['SELF_ONLY'], notice: 'Not audited yet.' })).toEqual([
      'Private posts only',
      'Videos up to 10 min',
      'Not audited yet.',
    ])
    expect(tiktok({ privacy_levels: [] })[0]).toBe('No audience available right now')
  })

  test('names what the creator has turned off', () => {
    expect(tiktok({ comment_disabled: true, duet_disabled: true })).toContain(
      'Comments and duets turned off in TikTok',
    )
  })
})

describe('what an Instagram account can do now', () => {
  test('includes reels', () => {
    expect(instagram({})).toEqual(['Reels'])
  })

  test('says when Instagram does not report the remaining posts', () => {
    expect(instagram({ quota_used: null, quota_total: null })).toContain(
      "Instagram doesn't say how many posts are left",
    )
  })
})

test('what a YouTube channel can do now depends on its confirmed phone number', () => {
  const channel = { platform: 'youtube', title: 'Nova', username: 'nova', avatar_url: null } as const
  expect(abilitiesOf({ ...channel, long_uploads: true, max_duration_s: 43_200 })).toEqual([
    'Shorts and videos',
    'Videos up to 12 h',
  ])
  expect(abilitiesOf({ ...channel, long_uploads: false, max_duration_s: 900 })).toEqual([
    'Shorts and videos',
    'Videos up to 15 min until the channel confirms a phone number',
  ])
})
