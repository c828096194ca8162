import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AccountId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
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
import { uploadVideo } from '#test/support/publish.ts'
import { notifyWake } from '../../db/bus.ts'
import { workerDeps } from '../../worker-deps.ts'
import { startDeliveryWorker, type Worker } from './worker.ts'

let testServer: TestServer
let ada: Person
let aheadMs = 0
let workers: Worker[] = []
const now = () => Date.now() + aheadMs

beforeEach(async () => {
  aheadMs = 0
  testServer = await startTestServer({ now })
  ada = await signUp(testServer)
  await control(testServer.practiceUrl, 'POST', '/_control/settings', {
    tiktok_processing_ms: 0,
    tiktok_moderation_ms: 0,
    instagram_processing_ms: 0,
  })
})
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()))
  workers = []
  await testServer.stop()
})

/** Two at once, as on two machines. */
function startWorkers(): void {
  workers = [1, 2].map(() => startDeliveryWorker(workerDeps(testServer.deps), QUICK))
}

async function linked(platform: PlatformId): Promise<AccountId> {
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  return (await linkAccount(ada, { platform, brandId })).account_id
}

async function makePosts(account_id: AccountId, count: number): Promise<void> {
  const { video_id } = await uploadVideo(ada)
  const targets = [{ account_id, options: {} }]
  for (const dozen of Array.from({ length: Math.ceil(count / 12) }, (_, i) => i * 12)) {
    const texts = Array.from({ length: Math.min(12, count - dozen) }, (_, i) => `${dozen + i}`)
    await Promise.all(texts.map((text) => ada.call('createPost', { body: { video_id, text, targets } })))
  }
}

const states = async (): Promise<Record<string, number>> => {
  const rows = await testServer.deps.db.selectFrom('deliveries').select('state').execute()
  return Object.fromEntries(
    [...Map.groupBy(rows, ({ state }) => state)].map(([state, those]) => [state, those.length]),
  )
}

/** Whenever everything waits, both clocks go on to when something is due; at least `stepS`, so that some come late. */
async function letTimePass(isEnough: () => Promise<boolean>, stepS: number): Promise<void> {
  for (;;) {
    const next = await until('everything to wait', nextWake)
    if (await isEnough()) return
    if (next.at === null) throw new Error('nothing waits any more')
    const advance_s = Math.max(Math.ceil((next.at - now()) / 1000), stepS)
    // The platform's first: nothing of ours is under way, and nothing may arrive there before it was sent.
    await control(testServer.practiceUrl, 'POST', '/_control/clock', { advance_s })
    aheadMs += advance_s * 1000
    await notifyWake(testServer.deps.db)
  }
}

/** When the next delivery is due; null while one is due or worked on. */
async function nextWake(): Promise<{ at: number | null } | null> {
  const { working, next } = await testServer.deps.db
    .selectFrom('deliveries')
    .select((eb) => [
      eb.fn.min('wake_at').as('next'),
      eb.fn.countAll<number>().filterWhere('leased_until', 'is not', null).as('working'),
    ])
    .where('wake_at', 'is not', null)
    .executeTakeFirstOrThrow()
  const at = next?.getTime() ?? null
  return working > 0 || (at !== null && at <= now()) ? null : { at }
}

const wakesWithin = async (ms: number): Promise<number> =>
  (
    await testServer.deps.db
      .selectFrom('deliveries')
      .select('delivery_id')
      .where('wake_at', '<=', new Date(now() + ms))
      .execute()
  ).length

type Line = { call: string; status: number | null; at: string }
const calls = async (): Promise<Line[]> =>
  (await control(testServer.practiceUrl, 'GET', '/_control/calls')) as Line[] // as their README describes it

const inAMinute = (lines: readonly Line[], call: string): number => {
  const times = lines.filter((line) => line.call === call).map((line) => Date.parse(line.at))
  return Math.max(...times.map((at) => times.filter((one) => one > at - 60_000 && one <= at).length))
}

const refused = (lines: readonly Line[]): Line[] =>
  lines.filter(({ status }) => status === null || status >= 400)

describe('a burst of posts to one account', () => {
  it("of 24 keeps to TikTok's limit per minute, and none is refused", async () => {
    const account = await linked('tiktok')
    await makePosts(account, 24)
    startWorkers()
    const began = now()
    await letTimePass(async () => (await states())['published'] === 24, 15)

    expect(await states()).toEqual({ published: 24 })
    expect(new Set((await livePosts(testServer)).map(({ text }) => text)).size).toBe(24)
    const lines = await calls()
    expect(refused(lines)).toEqual([])
    expect(lines.filter(({ call }) => call === 'init')).toHaveLength(24)
    expect(inAMinute(lines, 'init')).toBeLessThanOrEqual(6)
    expect(inAMinute(lines, 'status')).toBeLessThanOrEqual(30)
    // Slower than the limit allows by no more than the reserve.
    expect(now() - began).toBeLessThan(9 * 60_000)
  })

  it("stops at Instagram's daily limit, and goes on when there is room again", async () => {
    await control(testServer.practiceUrl, 'POST', '/_control/settings', { instagram_quota_total: 12 })
    const account = await linked('instagram')
    await makePosts(account, 24)
    startWorkers()
    const began = now()
    await letTimePass(
      async () => (await livePosts(testServer)).length === 12 && now() > began + 7_200_000,
      10,
    )
    expect(await states()).toEqual({ published: 12, scheduled: 12 })
    expect((await calls()).filter(({ call }) => call === 'create')).toHaveLength(12)
    expect((await calls()).filter(({ call }) => call === 'quota').length).toBeLessThan(12)

    await letTimePass(async () => (await states())['published'] === 24, 300)
    expect(refused(await calls())).toEqual([])
    const live = (await livePosts(testServer)).map((post) => Date.parse(post.created_at))
    for (const at of live) {
      expect(live.filter((one) => one > at - 86_400_000 && one <= at).length).toBeLessThanOrEqual(12)
    }
  })
})

const asked = async (): Promise<number> =>
  (await calls()).filter(({ call }) => call === 'creator_info').length

const changeNova = (its: { daily_limit?: number; active_user_cap?: boolean; banned?: boolean }) =>
  control(testServer.practiceUrl, 'POST', '/_control/accounts', {
    platform: 'tiktok',
    username: 'nova',
    ...its,
  })
const allowADay = (daily_limit: number) => changeNova({ daily_limit })

describe('a platform that says stop', () => {
  it("pauses the account's other posts, and one trial request at a time ends the pause", async () => {
    const account = await linked('tiktok')
    await allowADay(3)
    await makePosts(account, 9)
    startWorkers()
    await letTimePass(async () => (await states())['blocked'] === 1, 10)
    const before = await asked()
    const tomorrow = now() + 20 * 3_600_000
    await letTimePass(async () => {
      const waking = await testServer.deps.db.selectFrom('deliveries').select('wake_at').execute()
      return waking.every(({ wake_at }) => wake_at === null || wake_at.getTime() > tomorrow)
    }, 10)
    // An account gets one upload at a time: one was refused, and no other was tried.
    expect(await states()).toEqual({ published: 3, blocked: 1, scheduled: 5 })
    expect(await asked()).toBe(before)

    await letTimePass(async () => (await states())['published'] === 9, 300)
    expect(await livePosts(testServer)).toHaveLength(9)
  })

  it("resumes all waiting posts after a user's retry was accepted", async () => {
    const account = await linked('tiktok')
    await allowADay(3)
    await makePosts(account, 9)
    startWorkers()
    await letTimePass(async () => {
      const { blocked, scheduled } = await states()
      return blocked === 1 && scheduled === 5 && (await wakesWithin(3_600_000)) === 0
    }, 10)
    await allowADay(30)
    const [stopped] = (await ada.call('listPosts', { query: { status: 'attention', limit: 10 } })).items
    await ada.call('retryDelivery', {
      params: { deliveryId: stopped?.deliveries[0]?.delivery_id ?? 0 },
      // All of the posts have one video.
      body: { confirm_repeat: true },
    })
    const before = now()
    await letTimePass(async () => (await states())['published'] === 9, 10)
    expect(now() - before).toBeLessThan(900_000)
    expect(refused(await calls()).filter(({ at }) => Date.parse(at) > before)).toEqual([])
  })

  it('to the whole app is shown at each waiting post, and a retry calls at once', async () => {
    const account = await linked('tiktok')
    await changeNova({ active_user_cap: true })
    await makePosts(account, 1)
    startWorkers()
    await until('one to be refused', async () => (await states())['blocked'] === 1)
    await makePosts(account, 2)
    const waiting = async () =>
      (await ada.call('listPosts', { query: { status: 'scheduled', limit: 10 } })).items.flatMap(
        ({ deliveries }) => deliveries,
      )
    await until('the others to wait', async () => {
      const those = await waiting()
      return those.length === 2 && those.every(({ reason }) => reason !== null)
    })
    const cause =
      'TikTok limits how many accounts this server may post to in 24 hours, and that limit is reached.'
    for (const { reason, due_at } of await waiting()) {
      expect(reason).toMatchObject({
        code: 'app_paused',
        message: `Posting from this server is paused. ${cause}`,
        remedy: 'It goes out automatically after the pause.',
        pause: { of: 'app' },
      })
      const { since = '', until: end = '' } = reason?.pause ?? {}
      expect(Math.abs(Date.parse(since) - now())).toBeLessThan(60_000)
      expect(Date.parse(end) - Date.parse(since)).toBe(3_600_000)
      expect(Date.parse(due_at ?? '')).toBeGreaterThanOrEqual(Date.parse(end))
    }

    await changeNova({ active_user_cap: false })
    const [stopped] = (await ada.call('listPosts', { query: { status: 'attention', limit: 10 } })).items
    expect(stopped?.deliveries[0]?.reason).toMatchObject({ code: 'reached_active_user_cap', message: cause })
    const before = now()
    await ada.call('retryDelivery', { params: { deliveryId: stopped?.deliveries[0]?.delivery_id ?? 0 } })
    await letTimePass(async () => (await states())['published'] === 3, 10)
    expect(now() - before).toBeLessThan(900_000)
  })

  it('is shown on the account before another post is sent', async () => {
    const account = await linked('tiktok')
    const look = () => ada.call('getAccountOptions', { params: { accountId: account } })
    expect((await look()).today).toEqual({
      sent: 0,
      waiting: 0,
      used: null,
      total: null,
      usual: 15,
      stopped: null,
    })
    await makePosts(account, 7)
    startWorkers()
    await until('five to be sent', async () => (await states())['published'] === 5)
    expect((await look()).today).toMatchObject({ sent: 5, waiting: 2 })
    expect(await ada.call('listPostsToday', {})).toMatchObject([
      { account_id: account, today: { sent: 5, waiting: 2, usual: 15, stopped: null } },
    ])
    const posts = await ada.call('listPosts', { query: { status: 'scheduled', limit: 10 } })
    expect(posts.items[0]?.deliveries[0]?.reason?.message).toBe(
      'Waiting for its turn: TikTok accepts 6 posts a minute for one account.',
    )
  })

  it('is quoted on the account, and reading it delays nothing', async () => {
    const account = await linked('tiktok')
    const look = () => ada.call('getAccountOptions', { params: { accountId: account } })
    await allowADay(1)
    await makePosts(account, 1)
    startWorkers()
    await until('one to be sent', async () => (await states())['published'] === 1)
    const full = 'TikTok says this account has posted too much in the last 24 hours, across all apps.'
    await expect(look()).rejects.toThrow(`${full} The next post is tried within 24 hours.`)
    const made = (await calls()).length
    expect(await ada.call('listPostsToday', {})).toMatchObject([
      { account_id: account, today: { sent: 1, stopped: { message: full, limit: true } } },
    ])
    expect(await calls()).toHaveLength(made)
    expect(await (await signUp(testServer)).call('listPostsToday', {})).toEqual([])
    const stands = () =>
      testServer.deps.db.selectFrom('platform_cooldowns').select(['what', 'until']).execute()
    const stop = await stands()
    expect(stop).toMatchObject([{ what: 'posts' }])
    await control(testServer.practiceUrl, 'POST', '/_control/clock', { advance_s: 600 })
    aheadMs += 600_000
    await expect(look()).rejects.toThrow(full)
    expect(await stands()).toEqual(stop)

    await changeNova({ banned: true })
    const banned = look()
    await expect(banned).rejects.toThrow('409')
    await expect(banned).rejects.toThrow(
      'TikTok has banned this account from posting. Open the TikTok app to see why.',
    )
  })

  it('by its usage headers gets no calls from 95 percent on until usage falls', async () => {
    const account = await linked('instagram')
    const usage = (percent: number) =>
      control(testServer.practiceUrl, 'POST', '/_control/settings', {
        instagram_account_usage_percent: percent,
      })
    await usage(97)
    await makePosts(account, 4)
    startWorkers()
    await until('the platform to be left alone', async () => {
      const holds = await testServer.deps.db.selectFrom('platform_cooldowns').select('what').execute()
      const held = await testServer.deps.db.selectFrom('deliveries').select('leased_until').execute()
      return holds.some(({ what }) => what === 'calls') && held.every((row) => row.leased_until === null)
    })
    const before = (await calls()).length
    await control(testServer.practiceUrl, 'POST', '/_control/clock', { advance_s: 120 })
    aheadMs += 120_000
    await notifyWake(testServer.deps.db)
    const looking = ada.call('getAccountOptions', { params: { accountId: account } })
    await expect(looking).rejects.toThrow('97% of those for this hour are used')
    expect((await calls()).length).toBe(before)

    await usage(20)
    await letTimePass(async () => (await states())['published'] === 4, 30)
    expect(refused(await calls())).toEqual([])
  })
})
