import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API } from '#contract/api/api.ts'
import { ProblemBody } from '#contract/http/problem.ts'
import type { AccountId, BrandId, VideoId } from '#contract/ids.ts'
import { NEW_POSTS_MAX } from '#contract/limits.ts'
import { signUpToPost } from '#test/support/publish.ts'
import { type Person, startTestServer, type TestServer } from '#test/support/test-server.ts'

let testServer: TestServer
let ada: Person
let brandId: BrandId
let nova: AccountId
let instagram: AccountId
let videoId: VideoId

beforeAll(async () => {
  testServer = await startTestServer()
  ;({ person: ada, brandId, tiktok: nova, instagram, videoId } = await signUpToPost(testServer))
})
afterAll(() => testServer.stop())

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const post = (day: number, its: object = {}) => ({
  video_id: videoId,
  text: `Day ${day}`,
  targets: [{ account_id: nova }, { account_id: instagram }],
  publish_at: { local: `${inDays(day)}T12:00`, timezone: 'Europe/Lisbon' },
  ...its,
})

async function send(posts: readonly object[], { key, who = ada }: { key?: string; who?: Person } = {}) {
  const answer = await who.request('/posts/batch', {
    method: 'POST',
    body: JSON.stringify({ posts }),
    headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
  })
  return { status: answer.status, body: (await answer.json()) as unknown }
}
async function make(...args: Parameters<typeof send>) {
  const { status, body } = await send(...args)
  if (status !== 201) throw new Error(`answered ${status}: ${JSON.stringify(body)}`)
  return API.createPosts.reply.parse(body).posts
}
async function refuse(...args: Parameters<typeof send>) {
  const { status, body } = await send(...args)
  const { code, errors = {} } = ProblemBody.parse(body)
  return { status, code, errors }
}
const countPosts = async () => (await ada.call('listPosts', { query: { limit: 1 } })).counts.all
const saveDraft = async (text: string) => {
  const content = { video_id: videoId, text, platform_options: {}, targets: [], publish_at: null }
  const draftId = randomUUID()
  const { draft_id, version } = await ada.call('saveDraft', {
    params: { draftId },
    body: { version: 0, content },
  })
  return { draft_id, version }
}

describe('several posts in one call', () => {
  it('are made as they are asked for, in their order', async () => {
    const made = await make([post(2), post(1), { ...post(3), publish_at: undefined }])
    expect(made.map(({ publish_at }) => publish_at?.slice(0, 10) ?? null)).toEqual([
      inDays(2),
      inDays(1),
      null,
    ])
    const [first] = made
    const seen = await ada.call('getPost', { params: { postId: first?.post_id ?? 0 } })
    expect([seen.text, seen.deliveries.length]).toEqual(['Day 2', 2])
  })

  it('are all refused because of one, and every error names its post', async () => {
    const before = await countPosts()
    const long = 'x'.repeat(2201)
    const refused = await refuse([
      post(1),
      post(2, { targets: [{ account_id: nova, options: { privacy_level: 'EVERYBODY' } }] }),
      post(-2),
    ])
    // The times are looked at first.
    expect(refused).toMatchObject({
      status: 422,
      errors: { 'posts.2.publish_at.local': [expect.any(String)] },
    })
    const twice = { targets: [{ account_id: nova }, { account_id: nova }] }
    const options = [{ account_id: nova, options: { privacy_level: 'EVERYBODY' } }]
    const two = await refuse([post(1), post(2, { targets: options }), post(3, twice)])
    expect(Object.keys(two.errors)).toEqual([
      'posts.1.targets.0.options.privacy_level',
      'posts.2.targets.1.account_id',
    ])
    expect(Object.keys((await refuse([post(1), post(2, { text: long })])).errors)).toEqual(['posts.1.text'])
    expect(await countPosts()).toBe(before)
  })

  it("with somebody else's video or account are refused as if it did not exist", async () => {
    const { person: eve } = await signUpToPost(testServer)
    const before = await countPosts()
    expect(await refuse([post(1)], { who: eve })).toMatchObject({
      status: 404,
      errors: { 'posts.0': ["This account doesn't exist."] },
    })
    const theirs = await signUpToPost(testServer)
    expect(await refuse([post(1), post(2, { video_id: theirs.videoId })])).toMatchObject({
      status: 404,
      errors: { 'posts.1': ["This video doesn't exist."] },
    })
    expect(await countPosts()).toBe(before)
  })

  it('sent again are the same posts, and another request needs another key', async () => {
    const posts = [post(4), post(5)]
    const made = await make(posts, { key: 'again' })
    const count = await countPosts()
    const [one, other] = await Promise.all([make(posts, { key: 'again' }), make(posts, { key: 'again' })])
    expect([one, other]).toEqual([made, made])
    expect(await refuse([...posts, post(6)], { key: 'again' })).toMatchObject({
      status: 422,
      code: 'key_reused',
    })
    // The key of a single post is another one.
    const alone = await ada.request('/posts', {
      method: 'POST',
      body: JSON.stringify(post(4)),
      headers: { 'content-type': 'application/json', 'idempotency-key': 'again' },
    })
    expect([alone.status, await countPosts()]).toEqual([201, count + 1])
  })

  it('of drafts are made once, whatever order they are sent in at the same moment', async () => {
    const drafts = await Promise.all(['One', 'Two', 'Three'].map(saveDraft))
    const posts = drafts.map((draft, i) => post(7 + i, { draft }))
    const count = await countPosts()
    const answers = await Promise.all([make(posts), make(posts.toReversed()), make(posts, { key: 'drafts' })])
    const ids = answers.map((made) => made.map(({ post_id }) => post_id).toSorted((a, b) => a - b))
    expect(new Set(ids.map(String)).size).toBe(1)
    expect(await countPosts()).toBe(count + 3)
    expect((await ada.call('listDrafts', { query: {} })).items).toEqual([])
  })

  it('leave all drafts where one of them was changed meanwhile', async () => {
    const [one, other] = await Promise.all([saveDraft('One'), saveDraft('Other')])
    const stale = { ...other, version: 7 }
    const refused = await refuse([post(1, { draft: one }), post(2, { draft: stale })])
    expect([refused.code, Object.keys(refused.errors)]).toEqual(['conflict', ['posts.1']])
    const twice = await refuse([post(1, { draft: one }), post(2, { draft: one })])
    expect(Object.keys(twice.errors)).toEqual(['posts.1.draft.draft_id'])
    const left = (await ada.call('listDrafts', { query: {} })).items.map(({ draft_id }) => draft_id)
    expect(left.toSorted()).toEqual([one.draft_id, other.draft_id].toSorted())
  })

  it('take one free slot after the other, around what is there', async () => {
    const { schedule_id } = await ada.call('createSchedule', {
      body: {
        brand_id: brandId,
        name: 'Daily',
        slots: [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, time: '09:00', platforms: null })),
      },
    })
    const next = { publish_at: undefined, schedule: { schedule_id, place: 'next' } }
    const [taken] = await make([post(1, next)])
    const made = await make([post(1, next), post(1), post(1, next), post(1, next)])
    const days = [taken, ...made.filter((_, i) => i !== 1)].map((one) => Date.parse(one?.publish_at ?? ''))
    // A day may have 23 or 25 hours.
    const apart = days.slice(1).map((at, i) => Math.round((at - (days[i] ?? 0)) / 86_400_000))
    expect(apart).toEqual([1, 1, 1])

    const first = { publish_at: undefined, schedule: { schedule_id, place: 'top' } }
    const tops = await Promise.all([
      make([post(1, first), post(1, next)]),
      make([post(1, next), post(1, first)]),
    ])
    const times = tops.flat().map(({ publish_at }) => publish_at)
    expect(times).not.toContain(null)
  })

  it('without a free slot are all refused', async () => {
    const { schedule_id } = await ada.call('createSchedule', {
      body: { brand_id: brandId, name: 'Full', slots: [{ weekday: 1, time: '07:00', platforms: null }] },
    })
    const next = { publish_at: undefined, schedule: { schedule_id, place: 'next' } }
    await make(
      Array.from({ length: NEW_POSTS_MAX }, () => post(1, { ...next, targets: [{ account_id: nova }] })),
    )
    const before = await countPosts()
    const some = Array.from({ length: 5 }, () => post(1, next))
    const { errors } = await refuse(some)
    // A year has 52 or 53 of its slots.
    expect(Object.keys(errors).at(-1)).toBe('posts.4.schedule.schedule_id')
    expect(await countPosts()).toBe(before)
  })

  it('are up to fifty, with more values than other calls take', async () => {
    const many = Array.from({ length: NEW_POSTS_MAX + 1 }, () => post(1))
    expect((await refuse(many)).errors).toEqual({
      posts: [`Up to ${NEW_POSTS_MAX} posts can be made at once.`],
    })
    expect((await refuse([])).errors).toEqual({ posts: ['Give at least one post.'] })
    const options = {
      privacy_level: 'SELF_ONLY',
      comment_enabled: true,
      duet_enabled: true,
      stitch_enabled: true,
    }
    const wide = many
      .slice(1)
      .map(() => post(1, { targets: Array.from({ length: 45 }, () => ({ account_id: nova, options })) }))
    // Only what they say is wrong.
    expect((await refuse(wide)).code).toBe('invalid')
    const wider = many
      .slice(1)
      .map(() => post(1, { targets: Array.from({ length: 100 }, () => ({ account_id: nova, options })) }))
    expect((await refuse(wider)).status).toBe(413)
  })
})
