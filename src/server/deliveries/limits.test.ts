import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AccountId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import {
  control,
  linkAccount,
  livePosts,
  QUICK,
  signUp,
  startHouse,
  until,
  type House,
  type Person,
} from '#test/harness.ts'
import { uploadVideo } from '#test/publish.ts'
import { notifyWake } from '../bus.ts'
import { workerDeps } from './wiring.ts'
import { startWorker, type Worker } from './worker.ts'

let house: House
let ada: Person
let aheadMs = 0
let workers: Worker[] = []
const now = () => Date.now() + aheadMs

beforeEach(async () => {
  aheadMs = 0
  house = await startHouse({ now })
  ada = await signUp(house)
  await control(house.practiceUrl, 'POST', '/_control/settings', {
    tiktok_processing_ms: 0,
    tiktok_moderation_ms: 0,
    instagram_processing_ms: 0,
  })
})
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()))
  workers = []
  await house.stop()
})

/** Two at once, as on two machines. */
function startWorkers(): void {
  workers = [1, 2].map(() => startWorker(workerDeps(house.deps), QUICK))
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
  const rows = await house.deps.db.selectFrom('deliveries').select('state').execute()
  return Object.fromEntries(
    [...Map.groupBy(rows, ({ state }) => state)].map(([state, those]) => [state, those.length]),
  )
}

/** Whenever everything waits, both clocks go on to when something is due; at least `stepS`, so that some come late. */
async function letTimePass(isEnough: () => Promise<boolean>, stepS: number): Promise<void> {
  await until(
    'that',
    async () => {
      const { waiting, next } = await house.deps.db
        .selectFrom('deliveries')
        .select((eb) => [
          eb.fn.min('wake_at').as('next'),
          eb.fn.countAll<number>().filterWhere('leased_until', 'is not', null).as('waiting'),
        ])
        .where('wake_at', 'is not', null)
        .executeTakeFirstOrThrow()
      if (waiting > 0 || (next !== null && next.getTime() <= now())) return false
      if (await isEnough()) return true
      if (next === null) throw new Error('nothing waits any more')
      const advance_s = Math.max(Math.ceil((next.getTime() - now()) / 1000), stepS)
      // The platform's first: nothing of ours is under way, and nothing may arrive there before it was sent.
      await control(house.practiceUrl, 'POST', '/_control/clock', { advance_s })
      aheadMs += advance_s * 1000
      await notifyWake(house.deps.db)
      return false
    },
    240_000,
  )
}

type Line = { call: string; status: number | null; at: string }
const calls = async (): Promise<Line[]> =>
  (await control(house.practiceUrl, 'GET', '/_control/calls')) as Line[] // as their README describes it

const inAMinute = (lines: readonly Line[], call: string): number => {
  const times = lines.filter((line) => line.call === call).map((line) => Date.parse(line.at))
  return Math.max(...times.map((at) => times.filter((one) => one > at - 60_000 && one <= at).length))
}

const refused = (lines: readonly Line[]): Line[] =>
  lines.filter(({ status }) => status === null || status >= 400)

describe('a burst of posts to one account', () => {
  it('of 200 trickles out within what TikTok takes in a minute, and none is refused', async () => {
    const account = await linked('tiktok')
    await makePosts(account, 200)
    startWorkers()
    const began = now()
    await letTimePass(async () => (await states())['published'] === 200, 15)

    expect(await states()).toEqual({ published: 200 })
    expect(new Set((await livePosts(house)).map(({ text }) => text)).size).toBe(200)
    const lines = await calls()
    expect(refused(lines)).toEqual([])
    expect(lines.filter(({ call }) => call === 'init')).toHaveLength(200)
    expect(inAMinute(lines, 'init')).toBeLessThanOrEqual(6)
    expect(inAMinute(lines, 'status')).toBeLessThanOrEqual(30)
    // Slower than the limit allows by no more than the reserve.
    expect(now() - began).toBeLessThan(70 * 60_000)
  }, 300_000)

  it('stops at the number that Instagram allows within a day, and goes on when there is room again', async () => {
    await control(house.practiceUrl, 'POST', '/_control/settings', { instagram_quota_total: 12 })
    const account = await linked('instagram')
    await makePosts(account, 30)
    startWorkers()
    const began = now()
    await letTimePass(async () => (await livePosts(house)).length === 12 && now() > began + 7_200_000, 10)
    expect(await states()).toEqual({ published: 12, scheduled: 18 })
    expect((await calls()).filter(({ call }) => call === 'create')).toHaveLength(12)
    expect((await calls()).filter(({ call }) => call === 'quota').length).toBeLessThan(8)

    await letTimePass(async () => (await states())['published'] === 30, 300)
    expect(refused(await calls())).toEqual([])
    const live = (await livePosts(house)).map((post) => Date.parse(post.created_at))
    for (const at of live) {
      expect(live.filter((one) => one > at - 86_400_000 && one <= at).length).toBeLessThanOrEqual(12)
    }
  }, 300_000)
})
