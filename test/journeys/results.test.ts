import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccountId } from '#contract/ids.ts'
import { MARK_AGES_H, type DeliveryResults } from '#contract/results.ts'
import { startWorkers } from '#server/start-workers.ts'
import { workerDeps } from '#server/worker-deps.ts'
import { REQUIRED_OPTIONS } from '../support/options.ts'
import { uploadVideo } from '../support/publish.ts'
import { QUICK } from '../support/quick-worker.ts'
import {
  control,
  linkAccount,
  livePosts,
  signIn,
  signUp,
  startTestServer,
  type TestServer,
  until,
} from '../support/test-server.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
let testServer: TestServer
let ahead = 0
const now = () => Date.now() + ahead
beforeAll(async () => {
  testServer = await startTestServer({ now })
  await control(testServer.practiceUrl, 'POST', '/_control/settings', { instagram_insights_delay_ms: 0 })
})
afterAll(() => testServer.stop())

/** Ends with the workers stopped: the next call starts them again. */
async function run(work: () => Promise<unknown>): Promise<void> {
  const worker = startWorkers(workerDeps(testServer.deps), QUICK)
  await work()
  await worker.stop()
}

const moveClocks = async (ms: number) => {
  ahead += ms
  await control(testServer.practiceUrl, 'POST', '/_control/clock', { advance_s: ms / 1000 })
}

const allRead = () =>
  until('all that is due to be read', async () => {
    const due = await testServer.deps.db
      .selectFrom('result_readers')
      .select('account_id')
      .where('wake_at', '<=', new Date(now()))
      .executeTakeFirst()
    return due === undefined
  })

/** A day at a time, so that each reading is made about when it is due. */
const live = (days: number) =>
  run(async () => {
    for (let day = 0; day < days; day += 1) {
      await moveClocks(DAY)
      await allRead()
    }
  })

it('a month with restarts and a day of downtime has its marks at their ages, and every kind of gap', async () => {
  const person = await signUp(testServer)
  // Sessions end as the clock moves.
  const again = () => signIn(testServer, person.email)
  const { brand_id: brandId } = await person.call('createBrand', { body: { title: 'Northwind' } })
  const link = async (platform: 'tiktok' | 'instagram' | 'youtube', creator: string, isAllowed = true) => {
    const permissions = isAllowed ? { permissions: ['results' as const] } : {}
    return (await linkAccount(person, { platform, brandId, creator, ...permissions })).account_id
  }
  const accounts = {
    tiktok: await link('tiktok', 'nova'),
    instagram: await link('instagram', 'nova'),
    youtube: await link('youtube', 'nova'),
    silent: await link('tiktok', 'atlas', false),
    countsOnly: await link('youtube', 'quiet', false),
  }
  const { video_id } = await uploadVideo(person)
  const options = { tiktok: { privacy_level: 'PUBLIC_TO_EVERYONE' }, youtube: REQUIRED_OPTIONS.youtube }
  const { post_id: postId } = await person.call('createPost', {
    body: {
      video_id,
      text: 'Lemon tart',
      targets: Object.entries(accounts).map(([name, account_id]) => ({
        account_id,
        options: ['youtube', 'countsOnly'].includes(name)
          ? options.youtube
          : name === 'instagram'
            ? {}
            : options.tiktok,
      })),
    },
  })
  const results = async (accountId: AccountId): Promise<DeliveryResults> => {
    const { deliveries } = await (await again()).call('getPostResults', { params: { postId } })
    const found = deliveries.find(({ account_id }) => account_id === accountId)
    if (!found) throw new Error(`No results of account ${accountId}.`)
    return found
  }
  const viewsAt = async (accountId: AccountId, days: number) =>
    (await results(accountId)).marks.find(({ age_hours }) => age_hours === days * 24)?.values.views

  await run(async () => {
    await until('the post to be live on all of them', async () => {
      const { deliveries } = await person.call('getPost', { params: { postId } })
      return deliveries.every(({ status, url }) => status === 'published' && url !== null)
    })
    await moveClocks(HOUR)
    await allRead()
  })
  const first = await Promise.all(Object.values(accounts).map((id) => viewsAt(id, 1 / 24)))
  expect(first.slice(0, 3).every((views) => (views?.value ?? 0) > 0)).toBe(true)
  expect(first[3]).toEqual({ value: null, missing: 'not_allowed' })

  // Six more days, with a restart; then a day of downtime around the seventh.
  await moveClocks(-HOUR + DAY)
  await run(allRead)
  await live(5)
  await moveClocks(2.5 * DAY)
  await live(1)
  for (const [nth, id] of [accounts.tiktok, accounts.instagram, accounts.youtube].entries()) {
    expect((await viewsAt(id, 1))?.value).toBeGreaterThan(first[nth]?.value ?? Infinity)
    expect(await viewsAt(id, 7)).toEqual({ value: null, missing: 'missed' })
    const { latest } = await results(id)
    expect(latest?.values.views.value).toBeGreaterThan((await viewsAt(id, 1))?.value ?? Infinity)
    expect(Date.parse(latest?.read_at ?? '')).toBeGreaterThan(now() - HOUR)
  }
  expect((await results(accounts.tiktok)).latest?.values).toMatchObject({
    likes: { missing: null },
    saves: { value: null, missing: 'not_offered' },
  })
  expect((await results(accounts.instagram)).latest?.values.reach.value).toBeGreaterThan(0)

  // Reports of YouTube are days late and need a permission; its counts are neither.
  const young = (await results(accounts.youtube)).marks[1]?.values
  expect(young).toMatchObject({ likes: { missing: null }, followers_gained: { missing: 'not_offered' } })
  const reported = (await results(accounts.youtube)).latest?.values
  for (const metric of ['followers_gained', 'shares', 'average_watch_ms', 'total_watch_ms'] as const)
    expect(reported?.[metric].value, metric).toBeGreaterThanOrEqual(0)
  expect(reported?.total_watch_ms.value).toBeGreaterThan(0)
  const counted = await results(accounts.countsOnly)
  expect(counted.allowed).toBe(false)
  expect(counted.latest?.values).toMatchObject({
    views: { missing: null },
    followers_gained: { value: null, missing: 'not_allowed' },
    saves: { value: null, missing: 'not_offered' },
  })

  // Its owner deletes the post on TikTok, and takes the permission away at Instagram.
  const onTikTok = (await livePosts(testServer)).find(
    ({ platform, account }) => platform === 'tiktok' && account === 'nova',
  )
  await control(testServer.practiceUrl, 'POST', '/_control/visibility', {
    platform: 'tiktok',
    id: onTikTok?.id,
    visibility: 'deleted',
  })
  await control(testServer.practiceUrl, 'POST', '/_control/withdraw', {
    platform: 'instagram',
    username: 'nova',
    scopes: ['instagram_business_manage_insights'],
  })
  await control(testServer.practiceUrl, 'POST', '/_control/withdraw', {
    platform: 'youtube',
    username: 'nova',
    scopes: ['https://www.googleapis.com/auth/yt-analytics.readonly'],
  })
  await live(20)
  expect(await viewsAt(accounts.tiktok, 28)).toEqual({ value: null, missing: 'gone' })
  expect((await results(accounts.tiktok)).gone_since).not.toBeNull()
  expect(await viewsAt(accounts.instagram, 28)).toEqual({ value: null, missing: 'not_allowed' })
  expect(await results(accounts.instagram)).toMatchObject({ allowed: false, linked: true })
  expect((await viewsAt(accounts.youtube, 28))?.value).toBeGreaterThan(0)
  expect(await results(accounts.youtube)).toMatchObject({
    allowed: false,
    latest: { values: { followers_gained: { value: null, missing: 'not_allowed' } } },
  })
  // Publishing never depended on it.
  const { deliveries } = await (await again()).call('getPost', { params: { postId } })
  expect(deliveries.map(({ status }) => status)).toEqual(Array(5).fill('published'))

  // An account that is linked again with the permission goes on; one that is unlinked stops, and YouTube's numbers go.
  const back = await again()
  await linkAccount(back, { platform: 'instagram', brandId, creator: 'nova', permissions: ['results'] })
  await back.call('unlinkAccount', { params: { accountId: accounts.youtube } })
  await live(7)
  expect((await viewsAt(accounts.instagram, 35))?.value).toBeGreaterThan(0)
  expect(await viewsAt(accounts.youtube, 28)).not.toMatchObject({ missing: null })
  expect(await viewsAt(accounts.youtube, 35)).toEqual({ value: null, missing: 'unlinked' })
  const { rows } = await (await again()).call('listResults', { query: { age: 'now' } })
  expect(rows).toHaveLength(1)
  // Of the post that is gone the last numbers stay.
  const missing = new Map(rows[0]?.cells.map(({ account_id, views }) => [account_id, views.missing]))
  expect(Object.values(accounts).map((id) => missing.get(id))).toEqual([
    null,
    null,
    'unlinked',
    'not_allowed',
    null,
  ])
  expect((await results(accounts.instagram)).marks).toHaveLength(MARK_AGES_H.length)
})
