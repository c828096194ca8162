import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AccountId, DraftId, VideoId } from '#contract/ids.ts'
import { Post } from '#contract/posts.ts'
import {
  linkAccount,
  type Person,
  signUp,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'
import { uploadVideo } from '#test/support/publish.ts'

let testServer: TestServer
let ada: Person
let tiktok: AccountId
let video: VideoId
let draftId: DraftId

beforeAll(async () => {
  testServer = await startTestServer()
  ada = await signUp(testServer)
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  tiktok = (await linkAccount(ada, { platform: 'tiktok', brandId })).account_id
  video = (await uploadVideo(ada)).video_id
})
afterAll(() => testServer.stop())
beforeEach(() => {
  draftId = randomUUID()
})

const save = (version: number, text = 'Opening day') =>
  ada.call('saveDraft', {
    params: { draftId },
    body: {
      version,
      content: { video_id: video, text, platform_options: {}, targets: [], publish_at: null },
    },
  })
const read = () => ada.call('getDraft', { params: { draftId } })

async function publish(version: number, its: object = {}, who = ada, headers = {}) {
  const post = { video_id: video, text: 'Opening day', targets: [{ account_id: tiktok }] }
  const answer = await who.request('/posts', {
    method: 'POST',
    body: JSON.stringify({ ...post, draft: { draft_id: draftId, version }, ...its }),
    headers: { 'content-type': 'application/json', ...headers },
  })
  return { status: answer.status, body: (await answer.json()) as unknown }
}
const countPosts = async () => (await ada.call('listPosts', { query: { limit: 100 } })).counts.all
const CONFLICT = { status: 409, body: { code: 'conflict' } }
const NOT_FOUND = { status: 404, body: { code: 'not_found' } }

describe('publishing a draft', () => {
  it('makes its post and deletes it for good', async () => {
    await save(0)
    const { status, body } = await publish(1)
    expect(status).toBe(201)
    expect(Post.parse(body).text).toBe('Opening day')
    expect(await read().catch(String)).toContain('404')
    expect(await save(1, 'Late').catch(String)).toContain('404')
  })

  it('twice, in two tabs, or many times at once makes one post', async () => {
    await save(0)
    const before = await countPosts()
    const answers = await Promise.all(Array.from({ length: 6 }, () => publish(1)))
    answers.push(
      await publish(1),
      await publish(1, { draft: { draft_id: draftId.toUpperCase(), version: 1 } }),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201))
    expect(new Set(answers.map(({ body }) => Post.parse(body).post_id)).size).toBe(1)
    // A tab with other content gets a conflict.
    expect(await publish(1, { text: 'Other' })).toMatchObject(CONFLICT)
    expect(await countPosts()).toBe(before + 1)
  })

  it('is refused for another version than the stored one, and for a deleted draft', async () => {
    await save(0)
    await save(1, 'Newer')
    const before = await countPosts()
    expect(await publish(1)).toMatchObject(CONFLICT)
    expect(await publish(3)).toMatchObject(CONFLICT)
    await ada.call('deleteDraft', { params: { draftId } })
    expect(await publish(2)).toMatchObject(CONFLICT)
    await ada.call('restoreDraft', { params: { draftId } })
    expect(await countPosts()).toBe(before)
    expect((await publish(2)).status).toBe(201)
    expect(await publish(1)).toMatchObject(CONFLICT)
    expect(await countPosts()).toBe(before + 1)
  })

  it('is not undone by a first save that arrives late', async () => {
    await save(0)
    await save(1, 'Newer')
    const published = await publish(2)
    expect(await save(0).catch(String)).toContain('409')
    expect(await read().catch(String)).toContain('404')
    expect(await publish(1)).toMatchObject(CONFLICT)
    expect(await publish(2)).toEqual(published)
  })

  it('that is refused keeps the draft, which can then be published', async () => {
    await save(0)
    expect(await publish(1, { text: 'x'.repeat(2201) })).toMatchObject({ status: 422 })
    const twice = { targets: [{ account_id: tiktok }, { account_id: tiktok }] }
    expect(await publish(1, twice)).toMatchObject({ status: 422 })
    expect((await read()).version).toBe(1)
    expect((await publish(1)).status).toBe(201)
  })

  it('takes no Idempotency-Key and no draft of another user', async () => {
    await save(0)
    expect(await publish(1, {}, ada, { 'idempotency-key': 'mine' })).toMatchObject({
      status: 422,
      body: { code: 'invalid', errors: { 'Idempotency-Key': [expect.any(String)] } },
    })
    const eve = await signUp(testServer, 'Eve')
    const { brand_id: brandId } = await eve.call('createBrand', { body: { title: 'Eve' } })
    const { account_id } = await linkAccount(eve, { platform: 'instagram', brandId })
    const { video_id } = await uploadVideo(eve)
    expect(await publish(1, { video_id, targets: [{ account_id }] }, eve)).toMatchObject(NOT_FOUND)
    expect((await read()).version).toBe(1)
  })

  it('again after its post was deleted makes no second post', async () => {
    await save(0)
    const { body } = await publish(1)
    await ada.call('deletePost', { params: { postId: Post.parse(body).post_id } })
    expect(await publish(1)).toMatchObject(CONFLICT)
  })
})
