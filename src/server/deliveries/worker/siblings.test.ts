import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccountId } from '#contract/ids.ts'
import type { Post } from '#contract/posts.ts'
import { control, linkAccount, livePosts, signUp, startTestServer, until } from '#test/support/test-server.ts'
import type { TestServer, Person } from '#test/support/test-server.ts'
import { delivered, postInstagram, uploadVideo } from '#test/support/publish.ts'
import { explainScans, sumRows } from '#test/support/database/explain.ts'
import { type Sample, sampleVideo } from '#test/support/sample.ts'
import { findSiblings, findSiblingsQuery } from './siblings.ts'
import { openClaim } from '../store.ts'
import { notifyWake } from '../../db/bus.ts'
import { workerDeps } from '../../worker-deps.ts'
import { startWorkers } from '../../start-workers.ts'
import type { Worker } from './worker.ts'

let testServer: TestServer
let worker: Worker
let ada: Person
let bob: Person
let account: AccountId
let another: AccountId
let same: AccountId
let aheadMs = 0
const now = () => Date.now() + aheadMs

beforeAll(async () => {
  testServer = await startTestServer({ now })
  worker = startWorkers(workerDeps(testServer.deps))
  ada = await signUp(testServer)
  bob = await signUp(testServer, 'Bob')
  await control(testServer.practiceUrl, 'POST', '/_control/settings', { instagram_processing_ms: 0 })
  account = await linkedBy(ada)
  another = await linkedBy(ada, 'atlas')
  same = await linkedBy(bob)
})
afterAll(async () => {
  await worker.stop()
  await testServer.stop()
})

async function linkedBy(someone: Person, creator?: string): Promise<AccountId> {
  const { brand_id: brandId } = await someone.call('createBrand', { body: { title: 'Northwind' } })
  return (await linkAccount(someone, { platform: 'instagram', brandId, ...(creator && { creator }) }))
    .account_id
}

/** Captions sent to Ada's account, to her second account, and to Bob's link to the first; each draw has words of its own. */
const DRAWS = [
  ['same', 'same', 'same'],
  ['same', 'same', 'other'],
  ['same', 'other', 'same'],
  ['same', 'other', 'other'],
  ['same', 'other', 'third'],
] as const

it('deliveries with equal or different captions are never confused', async () => {
  // Most of the calls to publish are carried out and their answers lost: the posts are then looked for by their texts.
  const fault = { platform: 'instagram', call: 'publish', fault: 'drop_after', times: 9, after: 2 }
  await control(testServer.practiceUrl, 'POST', '/_control/faults', fault)
  const sent = await Promise.all(
    DRAWS.map(async (words, number) => {
      const [first, second, third] = words.map((word) => `${word} in draw ${number}`)
      const [adas, bobs] = [sampleVideo(), sampleVideo()]
      const toBoth = [
        { account_id: account, text: first },
        { account_id: another, text: second },
      ]
      const ofAda = await sendOwn(ada, adas, toBoth)
      const ofBob = await sendOwn(bob, bobs, [{ account_id: same, text: third }])
      return [
        { someone: ada, post: ofAda, nth: 0, creator: 'nova', text: first, sha256: adas.sha256 },
        { someone: ada, post: ofAda, nth: 1, creator: 'atlas', text: second, sha256: adas.sha256 },
        { someone: bob, post: ofBob, nth: 0, creator: 'nova', text: third, sha256: bobs.sha256 },
      ]
    }),
  )
  const expected = sent.flat()
  /** Which of two equal posts is whose is not always known: then neither has an address. */
  const isUnique = (one: (typeof expected)[number]) =>
    expected.filter(({ creator, text }) => creator === one.creator && text === one.text).length === 1

  const ended = await until('every delivery to be published', async () => {
    await advance(2_000)
    const found = await Promise.all(
      expected.map(async (one) => {
        const { deliveries } = await one.someone.call('getPost', { params: { postId: one.post.post_id } })
        return { ...one, delivery: deliveries[one.nth] }
      }),
    )
    const isDone = found.every(
      ({ delivery, ...one }) => delivery?.status === 'published' && (delivery.url !== null || !isUnique(one)),
    )
    return isDone && found
  })
  const live = await livePosts(testServer)
  expect(live).toHaveLength(expected.length)
  for (const { creator, sha256, text, delivery } of ended) {
    const post = live.find((one) => one.account === creator && one.sha256 === sha256)
    expect(post?.text).toBe(text)
    expect([null, pathOf(post?.url)]).toContain(pathOf(delivery?.url))
  }
})

const pathOf = (url: string | null | undefined) => (url ? new URL(url).pathname : null)

/** To each account a text of its own; the shared one is everybody's. */
async function sendOwn(
  someone: Person,
  video: Sample,
  targets: { account_id: AccountId; text: string | undefined }[],
): Promise<Post> {
  const { video_id } = await uploadVideo(someone, video.file)
  return someone.call('createPost', { body: { video_id, text: 'Shared', targets } })
}

/** Both clocks: a post's time is the platform's. */
async function advance(ms: number): Promise<void> {
  aheadMs += ms
  await control(testServer.practiceUrl, 'POST', '/_control/clock', { advance_s: ms / 1000 })
  await notifyWake(testServer.deps.db)
}

it('two posts with the same text are not confused when one answer is lost', async () => {
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
    aheadMs += 10_000
    await notifyWake(testServer.deps.db)
    const { deliveries } = await ada.call('getPost', { params: { postId: first.post_id } })
    return deliveries[0]?.status === 'published' && deliveries[0].url !== null && deliveries[0]
  })
  const live = (await livePosts(testServer)).filter(({ text }) => text === 'Twice the same')
  expect(live.map(({ sha256 }) => sha256)).toEqual([kept.sha256, lost.sha256])
  expect(new URL(end.url ?? '').pathname).toBe(new URL(live[1]?.url ?? '').pathname)
})

const postOf = (someone: Person, id: number, text: string): Promise<Post> =>
  postInstagram(someone, id, sampleVideo(), text)

it('posts of sibling deliveries are recognised by their id, or else by their text', async () => {
  const since = now()
  const mine = await postOf(ada, account, 'Mine')
  const own = [{ account_id: account, text: 'Another' }]
  const others = [await sendOwn(ada, sampleVideo(), own), await postOf(bob, same, "Somebody else's")]
  await delivered(ada, mine, ['published'])
  await delivered(ada, others[0] ?? mine, ['published'])
  await delivered(bob, others[1] ?? mine, ['published'])
  await until('their links to be known', async () => {
    const { deliveries } = await ada.call('getPost', { params: { postId: others[0]?.post_id ?? 0 } })
    return deliveries[0]?.url !== null
  })
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
  const becomes = (state: string, data: string, session: Buffer | null = Buffer.from('')) =>
    sql`update deliveries set state = ${state}, data = data || ${data}::jsonb, session = ${session}, wake_at = now()
        where post_id = ${others[0]?.post_id}`.execute(testServer.deps.db)

  expect(await found()).toEqual({ ids: 2, unknown: [] })
  await becomes('published', '{"postId": null}')
  // Its id was told with the link.
  expect(await found()).toEqual({ ids: 2, unknown: [] })
  await testServer.deps.db.deleteFrom('follow_ups').execute()
  expect(await found()).toEqual({ ids: 1, unknown: ['Another'] })
  await becomes('published', `{"at": ${since - 1}}`)
  expect(await found()).toEqual({ ids: 1, unknown: [] })
  for (const state of ['unconfirmed', 'committing', 'processing']) {
    await becomes(state, '{}')
    expect(await found()).toEqual({ ids: 1, unknown: ['Another'] })
  }
  await becomes('scheduled', '{"earlier": null}', null)
  expect(await found()).toEqual({ ids: 1, unknown: [] })
  await becomes('scheduled', '{"earlier": {"since": 1, "looks": 0}}')
  expect(await found()).toEqual({ ids: 1, unknown: ['Another'] })
  await becomes('preparing', '{"commits": 0, "earlier": null}')
  expect(await found()).toEqual({ ids: 1, unknown: [] })
  await becomes('preparing', '{"commits": 1}')
  expect(await found()).toEqual({ ids: 1, unknown: ['Another'] })
})

it('what an account published long ago is not read', async () => {
  const { db } = testServer.deps
  const { delivery_id: deliveryId, post_id } = await db
    .selectFrom('deliveries')
    .select(['delivery_id', 'post_id'])
    .where('account_id', '=', account)
    .limit(1)
    .executeTakeFirstOrThrow()
  await sql`with old as (insert into posts (user_id, video_id, text)
      select user_id, video_id, text from posts, generate_series(1, 3000) where post_id = ${post_id} returning post_id)
    insert into deliveries (post_id, user_id, account_id, platform, options, state, data, text)
    select old.post_id, user_id, account_id, platform, options, 'published', '{"at": 1}', text
    from old, deliveries where delivery_id = ${deliveryId}`.execute(db)
  await sql`analyze`.execute(db)
  const query = findSiblingsQuery(db, { accountId: account, deliveryId }, now() - 3_600_000).compile()
  const read = (await explainScans(db, query)).filter(({ table }) => table === 'deliveries')
  expect(sumRows(read)).toBeLessThan(500)
})
