import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Call } from '#contract/http/endpoint.ts'
import type { API } from '#contract/api/api.ts'
import type { AccountId, VideoId } from '#contract/ids.ts'
import { Post } from '#contract/posts.ts'
import { signUpToPost, uploadVideo } from '#test/support/publish.ts'
import { type Person, signIn, signUp, startTestServer, type TestServer } from '#test/support/test-server.ts'

const NOW = Date.parse('2026-11-23T12:00:00Z')
let passed = 0
let testServer: TestServer
let ada: Person
let tiktok: AccountId
let instagram: AccountId
let videoId: VideoId
beforeAll(async () => {
  testServer = await startTestServer({ now: () => NOW + passed })
  ;({ person: ada, tiktok, instagram, videoId } = await signUpToPost(testServer))
})
afterAll(() => testServer.stop())

type NewPostBody = Call<(typeof API)['createPost']>['body']
const at = (local: string) => ({ local, timezone: 'UTC' })
const post = (rest: Partial<NewPostBody> = {}): NewPostBody => ({
  video_id: videoId,
  text: 'Hello',
  targets: [{ account_id: tiktok }, { account_id: instagram, text: 'Own', after_minutes: 10 }],
  publish_at: at('2026-12-24T18:30'),
  ...rest,
})
const send = (body: NewPostBody, { who = ada, key }: { who?: Person; key?: string } = {}) =>
  who.request('/posts', {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
  })
const sent = async (answer: Response) => {
  const body = (await answer.json()) as { code?: string; post_id?: number } // a post, or a refusal
  return `${answer.status} ${body.code ?? body.post_id}`
}
const countPosts = async () =>
  (await testServer.deps.db.selectFrom('posts').select('post_id').execute()).length

describe('a dry run', () => {
  it('says what each account would get and when, and makes nothing', async () => {
    const before = await countPosts()
    const { targets, similar } = await ada.call('tryPost', { body: post() })
    expect(targets).toMatchObject([
      { account_id: tiktok, platform: 'tiktok', text: 'Hello', goes_out_at: '2026-12-24T18:30:00.000Z' },
      { account_id: instagram, platform: 'instagram', text: 'Own', goes_out_at: '2026-12-24T18:40:00.000Z' },
    ])
    expect(similar).toEqual([])
    const { publish_at: _later, ...now } = post()
    expect((await ada.call('tryPost', { body: now })).targets[0]?.goes_out_at).toBeNull()
    expect(await countPosts()).toBe(before)
  })

  it('refuses what making the post would refuse', async () => {
    const answer = await ada.request('/posts/dry-run', {
      method: 'POST',
      body: JSON.stringify(post({ targets: [{ account_id: tiktok, text: 'x'.repeat(3000) }] })),
      headers: { 'content-type': 'application/json' },
    })
    expect(answer.status).toBe(422)
    expect(await answer.json()).toMatchObject({
      code: 'invalid',
      retryable: false,
      errors: { 'targets.0.text': [expect.any(String)] },
    })
  })

  it('names posts that are much the same', async () => {
    const { person, tiktok: own, videoId: video } = await signUpToPost(testServer)
    const body = post({
      video_id: video,
      targets: [{ account_id: own }],
      publish_at: at('2026-11-25T10:00'),
    })
    const made = await person.call('createPost', { body })
    expect((await person.call('tryPost', { body })).similar).toMatchObject([
      { account_id: own, post_id: made.post_id, same: 'both' },
    ])
  })
})

describe('a preview token', () => {
  it('makes what was shown, once', async () => {
    const { preview_token } = await ada.call('tryPost', { body: post() })
    const count = await countPosts()
    const answers = await Promise.all([1, 2, 3].map(() => send(post({ preview_token }))))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(answers.map(({ headers }) => headers.get('idempotent-replayed')).filter(Boolean)).toHaveLength(2)
    expect(await countPosts()).toBe(count + 1)
    expect(await sent(await send(post({ preview_token, text: 'Something else' })))).toBe(
      '409 preview_changed',
    )
    const spelled = [`${preview_token}=`, `${preview_token}.again`, ` ${preview_token}`]
    for (const token of spelled)
      expect(await sent(await send(post({ preview_token: token })))).toBe('409 preview_changed')
    expect(await sent(await send(post({ preview_token }), { key: 'mine' }))).toBe('422 invalid')
    expect(await countPosts()).toBe(count + 1)
    // Another dry run of the same is another post.
    const again = await ada.call('tryPost', { body: post() })
    expect((await send(post({ preview_token: again.preview_token }))).status).toBe(201)
    expect(await countPosts()).toBe(count + 2)
  })

  it.each<[string, () => Partial<NewPostBody>]>([
    ['text', () => ({ text: 'Other' })],
    ['account', () => ({ targets: [{ account_id: tiktok }] })],
    [
      'caption',
      () => ({
        targets: [
          { account_id: tiktok, text: 'Mine' },
          { account_id: instagram, text: 'Own', after_minutes: 10 },
        ],
      }),
    ],
    [
      'option',
      () => ({
        targets: [
          { account_id: tiktok, options: { privacy_level: 'SELF_ONLY' } },
          { account_id: instagram, text: 'Own', after_minutes: 10 },
        ],
      }),
    ],
    ['time', () => ({ publish_at: at('2026-12-24T18:31') })],
    [
      'distance',
      () => ({
        targets: [{ account_id: tiktok }, { account_id: instagram, text: 'Own', after_minutes: 11 }],
      }),
    ],
    ['moment', () => ({ publish_at: undefined })],
  ])('does not stand for another %s', async (_what, change) => {
    const { preview_token } = await ada.call('tryPost', { body: post() })
    const count = await countPosts()
    expect(await sent(await send({ ...post(), ...change(), preview_token }))).toBe('409 preview_changed')
    expect(await countPosts()).toBe(count)
  })

  it('ends after a day', async () => {
    const { preview_token } = await ada.call('tryPost', { body: post() })
    passed = 86_400_001
    const later = await signIn(testServer, ada.email)
    expect(await sent(await send(post({ preview_token }), { who: later }))).toBe('409 preview_changed')
    passed = 0
  })

  it('of another user, or made up, is refused', async () => {
    const { person, tiktok: own, videoId: video } = await signUpToPost(testServer)
    const body = post({ video_id: video, targets: [{ account_id: own }] })
    const { preview_token } = await ada.call('tryPost', { body: post() })
    for (const token of [preview_token, '', '.', 'x.y', '🍋'])
      expect(await sent(await send({ ...body, preview_token: token }, { who: person }))).toBe(
        '409 preview_changed',
      )
  })

  it('with a place in a posting schedule stands for the slot that was free', async () => {
    const { person, brandId, tiktok: own, videoId: video } = await signUpToPost(testServer)
    const { schedule_id } = await person.call('createSchedule', {
      body: { brand_id: brandId, name: 'Mornings', slots: [{ weekday: 1, time: '08:00', platforms: null }] },
    })
    const { publish_at: _none, ...rest } = post({ video_id: video, targets: [{ account_id: own }] })
    const body = { ...rest, schedule: { schedule_id, place: 'next' as const } }
    const shown = await person.call('tryPost', { body })
    await person.call('createPost', { body })
    expect(await sent(await send({ ...body, preview_token: shown.preview_token }, { who: person }))).toBe(
      '409 preview_changed',
    )
  })

  it('at the top of a posting schedule stands for the posts that move', async () => {
    const { person, brandId, tiktok: own, videoId: video } = await signUpToPost(testServer)
    const { schedule_id } = await person.call('createSchedule', {
      body: { brand_id: brandId, name: 'Mornings', slots: [{ weekday: 1, time: '08:00', platforms: null }] },
    })
    const { publish_at: _none, ...rest } = post({ video_id: video, targets: [{ account_id: own }] })
    const next = { ...rest, schedule: { schedule_id, place: 'next' as const } }
    const top = { ...rest, schedule: { schedule_id, place: 'top' as const } }
    const first = await person.call('createPost', { body: next })
    const shown = await person.call('tryPost', { body: top })
    expect(shown.moves).toEqual([
      {
        post_id: first.post_id,
        from: '2026-11-30T08:00:00.000Z',
        to: '2026-12-07T08:00:00.000Z',
      },
    ])
    const second = await person.call('createPost', { body: next })
    expect(await sent(await send({ ...top, preview_token: shown.preview_token }, { who: person }))).toBe(
      '409 preview_changed',
    )
    const { preview_token, moves } = await person.call('tryPost', { body: top })
    expect(moves.map(({ post_id }) => post_id)).toEqual([first.post_id, second.post_id])
    expect((await send({ ...top, preview_token }, { who: person })).status).toBe(201)
  })

  it('with a place in a posting schedule names posts at the same minute', async () => {
    const { person, brandId, tiktok: own, videoId: video } = await signUpToPost(testServer)
    const { schedule_id, timezone } = await person.call('createSchedule', {
      body: { brand_id: brandId, name: 'Mornings', slots: [{ weekday: 1, time: '08:00', platforms: null }] },
    })
    const { video_id: other } = await uploadVideo(person)
    const targets = [{ account_id: own }]
    const slot = { local: '2026-11-30T08:00', timezone }
    const made = await person.call('createPost', {
      body: post({ video_id: other, text: 'Another', targets, publish_at: slot }),
    })
    const { publish_at: _none, ...rest } = post({ video_id: video, targets })
    const body = { ...rest, schedule: { schedule_id, place: 'slot' as const, slot } }
    expect((await person.call('tryPost', { body })).similar).toMatchObject([
      { account_id: own, post_id: made.post_id, same: 'time' },
    ])
  })
})

describe('a key that is sent again', () => {
  it('answers the post as it is now, and says so', async () => {
    const first = await send(post({ text: 'Keyed' }), { key: 'for-ever' })
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    const made = Post.parse(await first.json())
    await ada.call('editPost', {
      params: { postId: made.post_id },
      body: { version: made.version, publish_at: at('2026-12-31T10:00') },
    })
    const again = await send(post({ text: 'Keyed' }), { key: 'for-ever' })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await again.json()).toMatchObject({
      post_id: made.post_id,
      publish_at: '2026-12-31T10:00:00.000Z',
    })
  })
})

/** The posts of the reference `cms/42`. */
const find = async (who: Person, query: object) =>
  (await who.call('listPosts', { query: { reference: 'cms/42', ...query } })).items.map(
    ({ post_id }) => post_id,
  )

describe('a reference', () => {
  it('finds its posts, and may be changed and taken away', async () => {
    const eve = await signUp(testServer, 'Eve')
    const made = await ada.call('createPost', { body: post({ text: 'Referred', reference: 'cms/42' }) })
    await ada.call('createPost', { body: post({ text: 'Other', reference: 'cms/421' }) })
    expect(made.reference).toBe('cms/42')
    expect(await find(ada, {})).toEqual([made.post_id])
    expect(await find(ada, { status: 'scheduled', accountId: tiktok, search: 'refer' })).toEqual([
      made.post_id,
    ])
    expect(await find(ada, { search: 'lemon' })).toEqual([])
    expect(await find(ada, { status: 'past' })).toEqual([])
    expect(await find(eve, {})).toEqual([])
    const params = { postId: made.post_id }
    const body = { version: made.version, reference: null }
    expect(await ada.call('editPost', { params, body })).toMatchObject({ reference: null, version: 2 })
    expect(await find(ada, {})).toEqual([])
  })
})
