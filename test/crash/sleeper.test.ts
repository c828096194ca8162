import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  linkAccount,
  livePosts,
  platformCalls,
  signUp,
  startTestServer,
  type TestServer,
  type Person,
} from '../support/test-server.ts'
import { delivered, postTikTok } from '../support/publish.ts'
import { sampleVideo } from '../support/sample.ts'
import { startWorkerProcess } from './processes/workers.ts'

let testServer: TestServer
let ada: Person
let brandId: number
beforeAll(async () => {
  testServer = await startTestServer()
  ada = await signUp(testServer)
  brandId = (await ada.call('createBrand', { body: { title: 'Northwind' } })).brand_id
})
afterAll(() => testServer.stop())

it('a worker that resumes after its lease ended makes no irreversible call', async () => {
  const account = await linkAccount(ada, { platform: 'tiktok', brandId, creator: 'atlas' })
  const sample = sampleVideo()
  const post = await postTikTok(ada, account.account_id, sample)
  const sleeper = await startWorkerProcess(testServer, { at: 'after save committing', with: 'SIGSTOP' })
  // It is suspended after saving `committing` and before the call; its lease expires, and the other worker finds the
  // outcome.
  const other = await startWorkerProcess(testServer)
  try {
    expect((await delivered(ada, post, ['published', 'failed'])).status).toBe('published')
    const finals = (await platformCalls(testServer)).filter(
      (one) => one.call === 'final_chunk' && one.account === 'atlas',
    ).length
    sleeper.child.kill('SIGCONT')
    sleeper.tell({ type: 'go', id: 0 })
    await sleeper.stop()
    const after = (await platformCalls(testServer)).filter(
      (one) => one.call === 'final_chunk' && one.account === 'atlas',
    ).length
    expect(after).toBe(finals)
  } finally {
    await other.stop()
  }
  expect((await livePosts(testServer)).filter((one) => one.sha256 === sample.sha256)).toHaveLength(1)
})
