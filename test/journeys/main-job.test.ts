import { afterAll, beforeAll, expect, it } from 'vitest'
import { Post } from '#contract/posts.ts'
import {
  control,
  linkAccount,
  livePosts,
  platformCalls,
  signUp,
  startTestServer,
  until,
  type TestServer,
  type Person,
} from '../support/test-server.ts'
import { delivered, postInstagram, postTikTok, uploadVideo } from '../support/publish.ts'
import { sampleVideo } from '../support/sample.ts'

let testServer: TestServer
let ada: Person
let tiktok: number
let instagram: number

beforeAll(async () => {
  testServer = await startTestServer({ worker: true })
  ada = await signUp(testServer)
  const brand = await ada.call('createBrand', { body: { title: 'Northwind Bakery' } })
  tiktok = (await linkAccount(ada, { platform: 'tiktok', brandId: brand.brand_id })).account_id
  instagram = (await linkAccount(ada, { platform: 'instagram', brandId: brand.brand_id })).account_id
})
afterAll(() => testServer.stop())

it('a 75 MB video reaches TikTok in seven chunks, byte for byte, and is live once', async () => {
  const sample = sampleVideo(75_000_000)
  const before = (await platformCalls(testServer)).length
  const post = await postTikTok(ada, tiktok, sample, 'Three ways to plate a tart')
  const delivery = await delivered(ada, post, ['published', 'failed'])
  expect(delivery).toMatchObject({ status: 'published', reason: null })

  const live = (await livePosts(testServer)).filter((one) => one.sha256 === sample.sha256)
  expect(live).toHaveLength(1)
  expect(live[0]).toMatchObject({
    platform: 'tiktok',
    account: 'nova',
    text: 'Three ways to plate a tart',
    bytes: 75_000_000,
  })
  const calls = (await platformCalls(testServer)).slice(before).map((one) => one.call)
  expect(calls.filter((call) => call === 'chunk')).toHaveLength(6)
  expect(calls.filter((call) => call === 'final_chunk')).toHaveLength(1)
})

it('a 12 MB video goes up as a single chunk, and the timeline lists every step in order', async () => {
  const sample = sampleVideo(12_000_000)
  const before = (await platformCalls(testServer)).length
  const post = await postTikTok(ada, tiktok, sample)
  expect((await delivered(ada, post, ['published', 'failed'])).status).toBe('published')
  const calls = (await platformCalls(testServer)).slice(before).map((one) => one.call)
  expect(calls.filter((call) => call === 'chunk')).toHaveLength(0)
  expect(calls.filter((call) => call === 'final_chunk')).toHaveLength(1)
  const { events } = await ada.call('getPost', { params: { postId: post.post_id } })
  const states = [...new Set(events.map((one) => one.status))]
  expect(states).toEqual(['scheduled', 'preparing', 'committing', 'processing', 'published'])
})

it('a video that Instagram fetches from our address is live once, at its public address', async () => {
  const sample = sampleVideo(20_000_000)
  const post = await postInstagram(ada, instagram, sample, 'Opening day #bakery')
  expect((await delivered(ada, post, ['published', 'failed'])).status).toBe('published')
  const live = (await livePosts(testServer)).filter((one) => one.sha256 === sample.sha256)
  expect(live).toHaveLength(1)
  expect(live[0]).toMatchObject({ platform: 'instagram', account: 'nova', text: 'Opening day #bakery' })
  const url = await until('the address of the live post', async () => {
    const [delivery] = (await ada.call('getPost', { params: { postId: post.post_id } })).deliveries
    return delivery?.url ?? null
  })
  expect((await fetch(url)).status).toBe(200)
})

it('a post that is out stays as it is when it is sent again with its key', async () => {
  const { video_id } = await uploadVideo(ada)
  const send = async () => {
    const answer = await ada.request('/posts', {
      method: 'POST',
      body: JSON.stringify({ video_id, text: 'Sent twice', targets: [{ account_id: tiktok }] }),
      headers: { 'content-type': 'application/json', 'idempotency-key': 'sent-twice' },
    })
    return Post.parse(await answer.json())
  }
  const post = await send()
  await delivered(ada, post, ['published'])
  const published = { post_id: post.post_id, deliveries: [{ status: 'published' }] }
  expect(await send()).toMatchObject(published)
  const live = (await livePosts(testServer)).filter(({ text }) => text === 'Sent twice')
  expect(live).toHaveLength(1)
})

it('a video refused after the upload fails with a reason and a remedy', async () => {
  // The practice TikTok refuses videos that are longer than this creator may post.
  await control(testServer.practiceUrl, 'POST', '/_control/accounts', {
    platform: 'tiktok',
    username: 'brief',
    max_video_post_duration_sec: 2,
  })
  const brand = await ada.call('createBrand', { body: { title: 'Brief' } })
  const account = await linkAccount(ada, { platform: 'tiktok', brandId: brand.brand_id, creator: 'brief' })
  const sample = sampleVideo()
  const post = await postTikTok(ada, account.account_id, sample)
  const delivery = await delivered(ada, post, ['published', 'failed'])
  expect(delivery.status).toBe('failed')
  expect(delivery.reason?.remedy).toBeTruthy()
  expect(delivery.actions).toEqual(['retry', 'dismiss'])
  expect((await livePosts(testServer)).filter((one) => one.sha256 === sample.sha256)).toHaveLength(0)
})
