import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { Post } from '#contract/posts.ts'
import { control, linkAccount, livePosts, signUp, startHouse, type House, type Person } from '../harness.ts'
import { delivered } from '../publish.ts'
import { sampleVideo, type Sample } from '../sample.ts'
import { startWorkerProcess } from './workers.ts'

export type Kill = {
  /** The point at which the first worker dies; or each of several workers, one after the other. */
  readonly at: string | readonly string[]
  readonly skip?: number
  readonly bytes?: number
}

/**
 * A worker is killed dead at each point, and a second one takes the delivery over: it is live exactly once, with every
 * byte, within a minute.
 */
export function describeTakeover(
  platform: PlatformId,
  send: (someone: Person, accountId: number, sample: Sample) => Promise<Post>,
  kills: readonly Kill[],
): void {
  describe(`a worker killed while it posts to ${platform}`, () => {
    let house: House
    let ada: Person
    let account: number
    beforeAll(async () => {
      house = await startHouse({ env: { PRACTICE_LIMITS: 'off' } })
      // Many posts to one account within a minute are this test's doing, not what it is about.
      await control(house.practiceUrl, 'POST', '/_control/settings', { tiktok_rate_limits: false })
      ada = await signUp(house)
      const brand = await ada.call('createBrand', { body: { title: 'Northwind' } })
      account = (await linkAccount(ada, { platform, brandId: brand.brand_id })).account_id
    })
    afterAll(() => house.stop())

    for (const kill of kills) {
      const points = [kill.at].flat()
      const nth = kill.skip ? `, the ${kill.skip + 1}th time,` : ''
      it(`at "${points.join('" and "')}"${nth} loses nothing and doubles nothing`, async () => {
        const sample = sampleVideo(kill.bytes)
        const post = await send(ada, account, sample)
        for (const at of points) {
          const doomed = await startWorkerProcess(house, { at, ...(kill.skip && { skip: kill.skip }) })
          expect(await doomed.ended).toBe('SIGKILL')
        }

        const killedAt = Date.now()
        const heir = await startWorkerProcess(house)
        try {
          const ends = ['published', 'failed', 'blocked', 'cancelled'] as const
          expect(await delivered(ada, post, ends)).toMatchObject({ status: 'published' })
          expect(Date.now() - killedAt).toBeLessThan(60_000)
        } finally {
          await heir.stop()
        }
        const live = (await livePosts(house)).filter((one) => one.sha256 === sample.sha256)
        expect(live).toHaveLength(1)
      }, 180_000)
    }
  })
}
