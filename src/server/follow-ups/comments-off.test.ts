import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Account } from '#contract/accounts.ts'
import type { FollowUp } from '#contract/deliveries.ts'
import { startFastClock } from '#test/support/quick-worker.ts'
import {
  control,
  linkAccount,
  livePosts,
  type Person,
  platformCalls,
  signUp,
  startTestServer,
  type TestServer,
  until,
} from '#test/support/test-server.ts'
import { uploadVideo } from '#test/support/publish.ts'

let testServer: TestServer
let ada: Person
let brandId: number
let nova: Account

beforeAll(async () => {
  testServer = await startTestServer({ worker: true, env: { PRACTICE_LIMITS: 'off' }, now: startFastClock() })
  ada = await signUp(testServer)
  brandId = (await ada.call('createBrand', { body: { title: 'Northwind' } })).brand_id
  nova = await linkAccount(ada, { platform: 'instagram', brandId, permissions: ['comments'] })
  await control(testServer.practiceUrl, 'POST', '/_control/settings', { instagram_processing_ms: 0 })
})
afterEach(() => control(testServer.practiceUrl, 'DELETE', '/_control/faults'))
afterAll(() => testServer.stop())

const fault = (how: object) =>
  control(testServer.practiceUrl, 'POST', '/_control/faults', {
    platform: 'instagram',
    call: 'comment_setting',
    ...how,
  })

async function post(text: string, options: object = {}, account: Account = nova) {
  const { video_id } = await uploadVideo(ada)
  const targets = [{ account_id: account.account_id, options: { comment_enabled: false, ...options } }]
  return ada.call('createPost', { body: { video_id, text, targets } })
}

type Made = Awaited<ReturnType<typeof post>>

const becomes = ({ post_id }: Made, status: FollowUp['status']) =>
  until(`the comments of post ${post_id} to be ${status}`, async () => {
    const { deliveries } = await ada.call('getPost', { params: { postId: post_id } })
    const found = deliveries[0]?.follow_ups.find(({ kind }) => kind === 'comments_off')
    return found?.status === status && found
  })

const isOff = async (text: string) =>
  (await livePosts(testServer)).find((live) => live.text === text)?.comments_off === true

it('comments are turned off once the post is live, and the timeline says so', async () => {
  const made = await post('quiet')
  expect(await becomes(made, 'done')).toMatchObject({ message: 'Comments are off.', actions: [] })
  expect(await isOff('quiet')).toBe(true)
  const { events, deliveries } = await ada.call('getPost', { params: { postId: made.post_id } })
  expect(events.map(({ message }) => message)).toContain('Comments are off.')
  expect(deliveries[0]).toMatchObject({ status: 'published', attempt: 1 })
})

it.each(['drop_before', 'drop_after', 'status_500', 'html_502'])(
  'a call that turns comments off is repeated after %s',
  async (kind) => {
    await fault({ fault: kind })
    await becomes(await post(kind), 'done')
    expect(await isOff(kind)).toBe(true)
    expect((await platformCalls(testServer)).filter(({ fault: struck }) => struck === kind)).toHaveLength(1)
  },
)

it('what Instagram refuses needs attention, ends nothing else, and can be retried', async () => {
  await fault({ fault: 'error', code: 10, status: 403 })
  const made = await post('refused')
  expect(await becomes(made, 'failed')).toMatchObject({
    needs_attention: true,
    actions: ['retry', 'dismiss'],
  })
  expect((await ada.call('getOverview')).attention.total).toBe(1)
  const [account] = await ada.call('listAccounts', {})
  expect(account?.health).toEqual({ status: 'ok' })
  const deliveryId = made.deliveries[0]?.delivery_id
  if (deliveryId === undefined) throw new Error('a post without a delivery')
  await ada.call('retryFollowUp', { params: { deliveryId, kind: 'comments_off' } })
  await becomes(made, 'done')
  expect(await isOff('refused')).toBe(true)
  expect((await ada.call('getOverview')).attention.total).toBe(0)
})

it('a first comment and comments that are off are refused together', async () => {
  await expect(post('both', { first_comment: 'First!' })).rejects.toThrow(
    'Nobody sees a first comment while comments are off.',
  )
})

it('turning comments off needs the permission, and leaving them on does not', async () => {
  const atlas = await linkAccount(ada, { platform: 'instagram', brandId, creator: 'atlas' })
  await expect(post('not allowed', {}, atlas)).rejects.toThrow('@atlas did not allow comments.')
  const made = await post('allowed', { comment_enabled: true }, atlas)
  expect(made.deliveries[0]?.status).toBe('scheduled')
})
