import { expect, test } from 'vitest'
import { proposeYouTubeTitle } from './proposed-options.ts'
import {
  INSTAGRAM_CAPTION_MAX_CHARS,
  INSTAGRAM_FORM_MAX_BYTES,
  InstagramOptions,
  InstagramPostInfo,
} from './instagram.ts'
import {
  TIKTOK_PRIVACY_LABELS,
  TIKTOK_PRIVACY_LEVELS,
  TikTokOptions,
  TikTokPostInfo,
  tiktokSourceInfo,
  TikTokSourceInfo,
} from './tiktok.ts'
import { countTagChars, YOUTUBE_TITLE_MAX_CHARS, YouTubeOptions } from './youtube.ts'

test("TikTok's privacy levels read Public, Friends Only, Followers Only and Private", () => {
  expect(TIKTOK_PRIVACY_LEVELS.map((level) => [level, TIKTOK_PRIVACY_LABELS[level]])).toEqual([
    ['PUBLIC_TO_EVERYONE', 'Public'],
    ['MUTUAL_FOLLOW_FRIENDS', 'Friends Only'],
    ['FOLLOWER_OF_CREATOR', 'Followers Only'],
    ['SELF_ONLY', 'Private'],
  ])
})

test("TikTok's post_info has six fields; privacy defaults to public and the cover to 0", () => {
  expect(TikTokPostInfo.parse({ title: 'Hello' })).toEqual({
    title: 'Hello',
    privacy_level: 'PUBLIC_TO_EVERYONE',
    disable_duet: false,
    disable_comment: false,
    disable_stitch: false,
    video_cover_timestamp_ms: 0,
  })
})

test.each([
  ['PUBLIC_TO_EVERYONE', true],
  ['MUTUAL_FOLLOW_FRIENDS', true],
  ['FOLLOWER_OF_CREATOR', false],
  ['SELF_ONLY', false],
])('branded content with the privacy %s is accepted: %s', (privacy_level, accepted) => {
  const options = { privacy_level, brand_content_toggle: true }
  expect(TikTokOptions.safeParse(options).success).toBe(accepted)
  expect(TikTokOptions.safeParse({ ...options, brand_content_toggle: false }).success).toBe(true)
})

test("TikTok's title is required", () => {
  expect(TikTokPostInfo.safeParse({ title: ' ' }).error?.issues[0]?.path).toEqual(['title'])
  expect(TikTokPostInfo.safeParse({}).success).toBe(false)
})

test("TikTok's source_info has source, video_size, chunk_size and total_chunk_count", () => {
  expect(Object.keys(TikTokSourceInfo.shape)).toEqual([
    'source',
    'video_size',
    'chunk_size',
    'total_chunk_count',
  ])
  expect(tiktokSourceInfo(7)).toEqual({
    source: 'FILE_UPLOAD',
    video_size: 7,
    chunk_size: 7,
    total_chunk_count: 1,
  })
})

test.each([
  [5_242_879, 5_242_879, 1],
  [5_242_880, 5_242_880, 1],
  [5_242_881, 5_242_880, 2],
  [15_728_640, 5_242_880, 3],
  [15_728_641, 5_242_880, 4],
])('a form announces %d bytes in chunks of %d, %d of them', (video_size, chunk_size, total_chunk_count) => {
  expect(tiktokSourceInfo(video_size)).toMatchObject({ chunk_size, total_chunk_count })
})

test("Instagram's post_info defaults to media_type VIDEO and share_to_feed true", () => {
  expect(InstagramPostInfo.parse({})).toEqual({ caption: '', media_type: 'VIDEO', share_to_feed: true })
})

test.each([
  [{ collaborators: ['a', 'b', 'c'] }, true],
  [{ collaborators: ['a', 'b', 'c', 'd'] }, false],
  [{ collaborators: ['maria', 'Maria'] }, false],
  [{ user_tags: ['@maria'] }, false],
  [{ user_tags: Array.from({ length: 21 }, (_, i) => `user${i}`) }, false],
  [{ audio_name: ' ' }, false],
  [{ trial_params: { graduation_strategy: 'SS_PERFORMANCE' } }, true],
  [{ trial_params: { graduation_strategy: 'LATER' } }, false],
])('Instagram options %j are accepted: %s', (options, accepted) => {
  expect(InstagramOptions.safeParse(options).success).toBe(accepted)
})

test("Instagram's caption has up to 2200 characters", () => {
  expect(INSTAGRAM_CAPTION_MAX_CHARS).toBe(2200)
  expect(InstagramPostInfo.safeParse({ caption: 'a'.repeat(2200) }).success).toBe(true)
  expect(InstagramPostInfo.safeParse({ caption: 'a'.repeat(2201) }).success).toBe(false)
})

test("Instagram's form takes less than 104857600 bytes", () => {
  expect(INSTAGRAM_FORM_MAX_BYTES).toBe(104_857_599)
})

const SHORT = { title: 'Baking', privacy: 'unlisted', made_for_kids: false }

test('YouTube options ask for a title, who can see the video and whether it is made for kids', () => {
  expect(YouTubeOptions.parse(SHORT)).toEqual({
    ...SHORT,
    synthetic_media: false,
    tags: [],
    notify_subscribers: true,
    license: 'youtube',
    embeddable: true,
    public_stats: true,
  })
  expect(YouTubeOptions.safeParse({}).error?.issues.map(({ path }) => path[0])).toEqual([
    'title',
    'privacy',
    'made_for_kids',
  ])
})

test.each([
  [{ title: 'x'.repeat(100) }, true],
  [{ title: 'x'.repeat(101) }, false],
  [{ title: 'a <b>' }, false],
  [{ title: ' ' }, false],
  [{ category_id: '22' }, true],
  [{ category_id: '18' }, false],
  [{ tags: ['x'.repeat(250), 'y'.repeat(249)] }, true],
  [{ tags: ['x'.repeat(250), 'y'.repeat(250)] }, false],
  [{ tags: ['one, two'] }, false],
  [{ first_comment: 'Hello', made_for_kids: true }, false],
  [{ first_comment: 'Hello', privacy: 'private' }, false],
  [{ first_comment: 'Hello' }, true],
])('YouTube options %j are accepted: %s', (options, accepted) => {
  expect(YouTubeOptions.safeParse({ ...SHORT, ...options }).success).toBe(accepted)
})

test("YouTube's tags count quotation marks around spaces, and the commas between them", () => {
  expect(countTagChars([])).toBe(0)
  expect(countTagChars(['Foo Baz'])).toBe(9)
  expect(countTagChars(['Foo', 'Foo Baz'])).toBe(13)
})

test("YouTube's title is proposed from the first line that says something", () => {
  expect(proposeYouTubeTitle('Lemon tart\nStill warm')).toBe('Lemon tart')
  expect(proposeYouTubeTitle('\n  <3  \n')).toBe('3')
  expect(proposeYouTubeTitle('  <>\n  Lemon   tart ')).toBe('Lemon tart')
  expect(proposeYouTubeTitle('')).toBe('')
})

test('a long proposed title is cut between words, and never in the middle of an emoji', () => {
  const words = proposeYouTubeTitle('lemon '.repeat(30))
  expect(words).toMatch(/lemon…$/)
  expect(words.length).toBeLessThanOrEqual(YOUTUBE_TITLE_MAX_CHARS)
  expect(proposeYouTubeTitle('x'.repeat(101))).toBe(`${'x'.repeat(99)}…`)
  expect(proposeYouTubeTitle(`x${'🥧'.repeat(60)}`)).toBe(`x${'🥧'.repeat(49)}…`)
  expect(proposeYouTubeTitle(`${'x'.repeat(98)}🥧🥧`)).toBe(`${'x'.repeat(98)}…`)
})
