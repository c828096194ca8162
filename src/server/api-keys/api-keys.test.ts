import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { API } from '#contract/api/api.ts'
import type { NewApiKey } from '#contract/api-keys.ts'
import { type Endpoint } from '#contract/http/endpoint.ts'
import { KEY_SCOPES, type KeyScope } from '#contract/http/key-rights.ts'
import type { AccountId, ApiKeyId, BrandId, VideoId } from '#contract/ids.ts'
import { API_KEY_CALLS_PER_MINUTE, API_KEYS_MAX } from '#contract/limits.ts'
import { Post } from '#contract/posts.ts'
import { uploadPicture } from '#test/support/publish.ts'
import { sampleVideo } from '#test/support/sample.ts'
import {
  linkAccount,
  pathOf,
  type Person,
  personWith,
  resetPassword,
  signIn,
  signUp,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'
import { createUpload } from '#test/support/uploads.ts'
import { NAMES } from './reach.ts'

const DAY_MS = 86_400_000
let passed = 0
let testServer: TestServer
let ada: Person
beforeAll(async () => {
  testServer = await startTestServer({ now: () => Date.now() + passed })
  // The first user of a server operates it.
  ada = await signUp(testServer, 'Ada')
})
afterAll(() => testServer.stop())

const inAMonth = () => new Date(Date.now() + 30 * DAY_MS).toISOString().slice(0, 16)

type Made = Person & { readonly keyId: ApiKeyId }
async function makeKey(who: Person, asked: Partial<NewApiKey> = {}): Promise<Made> {
  const { key, secret } = await who.call('createApiKey', {
    body: { name: 'n8n', scopes: [...KEY_SCOPES], expires_in_days: 90, ...asked },
  })
  return { ...personWith(testServer, who.email, secret), keyId: key.key_id }
}
const statusOf = async (who: Person, address: string, init?: RequestInit) =>
  (await who.request(address, init)).status
const codeOf = async (answer: Response) => {
  const { code } = (await answer.json()) as { code: string } // a refusal's body
  return `${answer.status} ${code}`
}

const guarded = (Object.entries(API) as [string, Endpoint][]).filter(([, { auth }]) => auth !== 'none')

/** Calls with ids of nothing and an empty body: whoever may make it gets another refusal than 403. */
async function tryCall(who: Person, endpoint: Endpoint): Promise<string> {
  const params = Object.fromEntries(
    [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = '']) => [
      name,
      name === 'platform' ? 'tiktok' : '999999',
    ]),
  )
  const stop = new AbortController()
  const answer = await who.request(pathOf(endpoint, { params }), {
    method: endpoint.method,
    signal: stop.signal,
    ...(endpoint.method !== 'GET' && {
      body: '{}',
      headers: { 'content-type': 'application/json' },
    }),
  })
  if (answer.status !== 403) {
    stop.abort()
    return String(answer.status)
  }
  return codeOf(answer)
}

describe('each call', () => {
  const keys = new Map<KeyScope, Person>()
  let revoked: Person
  let expired: Person
  beforeAll(async () => {
    for (const scope of KEY_SCOPES) keys.set(scope, await makeKey(ada, { scopes: [scope] }))
    const ended = await makeKey(ada)
    await ada.call('deleteApiKey', { params: { keyId: ended.keyId } })
    revoked = ended
    expired = await makeKey(ada, { expires_in_days: 1 })
    await testServer.deps.db
      .updateTable('api_keys')
      .set({ expires_at: new Date(0) })
      .where('key_id', '=', (expired as Made).keyId)
      .execute()
  })

  it.each(guarded)('%s needs its scope, and a key that is valid', async (_name, endpoint) => {
    for (const [scope, who] of keys) {
      const got = await tryCall(who, endpoint)
      if (scope === endpoint.auth) expect(got, scope).not.toBe('403 forbidden')
      else expect(got, scope).toBe('403 forbidden')
    }
    expect(await tryCall(revoked, endpoint)).toBe('401')
    expect(await tryCall(expired, endpoint)).toBe('401')
  })
})

describe('a key', () => {
  it('acts for its user, and is listed without its secret', async () => {
    const who = await signUp(testServer, 'Bo')
    const key = await makeKey(who, { name: '  Release script ', scopes: ['read'] })
    expect(await key.call('getUser')).toMatchObject({ email: who.email, operator: false })
    expect(await key.call('getOwnApiKey')).toMatchObject({ key_id: key.keyId, scopes: ['read'] })
    expect(await codeOf(await who.request('/user/key'))).toBe('404 not_found')
    const [listed] = await who.call('listApiKeys')
    expect(listed).toMatchObject({
      name: 'Release script',
      scopes: ['read'],
      limited_to: null,
      status: 'active',
      lacks: [],
      prefix: key.token.slice(0, 12),
    })
    expect(listed?.last_used_at).not.toBeNull()
    expect(JSON.stringify(listed)).not.toContain(key.token.slice(0, 13))
    const { rows } = await testServer.deps.db
      .selectFrom('api_keys')
      .selectAll()
      .execute()
      .then((all) => ({ rows: JSON.stringify(all) }))
    expect(rows).not.toContain(key.token.slice(7))
  })

  it('uploads a video and publishes it', async () => {
    const who = await signUp(testServer, 'Cy')
    const { brand_id: brandId } = await who.call('createBrand', { body: { title: 'Northwind' } })
    const { account_id } = await linkAccount(who, { platform: 'tiktok', brandId })
    const key = await makeKey(who)
    await createUpload(key, 1000)
    const video = await upload(key)
    const post = await key.call('createPost', {
      body: {
        video_id: video,
        text: 'Hello',
        targets: [{ account_id }],
        publish_at: { local: inAMonth(), timezone: 'UTC' },
      },
    })
    expect(await who.call('getPost', { params: { postId: post.post_id } })).toMatchObject({ text: 'Hello' })
  })

  it('cannot upload without the right to write', async () => {
    const key = await makeKey(await signUp(testServer, 'Di'), { scopes: ['read', 'publish'] })
    await expect(createUpload(key, 1000)).rejects.toThrow('403')
  })

  it('ends with a new password, with its user, and when it expires', async () => {
    const who = await signUp(testServer, 'Ed')
    const key = await makeKey(who)
    await resetPassword(testServer, who.email)
    const refused = await key.request('/user')
    expect([refused.status, await refused.json()]).toMatchObject([
      401,
      { message: expect.stringContaining('API key does not work') as string },
    ])
    const again = await signIn(testServer, who.email)
    expect(await again.call('listApiKeys')).toMatchObject([{ status: 'ended' }])

    const disabled = await makeKey(again)
    const users = testServer.deps.db.updateTable('users').where('email', '=', who.email)
    await users.set({ disabled_at: new Date() }).execute()
    expect(await codeOf(await disabled.request('/user'))).toBe('403 user_disabled')
    await users.set({ disabled_at: null }).execute()

    passed += 91 * DAY_MS
    expect(await statusOf(disabled, '/user')).toBe(401)
    const back = await signIn(testServer, who.email)
    expect((await back.call('listApiKeys')).map(({ status }) => status)).toEqual(['expired', 'ended'])
    passed = 0
  })

  it('reaches only the kinds of resources that it was made with, until it is extended', async () => {
    const who = await signUp(testServer, 'Fi')
    const key = await makeKey(who, { scopes: ['read'] })
    await testServer.deps.db
      .updateTable('api_keys')
      .set({ tags: ['Users', 'Posts', 'A kind that is gone'] })
      .where('key_id', '=', key.keyId)
      .execute()
    expect(await statusOf(key, '/posts')).toBe(200)
    expect(await codeOf(await key.request('/videos'))).toBe('403 forbidden')
    expect((await who.call('listApiKeys'))[0]?.lacks).toContain('Videos')
    const extended = await who.call('extendApiKey', { params: { keyId: key.keyId } })
    expect(extended.lacks).toEqual([])
    expect(await statusOf(key, '/videos')).toBe(200)
  })

  it('is told how many calls are left', async () => {
    const key = await makeKey(await signUp(testServer, 'Gus'))
    const first = await key.request('/user')
    expect(first.headers.get('ratelimit-policy')).toBe(`"key";q=${API_KEY_CALLS_PER_MINUTE};w=60`)
    expect(first.headers.get('ratelimit')).toMatch(
      new RegExp(`^"key";r=${API_KEY_CALLS_PER_MINUTE - 1};t=\\d+$`),
    )
  })

  it.each(['reelay_', `reelay_${'A'.repeat(43)}`, `reelay_${'A'.repeat(4000)}`, 'reelay_ü'])(
    'that nobody made (%s) is refused',
    async (token) => {
      const answer = await fetch(`${testServer.url}/api/v1/user`, {
        headers: { authorization: encodeURI(`Bearer ${token}`).replace('%20', ' ') },
      })
      expect(await codeOf(answer)).toBe('401 unauthorized')
    },
  )
})

describe('making a key', () => {
  it.each([
    [{ name: ' ' }, 'name'],
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['read', 'read'] as const }, 'scopes'],
    [{ expires_in_days: 367 }, 'expires_in_days'],
    [{ limited_to: { brand_ids: [], account_ids: [] } }, 'limited_to'],
  ])('refuses %o', async (asked, field) => {
    const body = JSON.stringify({ name: 'n8n', scopes: ['read'], expires_in_days: 1, ...asked })
    const headers = { 'content-type': 'application/json' }
    const answer = await ada.request('/api-keys', { method: 'POST', body, headers })
    expect(answer.status).toBe(422)
    expect(Object.keys(((await answer.json()) as { errors: object }).errors)).toEqual([field])
  })

  it('stops at the maximum, also for calls at the same moment', async () => {
    const who = await signUp(testServer, 'Hal')
    for (let i = 0; i < API_KEYS_MAX - 3; i++) await makeKey(who)
    const made = await Promise.allSettled(Array.from({ length: 8 }, () => makeKey(who)))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect(await who.call('listApiKeys')).toHaveLength(API_KEYS_MAX)
  })
})

async function upload(who: Person): Promise<VideoId> {
  const body = new FormData()
  body.append('file', sampleVideo().file)
  const answer = await who.request('/videos', { method: 'POST', body })
  expect(answer.status).toBe(201)
  return ((await answer.json()) as { video_id: VideoId }).video_id
}

describe('a key that is limited', () => {
  let who: Person
  let brands: [BrandId, BrandId]
  let accounts: [AccountId, AccountId]
  let video: VideoId
  const post = (by: Person, ...to: AccountId[]) =>
    by.call('createPost', {
      body: {
        video_id: video,
        text: 'Hello',
        targets: to.map((account_id) => ({ account_id })),
        publish_at: { local: inAMonth(), timezone: 'UTC' },
      },
    })
  beforeAll(async () => {
    who = await signUp(testServer, 'Ines')
    const [one, other] = await Promise.all(
      ['Northwind', 'Harbour'].map((title) => who.call('createBrand', { body: { title } })),
    )
    if (!one || !other) throw new Error('two brands were made')
    brands = [one.brand_id, other.brand_id]
    const first = await linkAccount(who, { platform: 'tiktok', brandId: one.brand_id, creator: 'nova' })
    const second = await linkAccount(who, { platform: 'tiktok', brandId: other.brand_id, creator: 'atlas' })
    accounts = [first.account_id, second.account_id]
    video = await upload(who)
  })

  it.each(['brand_ids', 'account_ids'] as const)('by %s reaches nothing else', async (limit) => {
    const [brand, foreignBrand] = brands
    const [account, foreign] = accounts
    video = await upload(who)
    const key = await makeKey(who, { limited_to: { [limit]: limit === 'brand_ids' ? [brand] : [account] } })

    expect((await key.call('listAccounts')).map(({ account_id }) => account_id)).toEqual([account])
    expect(await key.call('listBrands')).toHaveLength(limit === 'brand_ids' ? 1 : 0)
    const own = await post(key, account)
    const shared = await post(who, account, foreign)
    const other = await post(who, foreign)
    const listed = await key.call('listPosts', { query: { accountId: account } })
    const ids = listed.items.map(({ post_id }) => post_id)
    expect(ids).toContain(own.post_id)
    expect(ids).not.toContain(shared.post_id)

    const refused: [string, RequestInit?][] = [
      ['/posts'],
      ['/overview'],
      ['/events'],
      ['/library'],
      [`/posts?brandId=${foreignBrand}`],
      [`/posts?accountId=${foreign}`],
      [`/accounts/${foreign}/options`],
      [`/posts/${shared.post_id}`],
      [`/posts/${other.post_id}`],
      [`/posts/${other.post_id}/results`],
      [`/posts/${shared.post_id}`, { method: 'DELETE' }],
      [`/deliveries/${other.deliveries[0]?.delivery_id}/cancel`, { method: 'POST' }],
      [`/deliveries/${shared.deliveries[0]?.delivery_id}/cancel`, { method: 'POST' }],
    ]
    for (const [address, init] of refused)
      expect(await codeOf(await key.request(address, init)), address).toBe('403 forbidden')
    await expect(post(key, account, foreign)).rejects.toThrow('forbidden')

    // The video was posted for the other brand.
    await expect(post(key, account)).rejects.toThrow('forbidden')
    expect(await codeOf(await key.request(`/videos/${video}`))).toBe('403 forbidden')
    video = await upload(who)
    expect(await statusOf(key, `/videos/${video}`)).toBe(200)
    await who.call('updateVideo', { params: { videoId: video }, body: { brand_id: foreignBrand } })
    await expect(post(key, account)).rejects.toThrow('forbidden')
    const [delivery] = own.deliveries
    await key.call('cancelDelivery', { params: { deliveryId: delivery?.delivery_id ?? 0 } })
  })

  it('gets no post by its Idempotency-Key that has got other accounts since', async () => {
    const [account, foreign] = accounts
    video = await upload(who)
    const key = await makeKey(who, { limited_to: { account_ids: [account] } })
    const body = {
      video_id: video,
      text: 'Hello',
      targets: [{ account_id: account }],
      publish_at: { local: inAMonth(), timezone: 'UTC' },
    }
    const send = () =>
      key.request('/posts', {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', 'idempotency-key': 'release-42' },
      })
    const made = Post.parse(await (await send()).json())
    expect((await send()).headers.get('idempotent-replayed')).toBe('true')
    await who.call('editPost', {
      params: { postId: made.post_id },
      body: {
        version: made.version,
        targets: [{ account_id: account }, { account_id: foreign }],
      },
    })
    expect(await codeOf(await send())).toBe('403 forbidden')
  })

  it('follows an account that moves', async () => {
    const [brand, foreignBrand] = brands
    const [, moving] = accounts
    const key = await makeKey(who, { limited_to: { brand_ids: [brand] } })
    expect(await key.call('listAccounts')).toHaveLength(1)
    await who.call('moveAccount', { params: { accountId: moving }, body: { brand_id: brand } })
    expect(await key.call('listAccounts')).toHaveLength(2)
    await who.call('moveAccount', { params: { accountId: moving }, body: { brand_id: foreignBrand } })
  })

  it('takes no drafts, and no place that moves the posts of others', async () => {
    const [brand] = brands
    const [account] = accounts
    const key = await makeKey(who, { limited_to: { brand_ids: [brand] } })
    const { schedule_id } = await who.call('createSchedule', {
      body: { brand_id: brand, name: 'Mornings', slots: [{ weekday: 1, time: '08:00', platforms: null }] },
    })
    const targets = [{ account_id: account }]
    const free = await upload(who)
    const send = (more: object) =>
      key.request('/posts/dry-run', {
        method: 'POST',
        body: JSON.stringify({ video_id: free, text: 'Hello', targets, ...more }),
        headers: { 'content-type': 'application/json' },
      })
    expect((await send({ schedule: { schedule_id, place: 'next' } })).status).toBe(200)
    expect(await codeOf(await send({ schedule: { schedule_id, place: 'top' } }))).toBe('403 forbidden')
    const draft = { draft_id: '0b8e2a5c-5f3c-4a57-9b0e-6a4f3d2c1b0a', version: 1 }
    const body = { video_id: free, text: 'Hello', targets, draft }
    await expect(key.call('createPost', { body })).rejects.toThrow('forbidden')
  })

  it('posts no picture but those of posts to its accounts', async () => {
    const [brand] = brands
    const { account_id } = await linkAccount(who, { platform: 'instagram', brandId: brand })
    const key = await makeKey(who, { limited_to: { account_ids: [account_id] } })
    const { picture_id } = await uploadPicture(who)
    const body = {
      video_id: await upload(who),
      text: 'Hello',
      targets: [{ account_id, options: { cover_picture_id: picture_id } }],
      publish_at: { local: inAMonth(), timezone: 'UTC' },
    }
    await expect(key.call('createPost', { body })).rejects.toThrow('forbidden')
    const { post_id: postId } = await who.call('createPost', { body })
    const { version } = await key.call('editPost', { params: { postId }, body: { version: 1, ...body } })
    expect(version).toBe(2)
    await expect(key.call('createPost', { body })).resolves.toMatchObject({ text: 'Hello' })
  })

  it('cannot be made for what belongs to others', async () => {
    const [brand] = brands
    await expect(makeKey(ada, { limited_to: { brand_ids: [brand] } })).rejects.toThrow('404')
  })

  it('is checked against every id that a call can name', () => {
    const unchecked = new Set<string>()
    for (const [name, { limitedKeys, params, query, body }] of Object.entries(API) as [string, Endpoint][]) {
      const schemas = limitedKeys === 'named' ? [params, query, body] : []
      for (const schema of schemas.filter((one) => one !== undefined)) {
        const json = JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))
        for (const [field] of json.matchAll(/(?<=")(?:[a-z]\w*(?:_ids?|Ids?)|replaces|accounts)(?=":)/g))
          if (!(field in NAMES)) unchecked.add(`${name} ${field}`)
      }
    }
    expect([...unchecked]).toEqual(['createPost draft_id', 'createPosts draft_id'])
  })
})
