import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AccountId } from '#contract/ids.ts'
import { QUICK } from '#test/support/quick-worker.ts'
import {
  control,
  linkAccount,
  livePosts,
  signUp,
  startTestServer,
  until,
  type TestServer,
  type Person,
} from '#test/support/test-server.ts'
import { delivered, postTikTok, uploadVideo } from '#test/support/publish.ts'
import { sampleVideo } from '#test/support/sample.ts'
import { createBandwidthMeter } from '../claim/bandwidth.ts'
import { workerDeps } from '../../worker-deps.ts'
import { startDeliveryWorker, type Worker, type DeliveryWorkerDeps } from './worker.ts'

let testServer: TestServer
let worker: Worker | null = null
let aheadMs = 0
const now = () => Date.now() + aheadMs

beforeEach(async () => {
  aheadMs = 0
  testServer = await startTestServer({ now })
  await control(testServer.practiceUrl, 'POST', '/_control/settings', {
    tiktok_processing_ms: 0,
    tiktok_moderation_ms: 0,
  })
})
afterEach(async () => {
  await control(testServer.practiceUrl, 'DELETE', '/_control/faults')
  await worker?.stop()
  worker = null
  await testServer.stop()
})

async function linkCreators(someone: Person, count: number): Promise<AccountId[]> {
  const { brand_id: brandId } = await someone.call('createBrand', { body: { title: 'Northwind' } })
  const accounts: AccountId[] = []
  for (let i = 1; i <= count; i += 1) {
    await control(testServer.practiceUrl, 'POST', '/_control/accounts', {
      platform: 'tiktok',
      username: `c${i}`,
    })
    const { account_id } = await linkAccount(someone, { platform: 'tiktok', brandId, creator: `c${i}` })
    accounts.push(account_id)
  }
  return accounts
}

async function postToAll(someone: Person, accounts: readonly AccountId[]) {
  const { video_id } = await uploadVideo(someone)
  const targets = accounts.map((account_id) => ({
    account_id,
    options: { privacy_level: 'PUBLIC_TO_EVERYONE' },
  }))
  return someone.call('createPost', { body: { video_id, text: 'Hello', targets } })
}

const countOf = async (state: string): Promise<number> =>
  (await testServer.deps.db.selectFrom('deliveries').select('state').where('state', '=', state).execute())
    .length

/** More than a worker has lanes. */
const SLOW = 12

it('12 slow uploads of one user hold up neither the post of another nor its checks', async () => {
  const ada = await signUp(testServer)
  const bob = await signUp(testServer, 'Bob')
  const accounts = await linkCreators(ada, SLOW)
  const { brand_id: brandId } = await bob.call('createBrand', { body: { title: 'Southwind' } })
  const ofBob = await linkAccount(bob, { platform: 'tiktok', brandId })
  for (let i = 1; i <= SLOW; i += 1) {
    await control(testServer.practiceUrl, 'POST', '/_control/faults', {
      platform: 'tiktok',
      call: 'final_chunk',
      fault: 'hold',
      account: `c${i}`,
      ms: 600_000,
    })
  }
  const slow = await postToAll(ada, accounts)
  worker = startDeliveryWorker(workerDeps(testServer.deps), QUICK)
  const half = QUICK.lanes.uploads / 2
  await until(
    'the slow uploads to hold what one user may hold',
    async () => (await countOf('committing')) === half,
  )

  const post = await postTikTok(bob, ofBob.account_id, sampleVideo())
  expect(await delivered(bob, post, ['published'])).toMatchObject({ status: 'published', attempt: 1 })
  expect(await countOf('committing')).toBe(half)
  const waiting = await until('the others to say for what they wait', async () => {
    const { deliveries } = await ada.call('getPost', { params: { postId: slow.post_id } })
    const said = deliveries.filter(({ reason }) => reason?.code === 'waiting_for_upload')
    return said.length === SLOW - half ? said : null
  })
  expect(waiting[0]).toMatchObject({ status: 'scheduled', actions: ['cancel'] })
  expect(waiting[0]?.reason?.message).toMatch(/^Waiting for other uploads: \d+ uploads? (is|are) running\.$/)

  await control(testServer.practiceUrl, 'DELETE', '/_control/faults')
  await until('all of them to be live', async () => (await countOf('published')) === SLOW + 1)
  expect(await livePosts(testServer)).toHaveLength(SLOW + 1)
})

type Line = { call: string; account: string; status: number | null; at: string }

it('one video to ten accounts on a slow uplink: each address is opened when its upload begins', async () => {
  const ada = await signUp(testServer)
  const accounts = await linkCreators(ada, 10)
  const { bytes } = sampleVideo()
  // Each upload takes 1000 of the 3600 seconds for which its address lives; all at once they would take 10,000.
  const bytesPerS = bytes / 1000
  const deps = workerDeps(testServer.deps)
  worker = startDeliveryWorker({ ...deps, ...slowUplink(deps, bytesPerS) }, QUICK)
  await postToAll(ada, accounts)
  await until('all to be live', async () => (await countOf('published')) === 10)

  const calls = (await control(testServer.practiceUrl, 'GET', '/_control/calls')) as Line[] // as their README describes it
  const opened = calls.filter(({ call }) => call === 'init')
  const ended = calls.filter(({ call }) => call === 'final_chunk')
  expect(opened).toHaveLength(10)
  expect(ended.map(({ status }) => status)).toEqual(accounts.map(() => 201))
  // The next may be opened once all bytes of the one before are out; nothing waits for another's bytes.
  for (const { account, at } of ended) {
    const since = opened.find((one) => one.account === account)?.at ?? ''
    expect(Date.parse(at) - Date.parse(since), account).toBeLessThan(1_500_000)
  }
  expect(await livePosts(testServer)).toHaveLength(10)
})

/** Every byte that is read moves both clocks on by what it takes to send it. */
function slowUplink(
  { storage }: DeliveryWorkerDeps,
  bytesPerS: number,
): Pick<DeliveryWorkerDeps, 'storage' | 'bandwidth'> {
  async function* crawl(stream: Readable): AsyncGenerator<Buffer> {
    const parts: unknown[] = await stream.toArray()
    const whole = Buffer.concat(parts.filter((part) => Buffer.isBuffer(part)))
    const quarter = Math.ceil(whole.length / 4)
    for (let from = 0; from < whole.length; from += quarter) {
      const part = whole.subarray(from, from + quarter)
      const advance_s = part.length / bytesPerS
      await control(testServer.practiceUrl, 'POST', '/_control/clock', { advance_s })
      aheadMs += advance_s * 1000
      yield part
    }
  }
  return {
    bandwidth: createBandwidthMeter({ clock: now, startBytesPerS: bytesPerS }),
    storage: {
      ...storage,
      read: async (key, first, last) =>
        Readable.from(crawl(await storage.read(key, first, last)), { objectMode: false }),
    },
  }
}
