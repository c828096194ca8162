import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Post } from '#contract/posts.ts'
import { control, linkAccount, livePosts, signUp, startTestServer, until } from '#test/support/test-server.ts'
import type { TestServer, Person } from '#test/support/test-server.ts'
import { delivered, postInstagram } from '#test/support/publish.ts'
import { sampleVideo } from '#test/support/sample.ts'
import { findSiblings } from './siblings.ts'
import { openClaim } from '../store.ts'
import { workerDeps } from '../../worker-deps.ts'
import { startWorker } from './worker.ts'
import type { Worker } from './worker.ts'

let testServer: TestServer
let worker: Worker
let ada: Person
let bob: Person
let account: number
let same: number
let aheadMs = 0
const now = () => Date.now() + aheadMs

beforeAll(async () => {
  testServer = await startTestServer({ now })
  worker = startWorker(workerDeps(testServer.deps))
  ada = await signUp(testServer)
  bob = await signUp(testServer, 'Bob')
  await control(testServer.practiceUrl, 'POST', '/_control/settings', { instagram_processing_ms: 0 })
  account = await linkedBy(ada)
  same = await linkedBy(bob)
})
afterAll(async () => {
  await worker.stop()
  await testServer.stop()
})

async function linkedBy(someone: Person): Promise<number> {
  const { brand_id: brandId } = await someone.call('createBrand', { body: { title: 'Northwind' } })
  return (await linkAccount(someone, { platform: 'instagram', brandId })).account_id
}

it("of two posts with the same text, one of them lost, neither is taken for the other's", async () => {
  const [lost, kept] = [sampleVideo(), sampleVideo()]
  const fault = { platform: 'instagram', call: 'publish', fault: 'drop_before' }
  await control(testServer.practiceUrl, 'POST', '/_control/faults', fault)
  const first = await postInstagram(ada, account, lost, 'Twice the same')
  await delivered(ada, first, ['unconfirmed'])
  const second = await postInstagram(bob, same, kept, 'Twice the same')
  await delivered(bob, second, ['published'])

  // Its container is gone, and the only post since its publish call is the other one.
  await control(testServer.practiceUrl, 'POST', '/_control/clock', { advance_s: 86_400 })
  const end = await until('the lost post to be live', async () => {
    aheadMs += 2_000
    const { deliveries } = await ada.call('getPost', { params: { postId: first.post_id } })
    return deliveries[0]?.status === 'published' && deliveries[0].url !== null && deliveries[0]
  })
  const live = await livePosts(testServer)
  expect(live.map(({ sha256 }) => sha256)).toEqual([kept.sha256, lost.sha256])
  expect(new URL(end.url ?? '').pathname).toBe(new URL(live[1]?.url ?? '').pathname)
}, 60_000)

const postOf = (someone: Person, id: number, text: string): Promise<Post> =>
  postInstagram(someone, id, sampleVideo(), text)

it('what our other deliveries may have put on an account is known by its id or else by its text', async () => {
  const since = now()
  const mine = await postOf(ada, account, 'Mine')
  const others = [await postOf(ada, account, 'Another'), await postOf(bob, same, "Somebody else's")]
  await delivered(ada, mine, ['published'])
  await delivered(ada, others[0] ?? mine, ['published'])
  await delivered(bob, others[1] ?? mine, ['published'])
  await worker.stop()

  const found = async () => {
    const row = await testServer.deps.db
      .selectFrom('deliveries')
      .selectAll()
      .where('post_id', '=', mine.post_id)
      .executeTakeFirstOrThrow()
    const { postIds, unknown } = await findSiblings(
      testServer.deps.db,
      openClaim(row, testServer.deps.encrypter),
      since,
    )
    return { ids: postIds.length, unknown: unknown.toSorted() }
  }
  const becomes = (state: string, data: string) =>
    sql`update deliveries set state = ${state}, data = data || ${data}::jsonb, wake_at = now()
        where post_id = ${others[0]?.post_id}`.execute(testServer.deps.db)

  expect(await found()).toEqual({ ids: 2, unknown: [] })
  await becomes('published', '{"postId": null}')
  expect(await found()).toEqual({ ids: 1, unknown: ['Another'] })
  await becomes('published', `{"at": ${since - 1}}`)
  expect(await found()).toEqual({ ids: 1, unknown: [] })
  for (const state of ['unconfirmed', 'committing', 'processing']) {
    await becomes(state, '{}')
    expect(await found()).toEqual({ ids: 1, unknown: ['Another'] })
  }
  await becomes('scheduled', '{"earlier": null}')
  expect(await found()).toEqual({ ids: 1, unknown: [] })
  await becomes('scheduled', '{"earlier": {"since": 1, "looks": 0}}')
  expect(await found()).toEqual({ ids: 1, unknown: ['Another'] })
  await becomes('preparing', '{"commits": 0, "earlier": null}')
  expect(await found()).toEqual({ ids: 1, unknown: [] })
  await becomes('preparing', '{"commits": 1}')
  expect(await found()).toEqual({ ids: 1, unknown: ['Another'] })
}, 60_000)
