import { makeState, setState } from '#test/support/delivery-states.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { API, type Api } from '#contract/api/api.ts'
import type { Call } from '#contract/http/endpoint.ts'
import { type AccountId, type BrandId, type PostId, VideoId } from '#contract/ids.ts'
import { SEARCH_WORDS_MAX } from '#contract/limits.ts'
import {
  linkAccount,
  type Person,
  signUp,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'
import { uploadVideo } from '#test/support/publish.ts'
import { explainScans, sumRows } from '#test/support/database/explain.ts'
import { isKept, videosWithDetails } from '../videos/store.ts'
import { pageQuery, placesQuery } from './list-videos.ts'
import { keptPostsQuery } from './read-usage.ts'

let testServer: TestServer
let ada: Person
let eve: Person
let adaId: number
let brandId: BrandId
let accountId: AccountId

beforeAll(async () => {
  testServer = await startTestServer()
  ;[ada, eve] = await Promise.all([signUp(testServer, 'Ada'), signUp(testServer, 'Eve')])
  adaId = (await ada.call('getUser')).user_id
  ;({ brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } }))
  accountId = (await linkAccount(ada, { platform: 'tiktok', brandId })).account_id
})
afterAll(() => testServer.stop())
beforeEach(async () => {
  await testServer.deps.db.deleteFrom('posts').execute()
  await testServer.deps.db.deleteFrom('drafts').execute()
  await testServer.deps.db.deleteFrom('videos').execute()
})

async function insertVideos(names: readonly string[], userId = adaId): Promise<VideoId[]> {
  const facts = { container: 'mp4', video_codec: 'avc', audio_codec: 'aac', audio_rate_hz: 48_000 }
  const rest = { duration_s: 4, fps: 30, width: 1080, height: 1920, rotation: 0, index_first: true }
  const rows = await testServer.deps.db
    .insertInto('videos')
    .values(
      names.map((filename, i) => ({
        user_id: userId,
        storage_key: randomBytes(16).toString('hex'),
        filename,
        mime: 'video/mp4',
        size: 1000 + ((i * 7) % 10),
        sha256: '0'.repeat(64),
        facts: JSON.stringify({ ...facts, ...rest }),
      })),
    )
    .returning('video_id')
    .execute()
  return rows.map(({ video_id }) => video_id as VideoId) // ids come out of the database unbranded
}

type Query = NonNullable<Call<Api['listVideos']>['query']>
const list = (query: Query = {}, who = ada) => who.call('listVideos', { query })
const namesOf = async (query: Query = {}) => (await list(query)).videos.map(({ filename }) => filename)
const tag = (videoIds: readonly VideoId[], tags: string[]) =>
  ada.call('updateVideos', { body: { video_ids: [...videoIds], add_tags: tags } })
const change = (videoId: VideoId, body: Call<Api['updateVideo']>['body']) =>
  ada.call('updateVideo', { params: { videoId }, body })
const clips = (count: number) => Array.from({ length: count }, (_, i) => `clip ${i}.mp4`)
const NEXT_MONTH = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
const post = (videoId: VideoId, text = 'Hello') =>
  ada.call('createPost', {
    body: {
      video_id: videoId,
      text,
      targets: [{ account_id: accountId }],
      publish_at: { local: `${NEXT_MONTH}T08:00`, timezone: 'Europe/Lisbon' },
    },
  })
const saveDraft = (videoId: VideoId, draftId: string = randomUUID()) =>
  ada.call('saveDraft', {
    params: { draftId },
    body: {
      version: 0,
      content: { video_id: videoId, text: 'Soon', platform_options: {}, targets: [], publish_at: null },
    },
  })

async function send(method: string, address: string, body?: unknown, who = ada) {
  const headers = { 'content-type': 'application/json' }
  const answer = await who.request(address, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers }),
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? null : (JSON.parse(text) as unknown) }
}

const queryOf = (search: string) =>
  placesQuery(testServer.deps.db, 1, { search, sort: 'newest', limit: 1 }).compile().sql
const wordsOf = (count: number) => Array.from({ length: count }, (_, i) => `!${i}`).join(' ')

describe('listing videos', () => {
  it.each([
    ['newest', ['Élan.mp4', 'Cake.mp4', 'apple.mp4', 'Bread.mp4', 'bread.mov']],
    ['oldest', ['bread.mov', 'Bread.mp4', 'apple.mp4', 'Cake.mp4', 'Élan.mp4']],
    ['name', ['apple.mp4', 'bread.mov', 'Bread.mp4', 'Cake.mp4', 'Élan.mp4']],
    // Sizes end in 0, 7, 4, 1 and 8.
    ['largest', ['Élan.mp4', 'Bread.mp4', 'apple.mp4', 'Cake.mp4', 'bread.mov']],
  ] as const)('sorts by %s, page by page', async (sort, names) => {
    await insertVideos(['bread.mov', 'Bread.mp4', 'apple.mp4', 'Cake.mp4', 'Élan.mp4'])
    expect(await namesOf({ sort })).toEqual(names)
    const paged: string[] = []
    let cursor: string | undefined
    do {
      const page = await list({ sort, limit: 2, ...(cursor !== undefined && { cursor }) })
      paged.push(...page.videos.map(({ filename }) => filename))
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined)
    expect(paged).toEqual(names)
  })

  it('goes on after a name whose characters stand for many others', async () => {
    const names = [`${'\uFDFA'.repeat(251)}.mp4`, `${'\uFDFB'.repeat(251)}.mp4`]
    await insertVideos(names)
    const first = await list({ sort: 'name', limit: 1 })
    const second = await list({ sort: 'name', limit: 1, cursor: first.next_cursor ?? '' })
    const paged = [...first.videos, ...second.videos].map(({ filename }) => filename)
    expect(paged.toSorted()).toEqual(names)
  })

  it('finds every word in the name or a tag, in any case', async () => {
    const [tart = 0 as VideoId, , cafe = 0 as VideoId] = await insertVideos([
      'Lemon tart 50%.mp4',
      'Plum_tart.mp4',
      'CAFÉ.mp4',
    ])
    await tag([tart, cafe], ['Été'])
    expect(await namesOf({ search: 'TART lem' })).toEqual(['Lemon tart 50%.mp4'])
    expect(await namesOf({ search: ' été tart ' })).toEqual(['Lemon tart 50%.mp4'])
    expect(await namesOf({ search: 'café' })).toEqual(['CAFÉ.mp4'])
    expect(await namesOf({ search: 'cafe\u0301' })).toEqual(['CAFÉ.mp4'])
    expect(await namesOf({ search: '%' })).toEqual(['Lemon tart 50%.mp4'])
    expect(await namesOf({ search: '％' })).toEqual(['Lemon tart 50%.mp4'])
    expect(await namesOf({ search: 'm_t' })).toEqual(['Plum_tart.mp4'])
    expect(await namesOf({ search: '＿＿' })).toEqual([])
    expect(await namesOf({ search: String.raw`\ ` })).toEqual([])
    expect(await namesOf({ search: '  ' })).toHaveLength(3)
  })

  it('filters by tag and by use, and counts uses', async () => {
    const [posted = 0 as VideoId, drafted = 0 as VideoId, , gone = 0 as VideoId] = await insertVideos([
      'posted.mp4',
      'drafted.mp4',
      'idle.mp4',
      'gone.mp4',
    ])
    await post(posted)
    const { post_id: postId } = await post(gone)
    await ada.call('deletePost', { params: { postId } })
    const draftId = randomUUID()
    await saveDraft(drafted)
    await saveDraft(gone, draftId)
    await ada.call('deleteDraft', { params: { draftId } })
    await tag([posted, drafted], ['Summer'])
    expect(await namesOf({ use: 'used' })).toEqual(['drafted.mp4', 'posted.mp4'])
    expect(await namesOf({ use: 'unused' })).toEqual(['gone.mp4', 'idle.mp4'])
    expect(await namesOf({ tag: 'SUMMER', use: 'used', search: 'post' })).toEqual(['posted.mp4'])
    expect((await list({ sort: 'oldest' })).videos.map(({ used_in }) => used_in)).toEqual([
      { posts: 1, drafts: 0 },
      { posts: 0, drafts: 1 },
      { posts: 0, drafts: 0 },
      { posts: 0, drafts: 0 },
    ])
    expect(await ada.call('getLibrary')).toMatchObject({
      videos: 4,
      unused: 2,
      tags: [{ tag: 'Summer', videos: 2 }],
    })
  })

  it('finds by brand what is assigned to it and what was posted to its accounts', async () => {
    const [posted = 0 as VideoId, assigned = 0 as VideoId] = await insertVideos(['a.mp4', 'b.mp4', 'c.mp4'])
    await post(posted)
    await ada.call('updateVideo', { params: { videoId: assigned }, body: { brand_id: brandId } })
    expect(await namesOf({ brand_id: brandId })).toEqual(['b.mp4', 'a.mp4'])
    const { brand_id: other } = await ada.call('createBrand', { body: { title: 'Harbour' } })
    expect(await namesOf({ brand_id: other })).toEqual([])
    await ada.call('updateVideo', { params: { videoId: assigned }, body: { brand_id: other } })
    await ada.call('deleteBrand', { params: { brandId: other } })
    expect((await ada.call('getVideo', { params: { videoId: assigned } })).brand_id).toBeNull()
  })

  it('filters by the days on which videos were added, in the zone of the user, and by size', async () => {
    const ids = await insertVideos(['first.mp4', 'last.mp4', 'after.mp4'])
    const moments = ['2026-11-03T00:00', '2026-11-09T23:59', '2026-11-10T00:00']
    for (const [i, at] of moments.entries())
      await sql`update videos set created_at = ${at}::timestamp at time zone 'Pacific/Auckland'
        where video_id = ${ids[i]}`.execute(testServer.deps.db)
    await ada.call('setTimezone', { body: { timezone: 'Pacific/Auckland' } })
    expect(await namesOf({ from: '2026-11-03', to: '2026-11-09' })).toEqual(['last.mp4', 'first.mp4'])
    expect(await namesOf({ from: '2026-11-09' })).toEqual(['after.mp4', 'last.mp4'])
    expect(await namesOf({ to: '2026-11-03' })).toEqual(['first.mp4'])
    const size = (await ada.call('getVideo', { params: { videoId: VideoId.parse(ids[1]) } })).size
    expect(await namesOf({ size })).toEqual(['last.mp4'])
    expect(await list({ size }, eve)).toMatchObject({ videos: [] })
    for (const query of ['from=2026-02-30', 'to=9999-12-31', 'size=0', 'size=many'])
      expect((await send('GET', `/videos?${query}`)).status, query).toBe(400)
  })

  it('added twice at the same moment are all there', async () => {
    const ids = await insertVideos(['a.mp4', 'b.mp4'])
    const names = Array.from({ length: 12 }, (_, i) => `tag ${i}`)
    await Promise.all(names.map((name) => tag(ids, [name])))
    const { videos } = await list({})
    for (const { tags } of videos) expect(tags.toSorted()).toEqual(names.toSorted())
  })

  it('searches for each word once, and for a bounded number', () => {
    expect(queryOf('tart '.repeat(60))).toBe(queryOf('tart'))
    expect(queryOf('tart pie')).not.toBe(queryOf('tart'))
    expect(API.listVideos.query.safeParse({ search: wordsOf(SEARCH_WORDS_MAX) }).success).toBe(true)
    expect(
      API.listVideos.query.safeParse({ search: wordsOf(SEARCH_WORDS_MAX + 1) }).error?.issues,
    ).toMatchObject([{ path: ['search'], message: `Search for up to ${SEARCH_WORDS_MAX} words.` }])
  })

  it('refuses cursors that are not its own', async () => {
    await insertVideos(['a.mp4', 'b.mp4'])
    const { next_cursor: cursor } = await list({ limit: 1, sort: 'name' })
    const refused = [
      `sort=newest&cursor=${cursor}`,
      'cursor=x',
      'sort=largest&cursor=largest.1.YQ',
      'sort=name&cursor=name.1.AA',
    ]
    for (const query of refused)
      expect(await send('GET', `/videos?${query}`)).toMatchObject({
        status: 400,
        body: { code: 'malformed' },
      })
  })

  it("shows and counts nothing of another user's", async () => {
    const ids = await insertVideos(['a.mp4'])
    await tag(ids, ['Summer'])
    expect(await list({ search: 'a', tag: 'summer' }, eve)).toEqual({ videos: [], next_cursor: null })
    expect(await eve.call('getLibrary')).toEqual({
      videos: 0,
      unused: 0,
      tags: [],
      storage: { used_bytes: 0, quota_bytes: null },
    })
  })

  it('reads no more than its page, however many posts and videos there are', async () => {
    const { db } = testServer.deps
    const [first = 0 as VideoId] = await insertVideos(clips(200))
    await insertVideos(clips(2000), (await eve.call('getUser')).user_id)
    await sql`insert into posts (user_id, video_id, text)
      select ${adaId}, ${first}, 'x' from generate_series(1, 5000)`.execute(db)
    await sql`analyze videos, posts, drafts, video_tags, posted_brands`.execute(db)
    for (const sort of ['newest', 'oldest', 'name', 'largest'] as const) {
      const scans = await explainScans(db, placesQuery(db, adaId, { sort, limit: 20 }).compile())
      expect(sumRows(scans)).toBeLessThan(50)
    }
    // 21 videos with up to 100 posts each: a page must not read more for a larger library.
    const page = await explainScans(db, pageQuery(db, adaId, { sort: 'newest', limit: 20 }).compile())
    expect(sumRows(page)).toBeLessThan(250)
    const unused = placesQuery(db, adaId, { sort: 'newest', limit: 20, use: 'unused' })
    // At most the user's own videos and one post of each.
    expect(sumRows(await explainScans(db, unused.compile()))).toBeLessThan(250)
    const details = videosWithDetails(db, adaId).where('videos.video_id', '<=', first + 19)
    expect(sumRows(await explainScans(db, details.compile()))).toBeLessThan(200)
    expect((await ada.call('getVideo', { params: { videoId: first } })).used_in.posts).toBe(100)
    expect(sumRows(await explainScans(db, keptPostsQuery([first]).compile(db)))).toBeLessThan(250)
    expect((await usage(first))[0]?.post_counts.kept).toBe(100)
  })
})

describe('changing a video', () => {
  it.each([
    ['Plum', 'Plum.MP4'],
    ['Plum.mp4', 'Plum.MP4'],
    ['  Plum\ncake.mov ', 'Plum cake.mov.MP4'],
    ['a/b\\c', 'a-b-c.MP4'],
    ['x'.repeat(255), `${'x'.repeat(251)}.MP4`],
  ])('to the name %j keeps its extension', async (filename, stored) => {
    const [videoId = 0 as VideoId] = await insertVideos(['tart.MP4'])
    expect((await change(videoId, { filename })).filename).toBe(stored)
    expect(await namesOf({ search: stored.slice(0, 4) })).toEqual([stored])
  })

  it('stores each tag once, whatever its case', async () => {
    const [videoId = 0 as VideoId] = await insertVideos(['tart.mp4'])
    expect((await change(videoId, { tags: [' Été ', 'summer', 'ÉTÉ', 'Plum\tcake'] })).tags).toEqual([
      'Plum cake',
      'summer',
      'Été',
    ])
    expect((await change(videoId, { tags: [] })).tags).toEqual([])
    expect((await ada.call('getLibrary')).tags).toEqual([])
  })

  it.each<[string, unknown, string]>([
    ['an empty name', { filename: ' ' }, 'filename'],
    ['a name that is only the extension', { filename: '.mp4' }, 'filename'],
    ['an empty tag', { tags: [' '] }, 'tags.0'],
    ['a tag of 41 characters', { tags: ['x'.repeat(41)] }, 'tags.0'],
    ['21 tags', { tags: Array.from({ length: 21 }, (_, i) => `t${i}`) }, 'tags'],
  ])('refuses %s', async (_what, body, field) => {
    const [videoId] = await insertVideos(['tart.mp4'])
    const refused = await send('PATCH', `/videos/${videoId}`, body)
    expect([refused.status, Object.keys((refused.body as { errors: object }).errors)]).toEqual([422, [field]])
  })

  it('takes several at once, all or none', async () => {
    const [one = 0 as VideoId, two = 0 as VideoId] = await insertVideos(['one.mp4', 'two.mp4'])
    await tag([one], ['Old', 'Both'])
    const { videos } = await ada.call('updateVideos', {
      body: {
        video_ids: [two, one, two],
        add_tags: ['NEW', 'both'],
        remove_tags: ['old'],
        brand_id: brandId,
      },
    })
    expect(videos).toMatchObject([
      { video_id: two, tags: ['both', 'NEW'], brand_id: brandId },
      { video_id: one, tags: ['Both', 'NEW'], brand_id: brandId },
    ])
    const [theirs] = await insertVideos(['theirs.mp4'], (await eve.call('getUser')).user_id)
    const body = { video_ids: [one, theirs], add_tags: ['x'], brand_id: null }
    expect(await send('PATCH', '/videos', body)).toMatchObject({ status: 404 })
    await change(two, { tags: Array.from({ length: 20 }, (_, i) => `t${i}`) })
    expect(await send('PATCH', '/videos', { ...body, video_ids: [one, two] })).toMatchObject({
      status: 422,
      body: { errors: { add_tags: ['two.mp4 would have more than 20 tags.'] } },
    })
    expect(await ada.call('getVideo', { params: { videoId: one } })).toMatchObject(videos[1] ?? {})
  })

  it("refuses another user's brand", async () => {
    const [videoId] = await insertVideos(['tart.mp4'])
    const { brand_id } = await eve.call('createBrand', { body: { title: 'Theirs' } })
    expect(await send('PATCH', `/videos/${videoId}`, { brand_id })).toMatchObject({ status: 404 })
    expect(await send('PATCH', '/videos', { video_ids: [videoId], brand_id })).toMatchObject({ status: 404 })
    expect(await send('GET', `/videos?brand_id=${brand_id}`)).toMatchObject({ status: 404 })
  })
})

const usage = async (...video_ids: VideoId[]) =>
  (await ada.call('readVideoUsage', { body: { video_ids } })).videos
const remove = (video_ids: VideoId[], cancel_posts = 0, who = ada) =>
  send('POST', '/videos/delete', { video_ids, cancel_posts }, who)
const startSending = (post_id: PostId) =>
  setState(testServer, { post_id }, makeState('preparing', Date.now()))

describe('deleting videos', () => {
  it('is announced with the posts and drafts of each and what becomes of them', async () => {
    const [used = 0 as VideoId, idle = 0 as VideoId] = await insertVideos(['used.mp4', 'idle.mp4'])
    const sending = await post(used, 'Being sent')
    await startSending(sending.post_id)
    const cancelled = await post(used, 'Called off')
    await ada.call('cancelDelivery', { params: { deliveryId: cancelled.deliveries[0]?.delivery_id ?? 0 } })
    for (let i = 0; i < 12; i += 1) await post(used, `é${i}`.repeat(150))
    const { post_id: gone } = await post(used, 'Deleted')
    await ada.call('deletePost', { params: { postId: gone } })
    const draftId = randomUUID()
    await saveDraft(used, draftId)
    const [first, second] = await usage(used, idle)
    expect(first).toMatchObject({
      video_id: used,
      post_counts: { blocks: 1, cancelled: 12, kept: 1 },
      drafts: [{ draft_id: draftId, text: 'Soon' }],
    })
    expect(first?.posts).toHaveLength(10)
    expect(first?.posts.slice(0, 2)).toEqual([
      { post_id: sending.post_id, text: 'Being sent', publish_at: sending.publish_at, effect: 'blocks' },
      {
        post_id: expect.any(Number) as number,
        text: 'é0'.repeat(100),
        publish_at: sending.publish_at,
        effect: 'cancelled',
      },
    ])
    const none = { blocks: 0, cancelled: 0, kept: 0 }
    expect(second).toEqual({ video_id: idle, posts: [], post_counts: none, drafts: [] })
  })

  it('cancels the posts that wait if their number is given and right', async () => {
    const [one = 0 as VideoId, two = 0 as VideoId] = await insertVideos(['one.mp4', 'two.mp4'])
    const posts = [await post(one), await post(one), await post(two)]
    const draftId = randomUUID()
    await saveDraft(one, draftId)
    expect(await remove([one, two])).toMatchObject({
      status: 409,
      body: { code: 'posts_waiting', message: "3 scheduled posts won't be posted. Confirm to continue." },
    })
    expect(await remove([one, two], 2)).toMatchObject({ status: 409 })
    expect((await list()).videos).toHaveLength(2)
    expect(await remove([one, two, one], 3)).toEqual({ status: 204, body: null })
    expect(await list()).toEqual({ videos: [], next_cursor: null })
    for (const { post_id: postId } of posts)
      expect(await ada.call('getPost', { params: { postId } })).toMatchObject({
        deliveries: [{ status: 'cancelled' }],
      })
    expect((await ada.call('listDrafts')).items).toMatchObject([
      { draft_id: draftId, text: 'Soon', video: null },
    ])
  })

  it('is refused for all of them while one is being sent', async () => {
    const [one = 0 as VideoId, two = 0 as VideoId] = await insertVideos(['one.mp4', 'two.mp4'])
    await post(one)
    await startSending((await post(two)).post_id)
    expect(await remove([one, two], 1)).toMatchObject({ status: 409, body: { code: 'in_flight' } })
    expect((await list()).videos).toHaveLength(2)
    expect((await usage(one))[0]?.post_counts.cancelled).toBe(1)
  })

  it('deletes their files and pictures, and a file that was left is swept', async () => {
    const { deps } = testServer
    const [one, two] = [await uploadVideo(ada), await uploadVideo(ada)]
    const keys = await deps.db.selectFrom('videos').select('storage_key').execute()
    expect(await remove([one.video_id, two.video_id])).toMatchObject({ status: 204 })
    for (const { storage_key } of keys) {
      expect(await deps.storage.stat(storage_key)).toBeNull()
      expect(await isKept(deps.db, storage_key)).toBe(false)
    }
  })

  it("leaves another user's video alone", async () => {
    const [mine = 0 as VideoId] = await insertVideos(['mine.mp4'])
    const [theirs = 0 as VideoId] = await insertVideos(['theirs.mp4'], (await eve.call('getUser')).user_id)
    expect(await remove([mine, theirs])).toMatchObject({ status: 404 })
    expect(await remove([mine, mine], 0, eve)).toMatchObject({ status: 404 })
    expect([(await list()).videos.length, (await list({}, eve)).videos.length]).toEqual([1, 1])
    expect(await remove([])).toMatchObject({ status: 422 })
  })
})

it('storage counts what is stored, and no longer what was deleted', async () => {
  const before = (await ada.call('getLibrary')).storage.used_bytes
  const video = await uploadVideo(ada)
  expect((await ada.call('getLibrary')).storage).toEqual({
    used_bytes: before + video.size,
    quota_bytes: null,
  })
  await tag([video.video_id], ['x'])
  await ada.call('deleteVideo', { params: { videoId: video.video_id } })
  expect(await ada.call('getLibrary')).toMatchObject({ videos: 0, tags: [], storage: { used_bytes: before } })
})
