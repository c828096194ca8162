import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AccountId, VideoId } from '#contract/ids.ts'
import { Post } from '#contract/posts.ts'
import { ProblemBody } from '#contract/http/problem.ts'
import {
  linkAccount,
  signUp,
  startTestServer,
  type TestServer,
  type Person,
} from '#test/support/test-server.ts'
import { uploadVideo } from '#test/support/publish.ts'

let testServer: TestServer
let ada: Person
let account: AccountId
let video: VideoId
beforeAll(async () => {
  testServer = await startTestServer()
})
afterAll(() => testServer.stop())
beforeEach(async () => {
  ada = await signUp(testServer)
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  account = (await linkAccount(ada, { platform: 'tiktok', brandId })).account_id
  video = (await uploadVideo(ada)).video_id
})

const create = (key: string, text = 'Hello') =>
  ada.request('/posts', {
    method: 'POST',
    body: JSON.stringify({ video_id: video, text, targets: [{ account_id: account }] }),
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
  })
const made = async (key: string, text?: string) => Post.parse(await (await create(key, text)).json())
const remove = ({ post_id: postId }: Post) => ada.call('deletePost', { params: { postId } })

async function refused(answer: Response): Promise<string> {
  expect(answer.status).toBe(409)
  return ProblemBody.parse(await answer.json()).message
}

describe('a deleted post', () => {
  it('leaves lists, counts, overview and events, and its video can be deleted', async () => {
    const gone = await made('one', 'Gone')
    const stays = await made('two', 'Stays')
    await remove(gone)

    const list = await ada.call('listPosts')
    expect(list.items.map(({ text }) => text)).toEqual(['Stays'])
    expect(list.counts).toMatchObject({ all: 1, scheduled: 1 })
    const overview = await ada.call('getOverview')
    expect(overview.next).toMatchObject({ total: 1, posts: [{ text: 'Stays' }] })
    expect((await ada.request(`/posts/${gone.post_id}`)).status).toBe(404)
    expect(await replayed()).not.toContain(gone.deliveries[0]?.delivery_id)
    expect(await replayed()).toContain(stays.deliveries[0]?.delivery_id)
    const [delivery] = gone.deliveries
    for (const action of ['retry', 'cancel'])
      expect(
        (await ada.request(`/deliveries/${delivery?.delivery_id}/${action}`, { method: 'POST' })).status,
      ).toBe(404)

    expect((await ada.request(`/videos/${video}`, { method: 'DELETE' })).status).toBe(409)
    await remove(stays)
    expect((await ada.request(`/videos/${video}`, { method: 'DELETE' })).status).toBe(204)
    // The first steps stay done after a deletion.
    expect((await ada.call('getOverview')).first_steps).toMatchObject({ video: true, post: true })
  })

  it('is not recreated when its key is resent; a new key makes a new post', async () => {
    await remove(await made('once'))
    expect(await refused(await create('once'))).toContain('have since deleted the post')
    expect((await ada.call('listPosts')).items).toEqual([])
    await made('another')
    expect((await ada.call('listPosts')).items).toHaveLength(1)
  })

  it('is not the answer to a concurrent resend', async () => {
    for (let round = 0; round < 6; round++) {
      const post = await made(`key ${round}`.replace(' ', '-'))
      const [, again] = await Promise.all([remove(post), create(`key-${round}`)])
      if (again.status !== 201) expect(await refused(again)).toContain('have since deleted the post')
    }
    expect((await ada.call('listPosts')).items).toEqual([])
  })
})

/** The deliveries that the event stream reports to a client that missed everything, up to the newest post. */
async function replayed(): Promise<number[]> {
  const controller = new AbortController()
  const { body } = await ada.request('/events', {
    headers: { 'last-event-id': '1' },
    signal: controller.signal,
  })
  if (!body) throw new Error('There is no stream.')
  const [newest] = (await ada.call('listPosts')).items
  const last = newest?.deliveries[0]?.delivery_id ?? 0
  let text = ''
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    text += part
    if (idsIn(text).includes(last)) break
  }
  controller.abort()
  return idsIn(text)
}

const idsIn = (text: string) =>
  [...text.matchAll(/"delivery":\{"delivery_id":(\d+)/g)].map(([, id]) => Number(id))
