import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  control,
  linkAccount,
  livePosts,
  signUp,
  startTestServer,
  type TestServer,
} from '../support/test-server.ts'
import { delivered, postTikTok } from '../support/publish.ts'
import { sampleVideo } from '../support/sample.ts'

let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer({ worker: true })
})
afterAll(() => testServer.stop())

it('an account whose renewed access is refused must be linked again; then its post goes out', async () => {
  const ada = await signUp(testServer)
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  const { account_id } = await linkAccount(ada, { platform: 'tiktok', brandId })
  await control(testServer.practiceUrl, 'POST', '/_control/faults', {
    platform: 'tiktok',
    call: 'creator_info',
    fault: 'token_expired',
    times: 2,
  })
  const sample = sampleVideo()
  const post = await postTikTok(ada, account_id, sample)

  const held = await delivered(ada, post, ['blocked', 'published', 'failed'])
  expect(held).toMatchObject({ status: 'blocked', actions: ['link_again', 'cancel'] })
  expect(await ada.call('listAccounts')).toMatchObject([{ health: { status: 'relink' } }])

  const again = await linkAccount(ada, { platform: 'tiktok', brandId })
  expect(again).toMatchObject({ account_id, health: { status: 'ok' } })
  expect((await delivered(ada, post, ['published', 'failed'])).status).toBe('published')
  const live = (await livePosts(testServer)).filter((one) => one.sha256 === sample.sha256)
  expect(live).toHaveLength(1)
})
