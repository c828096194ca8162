import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccountId } from '#contract/ids.ts'
import type { Post } from '#contract/posts.ts'
import type { Person } from '../support/test-server.ts'
import {
  control,
  linkAccount,
  livePosts,
  platformCalls,
  signUp,
  startTestServer,
  until,
  type TestServer,
} from '../support/test-server.ts'
import { delivered, postTikTok, uploadVideo } from '../support/publish.ts'
import { sampleVideo } from '../support/sample.ts'

// The server's clock stands still at first: only a webhook causes a question.
let aheadMs = 0
let standsAt: number | null = Date.now()
const now = () => standsAt ?? Date.now() + aheadMs
let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer({ worker: true, now })
})
afterAll(() => testServer.stop())

const steer = (address: string, body: object) =>
  control(testServer.practiceUrl, 'POST', `/_control/${address}`, body)
const asked = async () => (await platformCalls(testServer)).filter(({ call }) => call === 'status').length
const listNotifications = async (event: string) => {
  const parcels = (await control(testServer.practiceUrl, 'GET', '/_control/outbox')) as {
    event: string
    state: string
  }[]
  return parcels.filter((parcel) => parcel.event === event && parcel.state === 'delivered').length
}
const readHealth = async (someone: Person) => (await someone.call('listAccounts'))[0]?.health.status

async function schedule(someone: Person, accountId: AccountId, video: File): Promise<Post> {
  const local = new Intl.DateTimeFormat('sv-SE', {
    timeZone: 'Europe/Lisbon',
    dateStyle: 'short',
    timeStyle: 'short',
  }).format(now() + 600_000)
  const { video_id } = await uploadVideo(someone, video)
  return someone.call('createPost', {
    body: {
      video_id,
      text: 'Later',
      targets: [{ account_id: accountId, options: {} }],
      publish_at: { local: local.replace(' ', 'T'), timezone: 'Europe/Lisbon' },
    },
  })
}

async function pass(seconds: number): Promise<void> {
  aheadMs += seconds * 1000
  await steer('clock', { advance_s: seconds })
}

it("TikTok's webhook confirms a post at once; a removed app blocks posts until linked again", async () => {
  // Every event three times and the newest first: delivery is at least once and unordered.
  await steer('settings', { hooks_copies: 2, hooks_order: 'reversed', tiktok_processing_ms: 3_600_000 })
  const ada = await signUp(testServer)
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  const { account_id } = await linkAccount(ada, { platform: 'tiktok', brandId })

  const first = sampleVideo()
  const post = await postTikTok(ada, account_id, first)
  await delivered(ada, post, ['processing'])
  expect(await asked(), 'the clock stands still').toBe(0)
  await steer('settings', { tiktok_processing_ms: 0 })
  expect((await delivered(ada, post, ['published', 'failed'])).status).toBe('published')
  expect(await asked()).toBeGreaterThan(0)
  // A webhook that arrives during a save is made up for by polling.
  standsAt = null
  // The address of a public post is known once it is moderated.
  await until('its address', async () => (await delivered(ada, post, ['published'])).url)

  const second = sampleVideo()
  const held = await schedule(ada, account_id, second.file)
  await pass(1)
  await steer('disconnect', { platform: 'tiktok', username: 'nova' })
  await until(
    'the account to say that it must be linked again',
    async () => (await readHealth(ada)) === 'relink',
  )
  await pass(600)
  expect(await delivered(ada, held, ['blocked', 'published', 'failed'])).toMatchObject({
    status: 'blocked',
    actions: ['link_again', 'cancel'],
  })

  await pass(1)
  expect((await linkAccount(ada, { platform: 'tiktok', brandId })).account_id).toBe(account_id)
  expect((await delivered(ada, held, ['published', 'failed'])).status).toBe('published')
  expect(await readHealth(ada)).toBe('ok')
  const live = (await livePosts(testServer)).map(({ sha256 }) => sha256)
  expect(live.toSorted()).toEqual([first.sha256, second.sha256].toSorted())
})

it("Meta's webhooks mark an account for linking again and erase a person's data", async () => {
  await steer('settings', { instagram_processing_ms: 0 })
  const bo = await signUp(testServer, 'Bo')
  const { brand_id: brandId } = await bo.call('createBrand', { body: { title: 'Southwind' } })
  const { account_id } = await linkAccount(bo, { platform: 'instagram', brandId, creator: 'atlas' })
  const held = await schedule(bo, account_id, sampleVideo().file)
  await pass(1)
  await steer('disconnect', { platform: 'instagram', username: 'atlas' })
  await until(
    'the account to say that it must be linked again',
    async () => (await readHealth(bo)) === 'relink',
  )
  await pass(600)
  expect((await delivered(bo, held, ['blocked', 'published', 'failed'])).status).toBe('blocked')

  await steer('forget', { platform: 'instagram', username: 'atlas' })
  await until('the deletion', async () => (await listNotifications('delete_data')) === 1)
  expect(await bo.call('listAccounts')).toEqual([])
  const cancelled = await delivered(bo, held, ['cancelled'])
  expect(cancelled).toMatchObject({ username: null, display_name: 'Deleted account' })
})
