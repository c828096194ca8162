import { expect, test } from 'vitest'
import { AccountId, DeliveryId, PostId } from '#contract/ids.ts'
import { PostDetail } from '#contract/posts.ts'
import { delivery, post } from '#web/testing/data.ts'
import { composeReducer, optionsOf } from './compose-state.ts'
import { copyOfPost, timeOfCopy } from './copy-of-post.ts'

const sent = (id: number, its: Parameters<typeof delivery>[0]) =>
  delivery({ delivery_id: id, account_id: id, ...its })

const earlier = PostDetail.parse({
  ...post({
    text: 'Shared',
    deliveries: [
      sent(1, { platform: 'tiktok', status: 'published' }),
      sent(2, { platform: 'tiktok', status: 'failed' }),
      sent(3, { platform: 'instagram', status: 'failed' }),
    ],
  }),
  events: [],
  targets: [
    {
      delivery_id: 1,
      text: 'Shared',
      options: { privacy_level: 'SELF_ONLY', video_cover_timestamp_ms: 1200 },
      after_minutes: 0,
    },
    {
      delivery_id: 2,
      text: 'Own',
      options: { privacy_level: 'PUBLIC_TO_EVERYONE', video_cover_timestamp_ms: 1200 },
      after_minutes: 15,
    },
    { delivery_id: 3, text: 'Shared', options: { share_to_feed: false }, after_minutes: 30 },
  ],
})

test('a copy has the text, the video and the accounts with what each had of its own', () => {
  const { video_id, text, platform_options, targets, publish_at } = copyOfPost(earlier, 'all').content
  expect({ video_id, text, publish_at }).toEqual({ video_id: 1, text: 'Shared', publish_at: null })
  // The cover is the video's; another account that is added gets nothing else of theirs.
  expect(platform_options).toMatchObject({
    tiktok: { privacy: null, coverMs: 1200 },
    instagram: { shareToFeed: true },
  })
  expect(targets).toMatchObject([
    { account_id: 1, text: null, options: { privacy: 'SELF_ONLY' } },
    { account_id: 2, text: 'Own', options: { privacy: 'PUBLIC_TO_EVERYONE' } },
    { account_id: 3, text: null, options: { shareToFeed: false } },
  ])
})

test('a caption that all accounts of a platform have is the platform’s', () => {
  const [first, second, third] = earlier.targets
  const targets = [{ ...first, text: 'For TikTok' }, { ...second, text: 'For TikTok' }, third]
  const { content } = copyOfPost(PostDetail.parse({ ...earlier, targets }), 'all')
  expect(content.platform_texts).toEqual({ tiktok: 'For TikTok' })
  expect(content.targets.map(({ text }) => text)).toEqual([null, null, null])
  expect(copyOfPost(earlier, 'all').content).not.toHaveProperty('platform_texts')
})

test.each([
  ['2026-12-24T18:30:00.000Z', '2026-12-01T00:00:00.000Z', '2026-12-25T19:30'],
  // Long ago: today where the time is still to come, else tomorrow.
  ['2026-11-01T18:30:00.000Z', '2026-12-01T00:00:00.000Z', '2026-12-01T19:30'],
  ['2026-11-01T18:30:00.000Z', '2026-12-01T20:00:00.000Z', '2026-12-02T19:30'],
  // The clocks go forward in the night: the wall clock counts.
  ['2026-03-28T01:30:00.000Z', '2026-03-01T00:00:00.000Z', '2026-03-29T02:30'],
])('a copy of a post for %s, made at %s, is planned for %s', (publish_at, now, local) => {
  const planned = { ...earlier, publish_at, timezone: 'Europe/Madrid' }
  expect(timeOfCopy(planned, Date.parse(now))).toEqual({ local, timezone: 'Europe/Madrid' })
  expect(timeOfCopy(earlier, Date.parse(now))).toBeNull()
})

test('what most accounts of a platform have is shared in a copy', () => {
  const [alike, other] = [{ collaborators: ['bakers'] }, { collaborators: ['millers'] }]
  const { targets, platform_options } = copyOfPost(
    PostDetail.parse({
      ...earlier,
      deliveries: [4, 5, 6].map((id) => sent(id, { platform: 'instagram', status: 'published' })),
      targets: [alike, other, alike].map((options, at) => ({
        delivery_id: at + 4,
        text: 'Shared',
        options,
        after_minutes: 0,
      })),
    }),
    'all',
  ).content
  expect(platform_options.instagram).toMatchObject({ collaborators: 'bakers ' })
  expect(targets).toMatchObject([
    { account_id: 4, options: null },
    { account_id: 5, options: { collaborators: 'millers ' } },
    { account_id: 6, options: null },
  ])
})

const copyOfVideos = (...made: { text: string; title: string }[]) =>
  copyOfPost(
    PostDetail.parse({
      ...earlier,
      deliveries: made.map((_, at) => sent(at + 4, { platform: 'youtube', status: 'published' })),
      targets: made.map(({ text, title }, at) => ({
        delivery_id: at + 4,
        text,
        options: { title, privacy: 'public', made_for_kids: false },
        after_minutes: 0,
      })),
    }),
    'all',
  ).content

test('a title that the caption proposes follows the caption again, and one that was typed stays', () => {
  const captions = copyOfVideos({ text: 'Shared', title: 'Shared' }, { text: 'Own\nMore', title: 'Own' })
  expect(captions.platform_options.youtube).toMatchObject({ title: null, privacy: 'public' })
  expect(captions.targets).toMatchObject([
    { text: null, options: null },
    { text: 'Own\nMore', options: null },
  ])
  const typed = copyOfVideos({ text: 'Shared', title: 'Baking day' }, { text: 'Shared', title: 'Baking day' })
  expect(typed.platform_options.youtube).toMatchObject({ title: 'Baking day' })
})

test('what was settled is not sent again with what failed, and a duplicate replaces nothing', () => {
  const settled = { kind: 'replaced', at: '2026-11-21T00:00:00.000Z', post_id: PostId.parse(7) } as const
  const deliveries = earlier.deliveries.map((one) => (one.delivery_id === 2 ? { ...one, settled } : one))
  const { targets, replaces } = copyOfPost({ ...earlier, deliveries }, 'failed').content
  expect(targets.map(({ account_id }) => account_id)).toEqual([3])
  expect(replaces).toEqual([3])
  expect(copyOfPost(earlier, 'all').content).not.toHaveProperty('replaces')
})

test('a draft for an inbox had no caption, which is no caption of its own', () => {
  const [first] = earlier.deliveries
  const [target] = earlier.targets
  if (!first || !target) return expect.unreachable()
  const draft = {
    ...earlier,
    deliveries: [{ ...first, to_inbox: true }],
    targets: [{ ...target, text: '', options: { post_mode: 'MEDIA_UPLOAD' } }],
  }
  const { targets, platform_options } = copyOfPost(draft, 'all').content
  expect(targets).toMatchObject([{ account_id: 1, text: null, options: { inbox: true } }])
  expect(platform_options.tiktok).toMatchObject({ inbox: false })
})

test('to send again what failed, only the failed accounts are chosen', () => {
  const { text, targets, replaces } = copyOfPost(earlier, 'failed').content
  expect(replaces).toEqual([2, 3])
  expect(text).toBe('Shared')
  expect(targets.map((target) => [target.account_id, target.text])).toEqual([
    [2, 'Own'],
    [3, null],
  ])
})

test('to send one delivery again only its account is chosen, and what the others had comes back', () => {
  const start = copyOfPost(earlier, DeliveryId.parse(3))
  expect(start.content.targets.map(({ account_id }) => account_id)).toEqual([3])
  expect(start.content.replaces).toEqual([2, 3])
  const { content } = composeReducer(start, { type: 'select', accountIds: [AccountId.parse(2)] })
  expect(content.targets[1]).toMatchObject({ account_id: 2, text: 'Own' })
  expect(optionsOf(content, content.targets[1] ?? null, 'tiktok')).toMatchObject({
    privacy: 'PUBLIC_TO_EVERYONE',
  })
})

const minutesOf = (to: Parameters<typeof copyOfPost>[1]) =>
  copyOfPost(earlier, to).content.targets.map(({ after_minutes }) => after_minutes)

test('a copy keeps the distances of the accounts; what failed is sent again at once', () => {
  expect(minutesOf('all')).toEqual([undefined, 15, 30])
  expect(minutesOf([DeliveryId.parse(3)])).toEqual([30])
  expect(minutesOf('failed')).toEqual([undefined, undefined])
})
