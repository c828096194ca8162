import { afterAll, beforeAll, expect, it } from 'vitest'
import { SHORT_LEASE } from '#test/support/quick-worker.ts'
import { linkAccount, livePosts, signUp, startTestServer, until } from '#test/support/test-server.ts'
import type { Person, TestServer } from '#test/support/test-server.ts'
import { uploadVideo } from '#test/support/publish.ts'
import { startWorkers } from '../start-workers.ts'
import { workerDeps } from '../worker-deps.ts'

let testServer: TestServer
let ada: Person

beforeAll(async () => {
  testServer = await startTestServer({ env: { LOG_LEVEL: 'silent' } })
  ada = await signUp(testServer)
})
afterAll(() => testServer.stop())

it('a first comment whose worker died right after the call is looked for, not made again', async () => {
  const brand = await ada.call('createBrand', { body: { title: 'Northwind' } })
  const nova = await linkAccount(ada, {
    platform: 'instagram',
    brandId: brand.brand_id,
    permissions: ['comments'],
  })
  let died = false
  // What dies leaves its row as it was last saved, and its lease to run out.
  const crashPoint = async (point: string) => {
    if (point !== 'after comment' || died) return
    died = true
    throw new Error('killed after the comment')
  }
  const worker = startWorkers(workerDeps(testServer.deps, crashPoint), SHORT_LEASE)
  const { video_id } = await uploadVideo(ada)
  const targets = [{ account_id: nova.account_id, options: { first_comment: 'First!' } }]
  const { post_id } = await ada.call('createPost', { body: { video_id, text: 'Hello', targets } })
  await until('the comment to be known', async () => {
    const { deliveries } = await ada.call('getPost', { params: { postId: post_id } })
    return deliveries[0]?.follow_ups.find(({ kind }) => kind === 'first_comment')?.status === 'done'
  })
  await worker.stop()
  expect(died).toBe(true)
  const comments = (await livePosts(testServer)).flatMap((live) => live.comments ?? [])
  expect(comments).toEqual([{ account: 'nova', text: 'First!' }])
})
