import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccountId, BrandId, VideoId } from '#contract/ids.ts'
import { WAITING_DELIVERIES_MAX } from '#contract/limits.ts'
import { tiktokSourceInfo } from '#contract/platforms/tiktok.ts'
import { Post } from '#contract/posts.ts'
import { ProblemBody } from '#contract/http/problem.ts'
import { type TestServer, type Person, signUp, startTestServer } from '#test/support/test-server.ts'
import { schedulePost, signUpToPost, uploadVideo } from '#test/support/publish.ts'
import { fixture, type Sample, sampleVideo } from '#test/support/sample.ts'

let testServer: TestServer
let someone: Person
let brandId: BrandId
let tiktok: AccountId
let instagram: AccountId
let video: VideoId

beforeAll(async () => {
  testServer = await startTestServer()
  ;({ person: someone, brandId, tiktok, instagram, videoId: video } = await signUpToPost(testServer))
})
afterAll(() => testServer.stop())

type Answer = { readonly status: number; readonly body: unknown }

async function create(body: object, key?: string): Promise<Answer> {
  const answer = await someone.request('/posts', {
    method: 'POST',
    body: JSON.stringify({ video_id: video, text: 'Hello', targets: [{ account_id: tiktok }], ...body }),
    headers: { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) },
  })
  return { status: answer.status, body: await answer.json() }
}

async function sendForm(
  sample: Sample,
  changed: { title?: string; account?: number; size?: number; key?: string } = {},
): Promise<Answer> {
  const form = new FormData()
  form.append('videoFile', sample.file)
  form.append('post_info', JSON.stringify({ title: changed.title ?? 'Hello' }))
  form.append('source_info', JSON.stringify(tiktokSourceInfo(changed.size ?? sample.bytes)))
  form.append('accountId', String(changed.account ?? tiktok))
  const answer = await someone.request('/platforms/tiktok/video', {
    method: 'POST',
    body: form,
    headers: changed.key ? { 'idempotency-key': changed.key } : {},
  })
  return { status: answer.status, body: await answer.json() }
}

function errorsOf({ status, body }: Answer): string[] {
  const problem = ProblemBody.parse(body)
  return [`${status} ${problem.code}`, ...Object.keys(problem.errors ?? {})]
}

const textsOf = async (created: unknown) => {
  const { post_id } = Post.parse(created)
  const { targets } = await someone.call('getPost', { params: { postId: post_id } })
  return targets.map(({ text }) => text)
}

/** Files in the storage's folder, and not only those that a row knows. */
async function storedFiles(): Promise<number> {
  return (await readdir(path.join(testServer.config.dataDir, 'media/files'))).length
}

describe('a post', () => {
  it('goes to each account once, with a first line in its timeline', async () => {
    const { status, body } = await create({
      targets: [{ account_id: tiktok, options: { privacy_level: 'SELF_ONLY' } }, { account_id: instagram }],
    })
    expect(status).toBe(201)
    const post = Post.parse(body)
    expect(post).toMatchObject({
      brand_id: brandId,
      brand_title: 'Northwind',
      publish_at: null,
      text: 'Hello',
    })
    expect(post.deliveries).toMatchObject([
      { platform: 'tiktok', username: 'nova', status: 'scheduled', actions: ['cancel'] },
      { platform: 'instagram', username: 'nova', status: 'scheduled' },
    ])
    const { events, targets } = await someone.call('getPost', { params: { postId: post.post_id } })
    expect(events.map((event) => event.status)).toEqual(['scheduled', 'scheduled'])
    expect(targets).toMatchObject([
      {
        delivery_id: post.deliveries[0]?.delivery_id,
        text: 'Hello',
        options: { privacy_level: 'SELF_ONLY' },
      },
      { delivery_id: post.deliveries[1]?.delivery_id, options: { share_to_feed: true } },
    ])
  })

  it("shows its accounts' pictures, until they are unlinked", async () => {
    const { person, tiktok: accountId, videoId } = await signUpToPost(testServer)
    const accountIds = [accountId]
    const { post_id: postId } = await schedulePost(person, { videoId, text: 'Hello', accountIds, inDays: 3 })
    const [account] = await person.call('listAccounts')
    const read = async () => (await person.call('getPost', { params: { postId } })).deliveries
    expect(account?.avatar_url).toMatch(/nova/)
    expect(await read()).toMatchObject([{ avatar_url: account?.avatar_url }])
    await person.call('unlinkAccount', { params: { accountId }, query: { cancel_posts: 1 } })
    expect(await read()).toMatchObject([{ avatar_url: null }])
  })

  it("goes to each account with the account's own text, or the shared one", async () => {
    const { status, body } = await create({
      text: 'Shared',
      targets: [{ account_id: tiktok, text: 'For TikTok' }, { account_id: instagram }],
    })
    expect(status).toBe(201)
    expect(Post.parse(body).text).toBe('Shared')
    expect(await textsOf(body)).toEqual(['For TikTok', 'Shared'])
    const empty = await create({ text: 'Shared', targets: [{ account_id: tiktok, text: '' }] })
    expect(await textsOf(empty.body)).toEqual([''])
  })

  it('is listed without the texts of its accounts', async () => {
    const text = 'For TikTok and nobody else'
    const { body } = await create({ text: 'Shared', targets: [{ account_id: tiktok, text }] })
    expect(await textsOf(body)).toEqual([text])
    for (const address of ['/posts', '/overview'])
      expect(await (await someone.request(address)).text(), address).not.toContain(text)
  })

  it('keeps the wall clock and the zone it was given', async () => {
    const local = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10)
    const { body } = await create({ publish_at: { local: `${local}T18:30`, timezone: 'Asia/Kathmandu' } })
    const post = Post.parse(body)
    expect(post.publish_at).toBe(`${local}T12:45:00.000Z`)
    expect(post.timezone).toBe('Asia/Kathmandu')
    expect(post.deliveries[0]?.due_at).toBe(post.publish_at)
  })
})

describe('a post that cannot be made is refused at its fields', () => {
  it.each<[string, () => object, string[]]>([
    [
      'an account twice',
      () => ({ targets: [{ account_id: tiktok }, { account_id: tiktok }] }),
      ['422 invalid', 'targets.1.account_id'],
    ],
    [
      'an option that there is not',
      () => ({ targets: [{ account_id: tiktok, options: { privacy_level: 'ALL' } }] }),
      ['422 invalid', 'targets.0.options.privacy_level'],
    ],
    [
      'a cover past the end of the video',
      () => ({ targets: [{ account_id: instagram, options: { thumb_offset: 4001 } }] }),
      ['422 invalid', 'targets.0.options.thumb_offset'],
    ],
    ['no account', () => ({ targets: [] }), ['422 invalid', 'targets']],
    ['an account of nobody', () => ({ targets: [{ account_id: 999_999 }] }), ['404 not_found']],
    ['a video of nobody', () => ({ video_id: 999_999 }), ['404 not_found']],
    [
      'a time that has passed',
      () => ({ publish_at: { local: '2020-01-01T10:00', timezone: 'UTC' } }),
      ['422 invalid', 'publish_at.local'],
    ],
    [
      'a date that does not exist',
      () => ({ publish_at: { local: '2027-02-30T10:00', timezone: 'UTC' } }),
      ['422 invalid', 'publish_at.local'],
    ],
    [
      'a time too far ahead',
      () => ({ publish_at: { local: '2090-01-01T10:00', timezone: 'UTC' } }),
      ['422 invalid', 'publish_at.local'],
    ],
    [
      'a zone that does not exist',
      () => ({ publish_at: { local: '2027-01-01T10:00', timezone: 'Mars/X' } }),
      ['422 invalid', 'publish_at.timezone'],
    ],
  ])('%s', async (_what, body, expected) => {
    expect(errorsOf(await create(body()))).toEqual(expected)
  })

  it('a video that a platform refuses, with what to do', async () => {
    const { video_id: webm } = await uploadVideo(
      someone,
      new File([await readFile(fixture('vp9.webm'))], 'a.webm', { type: 'video/webm' }),
    )
    const answer = await create({ video_id: webm, targets: [{ account_id: instagram }] })
    expect(errorsOf(answer)).toEqual(['422 invalid', 'video_id'])
    expect(ProblemBody.parse(answer.body).errors?.['video_id']).toContain(
      "The file's format is WebM; Instagram accepts MP4 or MOV. Export it as MP4.",
    )
    expect((await create({ video_id: webm })).status).toBe(201)
  })

  it('more hashtags or mentions than Instagram takes, also for later, and never for TikTok', async () => {
    const text = '#tart '.repeat(35) + '@anna '.repeat(25)
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16)
    const later = { local: tomorrow, timezone: 'UTC' }
    const targets = [{ account_id: tiktok }, { account_id: instagram }]
    expect(await create({ text, targets, publish_at: later })).toMatchObject({
      status: 422,
      body: {
        errors: {
          text: [
            'Instagram allows up to 30 hashtags; this caption has 35.',
            'Instagram allows up to 20 mentions; this caption has 25.',
          ],
        },
      },
    })
    expect((await create({ text, targets: [{ account_id: tiktok }] })).status).toBe(201)
  })

  it("a text that its platform refuses, at the account's own text or at the shared one", async () => {
    const many = '#tart '.repeat(35)
    const refused = ['Instagram allows up to 30 hashtags; this caption has 35.']
    const errors = async (text: string, targets: object[]) =>
      ProblemBody.parse((await create({ text, targets })).body).errors
    expect(await errors('Hello', [{ account_id: tiktok }, { account_id: instagram, text: many }])).toEqual({
      'targets.1.text': refused,
    })
    const both = [{ account_id: tiktok, text: many }, { account_id: instagram }]
    expect(await errors(many, both)).toEqual({ text: refused })
    // Nobody gets the shared text.
    const own = [
      { account_id: tiktok, text: 'A' },
      { account_id: instagram, text: 'B' },
    ]
    expect((await create({ text: many, targets: own })).status).toBe(201)
  })

  it('a text of more UTF-16 units than a platform takes', async () => {
    const target = { account_id: tiktok, text: '🥐'.repeat(1100) }
    expect((await create({ targets: [target] })).status).toBe(201)
    const longer = { ...target, text: '🥐'.repeat(1101) }
    expect(errorsOf(await create({ targets: [longer] }))).toEqual(['422 invalid', 'targets.0.text'])
  })

  it('an account that must be linked again, or that did not allow posting', async () => {
    const { db } = testServer.deps
    const change = (values: { relink_reason?: string | null; can_publish?: boolean }) =>
      db.updateTable('accounts').set(values).where('account_id', '=', tiktok).execute()
    await change({ relink_reason: 'The access has ended.' })
    expect(errorsOf(await create({}))).toEqual(['422 invalid', 'targets.0.account_id'])
    await change({ relink_reason: null, can_publish: false })
    expect(errorsOf(await create({}))).toEqual(['422 invalid', 'targets.0.account_id'])
    await change({ can_publish: true })
    expect((await create({})).status).toBe(201)
  })
})

describe('a request that is sent again with its key', () => {
  it('answers the same post, also concurrently, and another body is refused', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => create({ text: 'Once' }, 'key-1')))
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201))
    expect(new Set(answers.map(({ body }) => Post.parse(body).post_id)).size).toBe(1)
    expect(errorsOf(await create({ text: 'Twice' }, 'key-1'))).toEqual(['422 key_reused'])
    const own = [{ account_id: tiktok, text: 'Own' }]
    expect(errorsOf(await create({ text: 'Once', targets: own }, 'key-1'))).toEqual(['422 key_reused'])
    const made = (await someone.call('listPosts')).items.filter(({ text }) => text === 'Once')
    expect(made).toHaveLength(1)
  })

  it("is independent of another user's equal key", async () => {
    const other = await signUp(testServer, 'Eve')
    const answer = await other.request('/posts', {
      method: 'POST',
      body: JSON.stringify({ video_id: video, text: 'Once', targets: [{ account_id: tiktok }] }),
      headers: { 'content-type': 'application/json', 'idempotency-key': 'key-1' },
    })
    expect(answer.status).toBe(404)
  })

  it('with a file keeps one file', async () => {
    const sample = sampleVideo()
    const before = await storedFiles()
    const answers = await Promise.all([1, 2, 3].map(() => sendForm(sample, { key: 'file-1' })))
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
    expect(new Set(answers.map(({ body }) => Post.parse(body).post_id)).size).toBe(1)
    expect(await storedFiles()).toBe(before + 1)
    expect(errorsOf(await sendForm(sampleVideo(), { key: 'file-1' }))).toEqual(['422 key_reused'])
    expect(await storedFiles()).toBe(before + 1)
  })
})

describe('the TikTok form', () => {
  it("is refused for a wrong size, another platform's account or an unknown account", async () => {
    const before = await storedFiles()
    expect(errorsOf(await sendForm(sampleVideo(), { size: 5 }))).toEqual([
      '422 invalid',
      'source_info.video_size',
    ])
    expect(errorsOf(await sendForm(sampleVideo(), { account: instagram }))).toEqual([
      '422 invalid',
      'accountId',
    ])
    expect(errorsOf(await sendForm(sampleVideo(), { account: 999_999 }))).toEqual(['404 not_found'])
    expect(errorsOf(await sendForm(sampleVideo(), { title: '' }))).toEqual(['422 invalid', 'post_info.title'])
    expect(await storedFiles()).toBe(before)
  })

  it('names the file when it is no video', async () => {
    const file = new File(['not a video'], 'a.mp4', { type: 'video/mp4' })
    const answer = await sendForm({ file, bytes: file.size, sha256: '' })
    expect(errorsOf(answer)).toEqual(['422 invalid', 'videoFile'])
  })
})

describe('a user with nearly as many waiting deliveries as a user may have', () => {
  const DAY = new Date(Date.now() + 60 * 86_400_000).toISOString().slice(0, 10)
  const MESSAGE = 'Up to 50,000 posts can wait, counting each account, and 49,999 do. Cancel some first.'
  let bea: Person
  let accounts: [AccountId, AccountId]
  let post: Post
  const targets = () => accounts.map((account_id) => ({ account_id, options: {} }))

  beforeAll(async () => {
    const { person, videoId, ...linked } = await signUpToPost(testServer)
    bea = person
    accounts = [linked.tiktok, linked.instagram]
    post = await schedulePost(bea, { videoId, text: 'first', accountIds: [accounts[0]], inDays: 30 })
    await sql`with made as (
        insert into posts (user_id, video_id, text, publish_at, publish_local, timezone)
        select user_id, video_id, text, publish_at, publish_local, timezone
        from posts, generate_series(1, ${WAITING_DELIVERIES_MAX - 2}::int) where post_id = ${post.post_id} returning post_id)
      insert into deliveries (user_id, post_id, account_id, platform, text, options, state, data, goes_out_at, wake_at)
      select user_id, made.post_id, account_id, platform, text, options, state, data, goes_out_at, wake_at
      from made cross join deliveries d where d.post_id = ${post.post_id}`.execute(testServer.deps.db)
  })

  it('is refused a post to more accounts than there is room for', async () => {
    const refused = bea.call('createPost', {
      body: {
        video_id: post.video.video_id,
        text: 'second',
        targets: targets(),
        publish_at: { local: `${DAY}T10:00`, timezone: 'Europe/Lisbon' },
      },
    })
    await expect(refused).rejects.toThrow(`"targets":["${MESSAGE}"]`)
  })

  it('is refused several posts that have room one by one only', async () => {
    const one = {
      video_id: post.video.video_id,
      text: 'second',
      targets: targets().slice(0, 1),
      publish_at: { local: `${DAY}T10:00`, timezone: 'Europe/Lisbon' },
    }
    const refused = bea.call('createPosts', { body: { posts: [one, one] } })
    await expect(refused).rejects.toThrow(`"posts":["${MESSAGE}"]`)
  })

  it('is refused a file with more posts, which leaves none', async () => {
    const names = accounts.join(' ')
    const csv = `caption,video,accounts,time\nthird,${post.video.video_id},${names},${DAY} 10:00`
    const refused = bea.call('importPosts', { body: { csv } })
    await expect(refused).rejects.toThrow(`"csv":["${MESSAGE}"]`)
  })

  it('adds one account to a post, and no other after it', async () => {
    const { post_id: postId } = post
    const { version } = await bea.call('getPost', { params: { postId } })
    await bea.call('editPost', { params: { postId }, body: { version, targets: targets() } })
    const another = bea.call('createPost', {
      body: { video_id: post.video.video_id, text: 'fourth', targets: targets().slice(0, 1) },
    })
    await expect(another).rejects.toThrow('answered 422')
  })

  it('swaps an account of a post', async () => {
    const { post_id: postId } = post
    const { version } = await bea.call('getPost', { params: { postId } })
    const edited = await bea.call('editPost', {
      params: { postId },
      body: { version, targets: targets().slice(1) },
    })
    expect(edited.deliveries.map(({ account_id }) => account_id)).toEqual([accounts[1]])
  })
})
