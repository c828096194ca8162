import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AccountId, BrandId, DeliveryId, PostId, ScheduleId, VideoId } from '#contract/ids.ts'
import { ProblemBody } from '#contract/http/problem.ts'
import { Post, type PostFilter } from '#contract/posts.ts'
import { REASONS } from '#domain/delivery/reasons.ts'
import { explainScans, sumRows } from '#test/support/database/explain.ts'
import { makeState, REFUSED, setState } from '#test/support/delivery-states.ts'
import { uploadVideo } from '#test/support/publish.ts'
import { sampleVideo } from '#test/support/sample.ts'
import {
  control,
  linkAccount,
  type Person,
  signUp,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'
import { lockPlatformAccounts } from './late-posts.ts'
import { findRepeatsQuery } from './repeats.ts'

// What a failure needs, and what a retry asks: by HTTP alone, as no worker is needed for any of it.

let testServer: TestServer
let ada: Person
let brandId: BrandId
let accountId: AccountId
let videoId: VideoId
let file: File

beforeAll(async () => {
  testServer = await startTestServer()
})
afterAll(() => testServer.stop())
beforeEach(async () => {
  ada = await signUp(testServer)
  brandId = (await ada.call('createBrand', { body: { title: 'Northwind' } })).brand_id
  accountId = await link()
  ;({ file } = sampleVideo())
  videoId = (await uploadVideo(ada, file)).video_id
})

let creators = 0
const creatorOf = () => `settled${++creators}`
async function link(who = ada, brand = brandId, creator = creatorOf()): Promise<AccountId> {
  const known = { platform: 'tiktok', username: creator }
  await control(testServer.practiceUrl, 'POST', '/_control/accounts', known)
  return (await linkAccount(who, { platform: 'tiktok', brandId: brand, creator })).account_id
}

type Asked = {
  video_id?: VideoId
  accounts?: readonly AccountId[]
  replaces?: readonly number[]
  confirm_repeat?: boolean
  schedule?: object
  text?: string
}
const send = (method: string, address: string, body: object = {}, who = ada, headers = {}) =>
  who.request(address, {
    method,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
const create = ({ accounts = [accountId], ...its }: Asked = {}, headers = {}) =>
  send(
    'POST',
    '/posts',
    { video_id: videoId, text: 'Hello', targets: accounts.map((account_id) => ({ account_id })), ...its },
    ada,
    headers,
  )
const made = async (asked?: Asked): Promise<Post> => {
  const answer = await create(asked)
  const body: unknown = await answer.json()
  expect(answer.status, JSON.stringify(body)).toBe(201)
  return Post.parse(body)
}
const problem = async (answer: Response): Promise<ProblemBody> => ProblemBody.parse(await answer.json())

const idOf = ({ deliveries }: Post, nth = 0): DeliveryId => {
  const id = deliveries[nth]?.delivery_id
  if (id === undefined) throw new Error('There is no such delivery.')
  return id
}
const read = async ({ post_id: postId }: Pick<Post, 'post_id'>, nth = 0) => {
  const post = await ada.call('getPost', { params: { postId } })
  const delivery = post.deliveries[nth]
  if (!delivery) throw new Error('There is no such delivery.')
  return { ...delivery, lines: post.events.map(({ message }) => message) }
}

const states = {
  failed: () => makeState('failed', Date.now()),
  published: () => makeState('published', Date.now(), { postId: '7', url: 'https://example.com/7' }),
  in_inbox: () => makeState('in_inbox', Date.now()),
  unconfirmed: () => makeState('unconfirmed', Date.now()),
  processing: () => makeState('processing', Date.now()),
  cancelled: () => makeState('cancelled', Date.now()),
  missed: () => makeState('blocked', Date.now(), { cause: 'missed', dueAt: Date.now() }),
  limit: () => makeState('blocked', Date.now(), { cause: 'limit', until: Date.now() + 3_600_000 }),
  restored: () =>
    makeState('blocked', Date.now(), { cause: 'restored', dueAt: Date.now(), reason: REASONS.restored }),
}
const move = (post: Post, to: keyof typeof states, nth = 0) =>
  setState(testServer, { delivery_id: idOf(post, nth) }, states[to]())
const refusedPost = async (asked?: Asked): Promise<Post> => {
  const post = await made(asked)
  for (const nth of post.deliveries.keys()) await move(post, 'failed', nth)
  return post
}

const act = (post: Post, action: 'retry' | 'dismiss' | 'cancel', body: object = {}, nth = 0, who = ada) =>
  send('POST', `/deliveries/${idOf(post, nth)}/${action}`, body, who)
const retry = (post: Post, body: object = {}) => act(post, 'retry', body)

const idsOf = async (status: PostFilter): Promise<PostId[]> =>
  (await ada.call('listPosts', { query: { status } })).items.map(({ post_id }) => post_id)
const attention = async () => {
  const { counts } = await ada.call('listPosts')
  const overview = await ada.call('getOverview')
  expect(overview.attention.total).toBe(counts.attention)
  expect(await idsOf('attention')).toHaveLength(counts.attention)
  return counts.attention
}

describe('a failure that is sent again as a newer post', () => {
  it('is settled with the post that takes its place, and can no longer be retried', async () => {
    const first = await refusedPost()
    expect(await attention()).toBe(1)
    const second = await made({ text: 'Hello again', replaces: [idOf(first)] })
    const settled = await read(first)
    expect(settled).toMatchObject({
      status: 'failed',
      settled: { kind: 'replaced', post_id: second.post_id },
      reason: {
        message: REFUSED.message,
        remedy: 'A newer post has replaced it, so there is nothing to do.',
      },
      actions: [],
    })
    expect(settled.lines.at(-1)).toBe('Replaced by a newer post.')
    expect(await attention()).toBe(0)
    expect(await idsOf('past')).toEqual([first.post_id])
    expect(await idsOf('failed')).toEqual([])
    expect((await ada.call('listPosts')).counts.failed).toBe(0)
    await move(second, 'published')
    for (const body of [{}, { confirm_repeat: true }])
      expect(await problem(await retry(first, body))).toMatchObject({ code: 'conflict' })
    expect((await read(first)).status).toBe('failed')
  })

  it('stays replaced whatever becomes of the newer post, which may be sent again itself', async () => {
    const first = await refusedPost()
    const second = await made({ replaces: [idOf(first)] })
    await move(second, 'failed')
    expect(await attention()).toBe(1)
    expect((await read(first)).actions).toEqual([])
    const third = await made({ replaces: [idOf(second)] })
    await act(third, 'cancel')
    expect(await attention()).toBe(0)
    // Nothing of it is on its way any more, so another post may take its place.
    const fourth = await made({ replaces: [idOf(second)] })
    expect((await read(second)).settled?.post_id).toBe(fourth.post_id)
  })

  it('is settled for the accounts of the newer post only', async () => {
    const other = await link()
    const first = await refusedPost({ accounts: [accountId, other] })
    await made({ accounts: [other], replaces: [idOf(first), idOf(first, 1)] })
    expect((await read(first)).settled).toBeNull()
    expect((await read(first, 1)).settled).toMatchObject({ kind: 'replaced' })
    expect(await attention()).toBe(1)
  })

  it('is settled where the account was linked again under another brand', async () => {
    const creator = creatorOf()
    const before = await link(ada, brandId, creator)
    const first = await refusedPost({ accounts: [before] })
    await ada.call('unlinkAccount', { params: { accountId: before } })
    const brand = (await ada.call('createBrand', { body: { title: 'Contoso' } })).brand_id
    const after = await link(ada, brand, creator)
    expect(after).not.toBe(before)
    await made({ accounts: [after], replaces: [idOf(first)] })
    expect((await read(first)).settled).toMatchObject({ kind: 'replaced' })
  })

  it('asks in the second of two tabs, and leaves nothing behind where it does', async () => {
    const first = await refusedPost()
    const second = await made({ replaces: [idOf(first)] })
    const again = await create({ replaces: [idOf(first)] })
    expect(again.status).toBe(409)
    expect(await problem(again)).toMatchObject({
      code: 'already_posted',
      repeats: [{ post_id: second.post_id, status: 'scheduled', platform: 'tiktok' }],
    })
    expect((await ada.call('listPosts')).items).toHaveLength(2)
    const third = await made({ replaces: [idOf(first)], confirm_repeat: true })
    expect((await read(first)).settled?.post_id).toBe(third.post_id)
  })

  it.each(['scheduled', 'published', 'unconfirmed'] as const)(
    'asks once it was retried meanwhile and is %s',
    async (state) => {
      const first = await refusedPost()
      expect((await retry(first)).status).toBe(200)
      if (state !== 'scheduled') await move(first, state)
      expect(await problem(await create({ replaces: [idOf(first)] }))).toMatchObject({
        code: 'already_posted',
        repeats: [{ post_id: first.post_id, status: state }],
      })
      await made({ replaces: [idOf(first)], confirm_repeat: true })
      expect(await read(first)).toMatchObject({ status: state, settled: null })
    },
  )

  it('of a retry and a resend at once takes one', async () => {
    for (let round = 0; round < 5; round++) {
      const accounts = [await link()]
      const first = await refusedPost({ accounts })
      const answers = await Promise.all([retry(first), create({ accounts, replaces: [idOf(first)] })])
      const [retried, resent] = answers.map(({ status }) => status)
      expect([
        [200, 409],
        [409, 201],
      ]).toContainEqual([retried, resent])
    }
  })

  it('is one post however often the same request arrives, also once its user was asked', async () => {
    const first = await refusedPost()
    await made()
    const headers = { 'idempotency-key': randomUUID() }
    const asked = { replaces: [idOf(first)] }
    expect((await create(asked, headers)).status).toBe(409)
    const posts = await Promise.all(
      [true, true, true].map(async (confirm_repeat) =>
        Post.parse(await (await create({ ...asked, confirm_repeat }, headers)).json()),
      ),
    )
    expect(new Set(posts.map(({ post_id }) => post_id)).size).toBe(1)
    const repeated = Post.parse(await (await create(asked, headers)).json())
    expect(repeated.post_id).toBe(posts[0]?.post_id)
  })

  it('locks posts before accounts where it goes to the top of a schedule', async () => {
    const slotted = await made()
    const schedule_id = await makeSchedule()
    await moveToSchedule(slotted, { schedule: { schedule_id, place: 'next' } })
    const failed = await refusedPost()
    const { db } = testServer.deps
    const isWaiting = sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%"posts"%'`
    const asked = { schedule: { schedule_id, place: 'top' }, replaces: [idOf(failed)], confirm_repeat: true }
    const answer = await db.transaction().execute(async (trx) => {
      const { post_id } = slotted
      await trx.selectFrom('posts').select('post_id').where('post_id', '=', post_id).forUpdate().execute()
      const created = { answer: create(asked) }
      await expect.poll(async () => (await isWaiting.execute(db)).rows[0]?.n).toBeGreaterThan(0)
      await lockPlatformAccounts(trx, [accountId])
      return created
    })
    expect((await answer.answer).status).toBe(201)
    expect((await read(failed)).settled?.kind).toBe('replaced')
  })

  it('is carried by a draft', async () => {
    const first = await refusedPost()
    const draftId = randomUUID()
    const content = {
      video_id: videoId,
      text: 'Hello',
      platform_options: {},
      targets: [{ account_id: accountId, text: null, options: null }],
      publish_at: null,
      replaces: [idOf(first)],
    }
    await ada.call('saveDraft', { params: { draftId }, body: { version: 0, content } })
    const { content: stored, version } = await ada.call('getDraft', { params: { draftId } })
    expect(stored).toEqual(content)
    const second = await ada.call('createPost', {
      body: {
        video_id: videoId,
        text: 'Hello',
        targets: [{ account_id: accountId }],
        replaces: stored.replaces,
        draft: { draft_id: draftId, version },
      },
    })
    expect((await read(first)).settled?.post_id).toBe(second.post_id)
  })

  it("cannot be another user's", async () => {
    const first = await refusedPost()
    const eve = await signUp(testServer)
    const brand = (await eve.call('createBrand', { body: { title: 'Fabrikam' } })).brand_id
    const theirs = await link(eve, brand)
    const { video_id } = await uploadVideo(eve)
    const answer = await send(
      'POST',
      '/posts',
      { video_id, text: 'Mine', targets: [{ account_id: theirs }], replaces: [idOf(first)] },
      eve,
    )
    expect(answer.status).toBe(404)
    expect((await eve.call('listPosts')).items).toEqual([])
    expect((await read(first)).settled).toBeNull()
  })
})

describe('a failure that is dismissed', () => {
  it('needs nobody any more, stays in the history, and may still be retried', async () => {
    const post = await refusedPost()
    for (let press = 0; press < 2; press++) expect((await act(post, 'dismiss')).status).toBe(200)
    const dismissed = await read(post)
    expect(dismissed).toMatchObject({ status: 'failed', settled: { kind: 'dismissed' }, actions: ['retry'] })
    expect(dismissed.lines.filter((line) => line === 'Dismissed.')).toHaveLength(1)
    expect(await attention()).toBe(0)
    expect(await idsOf('failed')).toEqual([])
    expect(await idsOf('past')).toEqual([post.post_id])
    expect((await retry(post)).status).toBe(200)
    expect(await read(post)).toMatchObject({ status: 'scheduled', settled: null })
  })

  it.each(['published', 'cancelled', 'unconfirmed', 'missed'] as const)(
    'is not one that is %s, and is its own user’s',
    async (state) => {
      const post = await made()
      await move(post, state)
      expect((await act(post, 'dismiss')).status).toBe(409)
      const eve = await signUp(testServer)
      expect((await act(post, 'dismiss', {}, 0, eve)).status).toBe(404)
    },
  )

  it('is dismissed for all accounts of several posts at once', async () => {
    const other = await link()
    const many = await refusedPost({ accounts: [accountId, other] })
    const fine = await made()
    const result = await ada.call('bulkPosts', {
      body: { action: 'dismiss', post_ids: [many.post_id, fine.post_id] },
    })
    expect(result.done).toEqual([{ post_id: many.post_id }])
    expect(result.refused).toMatchObject([{ post_id: fine.post_id, message: 'Nothing in this post failed.' }])
    expect(await attention()).toBe(0)
  })

  it('does not stand for the accounts that are fine in the calendar', async () => {
    const other = await link()
    const post = await made({ accounts: [accountId, other] })
    await move(post, 'failed')
    await move(post, 'published', 1)
    const from = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)
    const shown = async () => (await ada.call('getCalendar', { query: { from, days: 5 } })).posts
    expect(await shown()).toMatchObject([{ status: 'failed', settled: false }])
    await act(post, 'dismiss')
    expect(await shown()).toMatchObject([{ status: 'published', settled: false }])
    await move(post, 'cancelled', 1)
    expect(await shown()).toMatchObject([{ status: 'failed', settled: true }])
  })
})

const later = (days: number) => ({
  local: new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 16),
  timezone: 'UTC',
})
async function moveByHand({ post_id: postId }: Post, body: object = {}): Promise<Response> {
  const { version } = await ada.call('getPost', { params: { postId } })
  return send('PATCH', `/posts/${postId}`, { version, publish_at: later(2), ...body })
}
async function moveInCalendar({ post_id: postId }: Post, body: object = {}): Promise<Response> {
  const { version } = await ada.call('getPost', { params: { postId } })
  const moment = { at: new Date(Date.now() + 2 * 86_400_000).toISOString(), timezone: 'UTC' }
  return send('PATCH', `/posts/${postId}`, { version, moment, ...body })
}
async function makeSchedule(): Promise<ScheduleId> {
  const slots = [{ weekday: 1, time: '18:00', platforms: null }]
  const body = { brand_id: brandId, name: `Evenings ${randomUUID()}`, slots }
  return (await ada.call('createSchedule', { body })).schedule_id
}
async function moveToSchedule({ post_id: postId }: Post, body: object = {}): Promise<Response> {
  const { version } = await ada.call('getPost', { params: { postId } })
  const schedule = { schedule_id: await makeSchedule(), place: 'top' }
  return send('PATCH', `/posts/${postId}`, { version, schedule, ...body })
}

describe('what may have been posted before a restore', () => {
  it('stays held at another time, in a schedule and moved with others', async () => {
    const posts = [await made(), await made({ text: 'Two' })]
    for (const post of posts) await move(post, 'restored')
    const [one] = posts
    if (!one) throw new Error('Nothing was made.')
    expect((await moveByHand(one)).status).toBe(200)
    expect((await moveByHand(one, { publish_at: null })).status).toBe(200)
    expect((await read(one)).lines).toContain('Moved to now. It is still held.')
    expect((await moveToSchedule(one)).status).toBe(200)
    expect((await moveInCalendar(one)).status).toBe(200)
    const body = { action: 'move', publish_at: later(3), post_ids: posts.map(({ post_id }) => post_id) }
    const answer = await send('POST', '/posts/bulk', body)
    expect(await answer.json()).toMatchObject({ done: body.post_ids.map((post_id) => ({ post_id })) })
    for (const post of posts)
      expect(await read(post)).toMatchObject({ status: 'blocked', reason: { code: 'restored' } })
    const { deps } = testServer
    const woken = deps.db
      .selectFrom('deliveries')
      .select('delivery_id')
      .where(
        'delivery_id',
        'in',
        posts.map((post) => idOf(post)),
      )
      .where('wake_at', 'is not', null)
    expect(await woken.execute()).toEqual([])
  })
})

describe('a call that would post a video again', () => {
  const ways: readonly [string, keyof typeof states, (post: Post, body?: object) => Promise<Response>][] = [
    ['a retry', 'failed', retry],
    ['publishing what was missed', 'missed', retry],
    ['releasing what a limit holds', 'limit', retry],
    ['another time for what was missed', 'missed', moveByHand],
    ['another time for what a limit holds', 'limit', moveByHand],
    ['a place in a schedule for what was missed', 'missed', moveToSchedule],
    ['a moment of the calendar for what was missed', 'missed', moveInCalendar],
    ['a moment of the calendar for what a limit holds', 'limit', moveInCalendar],
    [
      '"not live: post again"',
      'unconfirmed',
      (post, body = {}) =>
        send('POST', `/deliveries/${idOf(post)}/resolve`, { outcome: 'not_live', ...body }),
    ],
  ]

  it.each(ways)('asks first: %s', async (_way, from, again) => {
    const first = await made()
    const second = await made({ text: 'By hand' })
    await move(second, 'published')
    await move(first, from)
    const refused = await again(first)
    expect(refused.status).toBe(409)
    expect(await problem(refused)).toMatchObject({
      code: 'already_posted',
      repeats: [
        {
          post_id: second.post_id,
          status: 'published',
          platform: 'tiktok',
          url: 'https://example.com/7',
        },
      ],
    })
    expect((await read(first)).status).toBe(states[from]().kind)
    expect((await again(first, { confirm_repeat: true })).status).toBe(200)
    expect((await read(first)).status).toBe('scheduled')
  })

  it.each(['published', 'in_inbox', 'unconfirmed', 'processing', 'missed', 'limit'] as const)(
    'asks while the other post is %s',
    async (state) => {
      const first = await refusedPost()
      const second = await made()
      await move(second, state)
      expect(await problem(await retry(first))).toMatchObject({
        code: 'already_posted',
        repeats: [{ post_id: second.post_id, status: states[state]().kind }],
      })
    },
  )

  it.each(['failed', 'cancelled'] as const)('asks nothing where the other post is %s', async (state) => {
    const first = await refusedPost()
    await move(await made(), state)
    expect((await retry(first)).status).toBe(200)
  })

  it('asks nothing of another video, another account, or what was there before', async () => {
    const before = await made()
    await move(before, 'published')
    await testServer.deps.db
      .updateTable('deliveries')
      .set({ data: JSON.stringify({ ...states.published(), at: Date.now() - 60_000 }) })
      .where('delivery_id', '=', idOf(before))
      .execute()
    const first = await refusedPost()
    await move(await made({ accounts: [await link()] }), 'published')
    await move(await made({ video_id: (await uploadVideo(ada)).video_id }), 'published')
    expect((await retry(first)).status).toBe(200)
  })

  it('knows a video by its bytes, and an account by the platform', async () => {
    const creator = creatorOf()
    const before = await link(ada, brandId, creator)
    const elsewhere = await made({ accounts: [before] })
    await ada.call('unlinkAccount', { params: { accountId: before }, query: { cancel_posts: 1 } })
    await move(elsewhere, 'published')
    const brand = (await ada.call('createBrand', { body: { title: 'Contoso' } })).brand_id
    const after = await link(ada, brand, creator)
    const again = (await uploadVideo(ada, file)).video_id
    expect(again).not.toBe(videoId)
    const first = await refusedPost({ accounts: [after], video_id: again })
    await move(elsewhere, 'published')
    expect(await problem(await retry(first))).toMatchObject({
      code: 'already_posted',
      repeats: [{ post_id: elsewhere.post_id }],
    })
  })

  it('asks about a post that was deleted here, which is live all the same', async () => {
    const first = await refusedPost()
    const second = await made()
    await move(second, 'published')
    await ada.call('deletePost', { params: { postId: second.post_id } })
    expect(await problem(await retry(first))).toMatchObject({
      code: 'already_posted',
      repeats: [{ post_id: null, status: 'published' }],
    })
  })

  it("tells of other users' posts only that the account has the video", async () => {
    const creator = creatorOf()
    const mine = await link(ada, brandId, creator)
    const first = await refusedPost({ accounts: [mine] })
    const eve = await signUp(testServer)
    const brand = (await eve.call('createBrand', { body: { title: 'Fabrikam' } })).brand_id
    const theirs = await link(eve, brand, creator)
    const { video_id } = await uploadVideo(eve, file)
    const body = { video_id, text: 'Secret', targets: [{ account_id: theirs }] }
    const post = Post.parse(await (await send('POST', '/posts', body, eve)).json())
    expect((await retry(first)).status).toBe(200)
    await move(first, 'failed')
    await move(post, 'published')
    const told = await problem(await retry(first))
    expect(told).toMatchObject({ code: 'already_posted', repeats: [{ post_id: null, url: null }] })
    expect(JSON.stringify(told)).not.toContain('Secret')
  })

  it('of two retries of the same video at once takes one and asks about the other', async () => {
    for (let round = 0; round < 5; round++) {
      const creator = creatorOf()
      const account = await link(ada, brandId, creator)
      const one = await refusedPost({ accounts: [account] })
      const other = await refusedPost({ accounts: [account] })
      const answers = await Promise.all([retry(one), retry(other)])
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    }
  })

  it('reads none of the other videos that the account has', async () => {
    const { db } = testServer.deps
    const first = await refusedPost()
    const other = await made({ video_id: (await uploadVideo(ada)).video_id })
    await sql`with old as (insert into posts (user_id, video_id, text)
        select user_id, video_id, text from posts, generate_series(1, 3000) where post_id = ${other.post_id} returning post_id)
      insert into deliveries (post_id, user_id, account_id, platform, options, state, data, text)
      select old.post_id, user_id, account_id, platform, options, 'published', '{"at": 1}', text
      from old, deliveries where delivery_id = ${idOf(other)}`.execute(db)
    await sql`analyze`.execute(db)
    const scans = await explainScans(db, findRepeatsQuery([idOf(first)], 'others').compile(db))
    expect(sumRows(scans.filter(({ table }) => table === 'deliveries'))).toBeLessThan(100)
  })
})
