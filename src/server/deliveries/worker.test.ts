import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { control, type House, linkAccount, type Person, QUICK, signUp, startHouse } from '#test/harness.ts'
import { delivered, postInstagram, postTikTok } from '#test/publish.ts'
import { sampleVideo } from '#test/sample.ts'
import { workerDeps } from './wiring.ts'
import { startWorker } from './worker.ts'

let house: House
let ada: Person
beforeAll(async () => {
  house = await startHouse()
  ada = await signUp(house)
})
afterAll(() => house.stop())

it('a delivery that cannot be read holds up none of those that are due with it', async () => {
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  const tiktok = await linkAccount(ada, { platform: 'tiktok', brandId })
  const instagram = await linkAccount(ada, { platform: 'instagram', brandId })
  await control(house.practiceUrl, 'POST', '/_control/settings', { instagram_processing_ms: 0 })
  const unreadable = await postTikTok(ada, tiktok.account_id, sampleVideo())
  const post = await postInstagram(ada, instagram.account_id, sampleVideo())
  await house.deps.db
    .updateTable('deliveries')
    .set({
      state: 'preparing',
      data: JSON.stringify({ attempt: 1, sent: 0, tries: 0, commits: 0, reason: null }),
      session: randomBytes(60),
    })
    .where('post_id', '=', unreadable.post_id)
    .execute()
  const worker = startWorker(workerDeps(house.deps), QUICK)
  try {
    expect(await delivered(ada, post, ['published'], 15_000)).toMatchObject({ status: 'published' })
  } finally {
    await worker.stop()
  }
})
