import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Account } from '#contract/accounts.ts'
import type { Post } from '#contract/posts.ts'
import { fail } from '#domain/delivery/failure.ts'
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
import { delivered, postInstagram, postTikTok } from '#test/support/publish.ts'
import { sampleVideo } from '#test/support/sample.ts'
import { workerDeps } from '../../worker-deps.ts'
import { startDeliveryWorker } from './worker.ts'

const MINUTE_MS = 60_000

let testServer: TestServer
let ada: Person
let aheadMs = 0
beforeAll(async () => {
  testServer = await startTestServer({ now: () => Date.now() + aheadMs })
  ada = await signUp(testServer)
})
afterAll(() => testServer.stop())

it('an unreadable delivery delays none of the others that are due', async () => {
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  const tiktok = await linkAccount(ada, { platform: 'tiktok', brandId })
  const instagram = await linkAccount(ada, { platform: 'instagram', brandId })
  await control(testServer.practiceUrl, 'POST', '/_control/settings', { instagram_processing_ms: 0 })
  const unreadable = await postTikTok(ada, tiktok.account_id, sampleVideo())
  const post = await postInstagram(ada, instagram.account_id, sampleVideo())
  await testServer.deps.db
    .updateTable('deliveries')
    .set({
      state: 'preparing',
      data: JSON.stringify({ attempt: 1, sent: 0, tries: 0, commits: 0, reason: null }),
      session: randomBytes(60),
    })
    .where('post_id', '=', unreadable.post_id)
    .execute()
  const worker = startDeliveryWorker(workerDeps(testServer.deps), QUICK)
  try {
    expect(await delivered(ada, post, ['published'])).toMatchObject({ status: 'published' })
  } finally {
    await worker.stop()
    await testServer.deps.db.deleteFrom('deliveries').where('post_id', '=', unreadable.post_id).execute()
  }
})

/** Links an Instagram account in a brand of its own; its id. */
async function linkInstagram(person: Person, creator: string): Promise<number> {
  const { brand_id: brandId } = await person.call('createBrand', { body: { title: 'Eastwind' } })
  return (await linkAccount(person, { platform: 'instagram', brandId, creator })).account_id
}

it('a worker with one lane serves another user between two posts of the first', async () => {
  const [ann, bea] = [await signUp(testServer), await signUp(testServer)]
  const ofAnn = await linkInstagram(ann, 'nova')
  const first = await postInstagram(ann, ofAnn, sampleVideo())
  const second = await postInstagram(ann, ofAnn, sampleVideo())
  const other = await postInstagram(bea, await linkInstagram(bea, 'atlas'), sampleVideo())
  const ids = [first, other, second].map(({ post_id }) => post_id)
  const worker = startDeliveryWorker(workerDeps(testServer.deps), {
    ...QUICK,
    lanes: { calls: 1, uploads: 1 },
  })
  try {
    await delivered(ann, second, ['published'])
    await delivered(bea, other, ['published'])
  } finally {
    await worker.stop()
  }
  const begun = await testServer.deps.db
    .selectFrom('delivery_events')
    .innerJoin('deliveries', 'deliveries.delivery_id', 'delivery_events.delivery_id')
    .select('deliveries.post_id')
    .where('deliveries.post_id', 'in', ids)
    .where('delivery_events.state', '=', 'preparing')
    .orderBy('event_id')
    .execute()
  expect([...new Set(begun.map(({ post_id }) => post_id))]).toEqual(ids)
})

/** The states that a post's delivery has been in, as its timeline has them. */
async function timelineOf(post: Post): Promise<string[]> {
  const lines = await testServer.deps.db
    .selectFrom('delivery_events')
    .innerJoin('deliveries', 'deliveries.delivery_id', 'delivery_events.delivery_id')
    .select('delivery_events.state')
    .where('deliveries.post_id', '=', post.post_id)
    .orderBy('event_id')
    .execute()
  return lines.map(({ state }) => state)
}

const publishCalls = async (creator: string) =>
  (await platformCalls(testServer)).filter(({ call, account }) => call === 'publish' && account === creator)
    .length

it('a publish call whose access is refused again right after its renewal waits for a new link', async () => {
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Westwind' } })
  const creator = 'westwind'
  await control(testServer.practiceUrl, 'POST', '/_control/accounts', {
    platform: 'instagram',
    username: creator,
  })
  const account = await linkAccount(ada, { platform: 'instagram', brandId, creator })
  await control(testServer.practiceUrl, 'POST', '/_control/settings', { instagram_processing_ms: 0 })
  await control(testServer.practiceUrl, 'POST', '/_control/faults', {
    platform: 'instagram',
    account: creator,
    call: 'publish',
    fault: 'error',
    code: 190,
    subcode: 463,
    times: 20,
  })
  const deps = workerDeps(testServer.deps)
  // Renewing answers with access that the platform refuses just the same.
  const worker = startDeliveryWorker({ ...deps, getAccess: (accountId) => deps.getAccess(accountId) }, QUICK)
  try {
    const post = await postInstagram(ada, account.account_id, sampleVideo())
    expect(await delivered(ada, post, ['blocked'])).toMatchObject({
      actions: ['link_again', 'cancel'],
    })
    // Posts of the tests before may be on their way still.
    expect(await publishCalls(creator)).toBe(2)
  } finally {
    await worker.stop()
    await control(testServer.practiceUrl, 'DELETE', '/_control/faults')
  }
})

const finalChunks = async () =>
  (await platformCalls(testServer)).filter(({ call }) => call === 'final_chunk').length

describe('an irreversible call that was decided on and not made', () => {
  let account: Account
  beforeAll(async () => {
    const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Southwind' } })
    account = await linkAccount(ada, { platform: 'tiktok', brandId, creator: 'atlas' })
  })

  it('by a worker that is stopping is recorded as not made, and another worker makes it', async () => {
    const post = await postTikTok(ada, account.account_id, sampleVideo())
    const before = await finalChunks()
    const stopped = Promise.withResolvers<void>()
    const worker = startDeliveryWorker(
      workerDeps(testServer.deps, async (point) => {
        if (point === 'after save committing') stopped.resolve(worker.stop())
      }),
      QUICK,
    )
    await stopped.promise
    expect(await finalChunks()).toBe(before)
    const heir = startDeliveryWorker(workerDeps(testServer.deps), QUICK)
    try {
      expect(await delivered(ada, post, ['published'])).toMatchObject({ attempt: 1 })
    } finally {
      await heir.stop()
    }
    expect(await timelineOf(post)).not.toContain('unconfirmed')
    expect(await finalChunks()).toBe(before + 1)
  })

  it('without access is recorded as not made, and made once there is access', async () => {
    const post = await postTikTok(ada, account.account_id, sampleVideo())
    const before = await finalChunks()
    const deps = workerDeps(testServer.deps)
    const reason = { code: 'ECONNREFUSED', message: 'Not reached.', remedy: 'Wait.', detail: null }
    let failures = 0
    let committing = false
    const worker = startDeliveryWorker(
      {
        ...deps,
        crashPoint: async (point) => {
          if (!point.startsWith('after save ')) return
          committing = point === 'after save committing'
          // What waits before it is tried again is due at once.
          if (failures > 0) aheadMs += MINUTE_MS
        },
        getAccess: (accountId, how) =>
          committing && failures++ < 3
            ? Promise.resolve(fail({ kind: 'unreachable', reason }))
            : deps.getAccess(accountId, how),
      },
      QUICK,
    )
    try {
      expect(await delivered(ada, post, ['published', 'unconfirmed'])).toMatchObject({
        status: 'published',
        attempt: 1,
      })
    } finally {
      await worker.stop()
    }
    expect(failures).toBeGreaterThan(3)
    expect(await timelineOf(post)).not.toContain('unconfirmed')
    expect(await finalChunks()).toBe(before + 1)
  })
})
