import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Account } from '#contract/accounts.ts'
import type { Post } from '#contract/posts.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import { decryptTokens } from '#server/accounts/tokens.ts'
import { workerDeps } from '#server/worker-deps.ts'
import { startDeliveryWorker, type Worker } from '#server/deliveries/worker/worker.ts'
import { QUICK } from '../support/quick-worker.ts'
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
import { delivered, postInstagram, postTikTok, schedulePost, uploadVideo } from '../support/publish.ts'
import { sampleVideo } from '../support/sample.ts'

let testServer: TestServer
let ada: Person
let brandId: number
let worker: Worker
/** Runs while the worker is at a point of its code. */
let atPoint: (point: string) => Promise<void> = async () => {}
beforeAll(async () => {
  testServer = await startTestServer()
  worker = startDeliveryWorker(
    workerDeps(testServer.deps, (point) => atPoint(point)),
    QUICK,
  )
  ada = await signUp(testServer)
  brandId = (await ada.call('createBrand', { body: { title: 'Northwind' } })).brand_id
})
afterAll(async () => {
  await worker.stop()
  await testServer.stop()
})

/** Each test has its own account, so that it counts only its own calls. */
async function newAccount(platform: PlatformId, username: string): Promise<Account> {
  await control(testServer.practiceUrl, 'POST', '/_control/accounts', { platform, username })
  return linkAccount(ada, { platform, brandId, creator: username })
}

const callsOf = async (account: string, call: string): Promise<number> =>
  (await platformCalls(testServer)).filter((one) => one.account === account && one.call === call).length

const fault = (strike: object) => control(testServer.practiceUrl, 'POST', '/_control/faults', strike)

const noMoreFaults = () => control(testServer.practiceUrl, 'DELETE', '/_control/faults')

const setProcessing = (tiktok_processing_ms: number) =>
  control(testServer.practiceUrl, 'POST', '/_control/settings', { tiktok_processing_ms })

const stateOf = async (post: Post) =>
  (await ada.call('getPost', { params: { postId: post.post_id } })).deliveries[0]?.status

/** The owner removes the app on the platform's own pages. */
async function takeBackAccess(accountId: number): Promise<void> {
  const { tokens } = await testServer.deps.db
    .selectFrom('accounts')
    .select('tokens')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  const taken = await testServer.deps.platforms.tiktok?.revoke(
    decryptTokens(testServer.deps.encrypter, tokens ?? Buffer.alloc(0)),
  )
  expect(taken).toMatchObject({ ok: true })
}

describe('a token that expires during a check of an unconfirmed post', () => {
  it('is renewed, and the same post is checked without a second upload', async () => {
    const { account_id } = await newAccount('tiktok', 'poller')
    await fault({ platform: 'tiktok', call: 'status', fault: 'token_expired', account: 'poller' })
    const sample = sampleVideo()
    const post = await postTikTok(ada, account_id, sample)
    expect(await delivered(ada, post, ['published', 'failed', 'blocked'])).toMatchObject({
      status: 'published',
      attempt: 1,
    })
    expect(await callsOf('poller', 'refresh')).toBe(1)
    expect(await callsOf('poller', 'init')).toBe(1)
    expect((await livePosts(testServer)).filter((one) => one.sha256 === sample.sha256)).toHaveLength(1)
  })

  it('leaves the post unconfirmed until linked again, then checks the same container', async () => {
    const { account_id } = await newAccount('instagram', 'asker')
    await fault({ platform: 'instagram', call: 'publish', fault: 'drop_after', account: 'asker' })
    atPoint = async (point) => {
      if (point !== 'after commit') return
      atPoint = async () => {}
      await fault({ platform: 'instagram', call: 'container', fault: 'token_expired', account: 'asker' })
    }
    const sample = sampleVideo()
    const post = await postInstagram(ada, account_id, sample)
    await until('the account to need its owner', async () =>
      (await ada.call('listAccounts')).some(
        (one) => one.account_id === account_id && one.health.status === 'relink',
      ),
    )
    expect(await delivered(ada, post, ['unconfirmed', 'blocked', 'failed'])).toMatchObject({
      status: 'unconfirmed',
    })
    await linkAccount(ada, { platform: 'instagram', brandId, creator: 'asker' })
    expect(await delivered(ada, post, ['published', 'failed'])).toMatchObject({
      status: 'published',
      attempt: 1,
    })
    expect(await callsOf('asker', 'create')).toBe(1)
    expect(await callsOf('asker', 'publish')).toBe(1)
    expect((await livePosts(testServer)).filter((one) => one.sha256 === sample.sha256)).toHaveLength(1)
  })
})

describe("access removed by the account's owner", () => {
  it('blocks waiting and preparing posts at once; all go on when linked again', async () => {
    const { account_id } = await newAccount('tiktok', 'leaver')
    const video = await uploadVideo(ada)
    const asked = { videoId: video.video_id, text: 'later', accountIds: [account_id], inDays: 3 }
    const later = await schedulePost(ada, asked)

    // One post that TikTok processes, and one whose upload cannot be opened for now.
    await setProcessing(60_000)
    const processing = await postTikTok(ada, account_id, sampleVideo(), 'processing')
    await until('TikTok to work on it', async () => (await stateOf(processing)) === 'processing')
    await fault({ platform: 'tiktok', call: 'init', fault: 'status_500', account: 'leaver', times: 1000 })
    const preparing = await postTikTok(ada, account_id, sampleVideo(), 'preparing')
    await until('its opening to fail', async () => (await callsOf('leaver', 'init')) >= 2)

    await takeBackAccess(account_id)
    // The first call to either notices it.
    expect(await delivered(ada, preparing, ['blocked', 'failed', 'published'])).toMatchObject({
      status: 'blocked',
      actions: ['link_again', 'cancel'],
    })
    expect(await stateOf(later)).toBe('blocked')
    expect(['processing', 'unconfirmed', 'published']).toContain(await stateOf(processing))
    const account = (await ada.call('listAccounts')).find((one) => one.account_id === account_id)
    expect(account?.health.status).toBe('relink')

    await noMoreFaults()
    await linkAccount(ada, { platform: 'tiktok', brandId, creator: 'leaver' })
    await setProcessing(0)
    await control(testServer.practiceUrl, 'POST', '/_control/clock', { advance_s: 60 })
    const waits = (await ada.call('getPost', { params: { postId: later.post_id } })).deliveries[0]
    expect(waits).toMatchObject({ status: 'scheduled', due_at: later.publish_at })
    for (const post of [preparing, processing]) {
      expect(await delivered(ada, post, ['published', 'failed', 'blocked'])).toMatchObject({
        status: 'published',
      })
    }
    const live = (await livePosts(testServer)).filter((one) => one.account === 'leaver')
    expect(live.map((one) => one.text).toSorted()).toEqual(['preparing', 'processing'])
  })
})

describe('"It\'s not live: post again"', () => {
  it('sends nothing if the post turns out to be live, and shows it as live', async () => {
    const { account_id } = await newAccount('tiktok', 'doubter')
    await fault({ platform: 'tiktok', call: 'final_chunk', fault: 'drop_after', account: 'doubter' })
    await fault({ platform: 'tiktok', call: 'status', fault: 'status_500', account: 'doubter', times: 1000 })
    const sample = sampleVideo()
    const post = await postTikTok(ada, account_id, sample)
    const { delivery_id } = await delivered(ada, post, ['unconfirmed'])
    // The user looked too early, or in the wrong place.
    await ada.call('resolveDelivery', { params: { deliveryId: delivery_id }, body: { outcome: 'not_live' } })
    await noMoreFaults()
    expect(await delivered(ada, post, ['published', 'failed'])).toMatchObject({ status: 'published' })
    expect(await callsOf('doubter', 'init')).toBe(1)
    expect((await livePosts(testServer)).filter((one) => one.sha256 === sample.sha256)).toHaveLength(1)
  })

  it('waits for an account to be linked again, then checks before sending', async () => {
    const { account_id } = await newAccount('tiktok', 'locked')
    await fault({ platform: 'tiktok', call: 'final_chunk', fault: 'drop_after', account: 'locked' })
    atPoint = async (point) => {
      if (point !== 'after commit') return
      atPoint = async () => {}
      await takeBackAccess(account_id)
    }
    const post = await postTikTok(ada, account_id, sampleVideo())
    await until('the account to need its owner', async () =>
      (await ada.call('listAccounts')).some(
        (one) => one.account_id === account_id && one.health.status === 'relink',
      ),
    )
    const { delivery_id } = await delivered(ada, post, ['unconfirmed'])
    await ada.call('resolveDelivery', { params: { deliveryId: delivery_id }, body: { outcome: 'not_live' } })
    expect(await delivered(ada, post, ['blocked', 'failed'])).toMatchObject({
      status: 'blocked',
      actions: ['link_again', 'cancel'],
    })
    await linkAccount(ada, { platform: 'tiktok', brandId, creator: 'locked' })
    expect(await delivered(ada, post, ['published', 'failed'])).toMatchObject({ status: 'published' })
    expect(await callsOf('locked', 'init')).toBe(1)
  })
})
