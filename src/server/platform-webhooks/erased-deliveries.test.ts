import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { AccountId } from '#contract/ids.ts'
import { QUICK } from '#test/support/quick-worker.ts'
import {
  control,
  type TestServer,
  linkAccount,
  type Person,
  platformCalls,
  signUp,
  startTestServer,
} from '#test/support/test-server.ts'
import { delivered, postInstagram } from '#test/support/publish.ts'
import { sampleVideo } from '#test/support/sample.ts'
import { eraseAccount } from './erase-account.ts'
import { workerDeps } from '../worker-deps.ts'
import { startDeliveryWorker, type Worker } from '../deliveries/worker/worker.ts'

let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer()
  await control(testServer.practiceUrl, 'POST', '/_control/settings', { instagram_processing_ms: 0 })
})
afterAll(() => testServer.stop())

let ada: Person
let accountId: AccountId
beforeEach(async () => {
  ada = await signUp(testServer)
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  ;({ account_id: accountId } = await linkAccount(ada, { platform: 'instagram', brandId }))
})

const receipt = (done: object) => done

async function requestErasure(): Promise<void> {
  const { external_id } = await testServer.deps.db
    .selectFrom('accounts')
    .select('external_id')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  const key = `${external_id} of ${accountId}`
  await eraseAccount(testServer.deps, 'instagram', {
    kind: 'erase_person',
    externalId: external_id,
    key,
    receipt,
  })
}

const strike = (fault: string, more: object = {}) =>
  control(testServer.practiceUrl, 'POST', '/_control/faults', {
    platform: 'instagram',
    call: 'publish',
    fault,
    ...more,
  })

function workUntilErased(at: string): Worker {
  let erased: Promise<void> | null = null
  const deps = workerDeps(testServer.deps, async (point) => {
    if (point === at) await (erased ??= requestErasure())
  })
  return startDeliveryWorker(deps, QUICK)
}

const publishCalls = async () =>
  (await platformCalls(testServer)).filter(({ call }) => call === 'publish').length

it('a refused call to publish fails for good where the account was deleted meanwhile', async () => {
  await strike('error', { code: 190, subcode: 460 })
  const post = await postInstagram(ada, accountId, sampleVideo())
  const worker = workUntilErased('after commit')
  try {
    expect(await delivered(ada, post, ['failed', 'blocked'])).toMatchObject({
      status: 'failed',
      reason: { code: 'account_erased' },
      actions: ['dismiss'],
      due_at: null,
    })
  } finally {
    await worker.stop()
  }
})

it('a call of unknown outcome is left to the user where the account was deleted', async () => {
  const before = await publishCalls()
  await strike('drop_after')
  const post = await postInstagram(ada, accountId, sampleVideo())
  const worker = workUntilErased('after save unconfirmed')
  try {
    const { delivery_id: deliveryId } = await delivered(ada, post, ['unconfirmed'])
    const read = async () => (await ada.call('getPost', { params: { postId: post.post_id } })).deliveries[0]
    await expect.poll(read).toMatchObject({
      status: 'unconfirmed',
      reason: { code: 'account_erased_open' },
      actions: ['resolve_live', 'resolve_not_live'],
      due_at: null,
    })
    const resolved = await ada.call('resolveDelivery', {
      params: { deliveryId },
      body: { outcome: 'not_live' },
    })
    expect(resolved).toMatchObject({
      status: 'failed',
      reason: { code: 'account_erased' },
      actions: ['dismiss'],
    })
    await expect(ada.call('retryDelivery', { params: { deliveryId } })).rejects.toThrow('make a new post')
    expect(await publishCalls()).toBe(before + 1)
  } finally {
    await worker.stop()
  }
})

it('a failed post offers no retry while its account is not linked', async () => {
  await strike('error', { code: 100, subcode: 2_207_089 })
  const post = await postInstagram(ada, accountId, sampleVideo())
  const worker = startDeliveryWorker(workerDeps(testServer.deps), QUICK)
  try {
    const failed = await delivered(ada, post, ['failed'])
    expect(failed.actions).toEqual(['retry', 'dismiss'])
    await ada.call('unlinkAccount', { params: { accountId } })
    const { deliveries } = await ada.call('getPost', { params: { postId: post.post_id } })
    expect(deliveries[0]?.actions).toEqual(['dismiss'])
    const retried = ada.call('retryDelivery', { params: { deliveryId: failed.delivery_id } })
    await expect(retried).rejects.toThrow('no longer linked')
  } finally {
    await worker.stop()
  }
})
