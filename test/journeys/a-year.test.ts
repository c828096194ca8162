import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Account } from '#contract/accounts.ts'
import { PLATFORM_IDS, type PlatformId } from '#contract/platforms/index.ts'
import { getAccess, refreshDue, withAccess } from '#server/accounts/access.ts'
import { workerDeps } from '#server/worker-deps.ts'
import { startDeliveryWorker } from '#server/deliveries/worker/worker.ts'
import { openDb } from '#base/db/open.ts'
import { QUICK } from '../support/quick-worker.ts'
import {
  control,
  type TestServer,
  linkAccount,
  livePosts,
  platformCalls,
  signIn,
  signUp,
  startTestServer,
} from '../support/test-server.ts'
import { delivered, postInstagram, postTikTok, postYouTube } from '../support/publish.ts'
import { sampleVideo } from '../support/sample.ts'

const DAY_MS = 86_400_000
const DAYS = 365

let testServer: TestServer
let aheadMs = 0
beforeAll(async () => {
  testServer = await startTestServer({ now: () => Date.now() + aheadMs })
})
afterAll(() => testServer.stop())

/** Deterministic, so that a failure can be reproduced. */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const FAULTS = ['drop_before', 'drop_after', 'status_500', 'status_500_after', 'html_502'] as const

/** TikTok's refresh tokens stay, or end when the next pair is first used. */
const rotate = (tiktok_refresh_rotation: 'never' | 'on_use') =>
  control(testServer.practiceUrl, 'POST', '/_control/settings', { tiktok_refresh_rotation })

it('no account is lost in a year with lost answers and outages, with or without posts', async () => {
  const ada = await signUp(testServer)
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  const accounts: (Account & { posts: boolean })[] = []
  for (const platform of PLATFORM_IDS) {
    for (const [n, creator] of ['year1', 'year2', 'year3'].entries()) {
      await control(testServer.practiceUrl, 'POST', '/_control/accounts', { platform, username: creator })
      accounts.push({ ...(await linkAccount(ada, { platform, brandId, creator })), posts: n === 0 })
    }
  }

  const active = accounts.filter(({ posts }) => posts)
  const random = dice(7)
  let outageEnds = 1
  const other = openDb(testServer.env['DATABASE_URL'] ?? '')
  const processes = [testServer.deps, { ...testServer.deps, db: other }]
  try {
    for (let day = 1; day <= DAYS; day++) {
      aheadMs += DAY_MS
      await control(testServer.practiceUrl, 'POST', '/_control/clock', { advance_s: DAY_MS / 1000 })
      if (day === 1) await rotate('never')
      if (day === 150) await rotate('on_use')
      if (day >= outageEnds) {
        await control(testServer.practiceUrl, 'DELETE', '/_control/faults')
        if (random() < 0.2) outageEnds = day + (await beginOutage(random))
      }
      await Promise.all(processes.map((deps) => refreshDue(deps, 100)))
      await Promise.all(active.map(({ account_id, platform }) => use(account_id, platform)))
    }
  } finally {
    await other.destroy()
  }

  await control(testServer.practiceUrl, 'DELETE', '/_control/faults')
  for (const { account_id } of accounts) await getAccess(testServer.deps, account_id)
  const adaAgain = await signIn(testServer, ada.email)
  for (const { username, health } of await adaAgain.call('listAccounts')) {
    expect([username, health.status]).toEqual([username, 'ok'])
  }
  const idle = (await platformCalls(testServer)).filter(
    ({ platform, call, account }) => platform === 'tiktok' && call === 'refresh' && account === 'year2',
  ).length
  expect(idle, 'weekly, and again after a vain try').toBeGreaterThanOrEqual(52)
  expect(idle).toBeLessThan(80)

  const worker = startDeliveryWorker(workerDeps(testServer.deps), QUICK)
  try {
    const post = { tiktok: postTikTok, instagram: postInstagram, youtube: postYouTube }
    for (const { account_id, platform } of accounts) {
      const made = await post[platform](adaAgain, account_id, sampleVideo())
      expect((await delivered(adaAgain, made, ['published', 'failed', 'blocked'])).status).toBe('published')
    }
  } finally {
    await worker.stop()
  }
  expect(await livePosts(testServer)).toHaveLength(accounts.length)
})

async function beginOutage(random: () => number): Promise<number> {
  const platform = PLATFORM_IDS[Math.floor(random() * PLATFORM_IDS.length)]
  const fault = FAULTS[Math.floor(random() * FAULTS.length)]
  await control(testServer.practiceUrl, 'POST', '/_control/faults', {
    platform,
    call: 'refresh',
    fault,
    times: 1_000_000,
  })
  return 1 + Math.floor(random() * 4)
}

/** Network errors are tolerated; the next day tries again. */
async function use(accountId: number, platformId: PlatformId): Promise<void> {
  const platform = testServer.deps.platforms[platformId]
  if (!platform) throw new Error(`${platformId} is on in tests`)
  const options = await withAccess(testServer.deps, accountId, (access) => platform.options(access))
  if (!options.ok) expect(options.failure).toMatchObject({ kind: 'unreachable' })
}
