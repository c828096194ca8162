import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Account } from '#contract/accounts.ts'
import type { Delivery } from '#contract/deliveries.ts'
import { QUICK } from '#test/support/quick-worker.ts'
import {
  control,
  linkAccount,
  type Person,
  platformCalls,
  signUp,
  startTestServer,
  type TestServer,
  until,
} from '#test/support/test-server.ts'
import { uploadVideo } from '#test/support/publish.ts'
import type { Worker } from '../deliveries/worker/worker.ts'
import { startWorkers } from '../start-workers.ts'
import { workerDeps } from '../worker-deps.ts'

let testServer: TestServer
let ada: Person
let account: Account
let worker: Worker
let aheadMs = 0

beforeAll(async () => {
  testServer = await startTestServer({ env: { PRACTICE_LIMITS: 'off' }, now: () => Date.now() + aheadMs })
  // TikTok's own word comes by webhook, too; here it is asked.
  await control(testServer.practiceUrl, 'POST', '/_control/settings', {
    tiktok_processing_ms: 0,
    tiktok_moderation_ms: 300_000,
    hooks: 'off',
  })
  ada = await signUp(testServer)
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  account = await linkAccount(ada, { platform: 'tiktok', brandId })
  worker = startWorkers(workerDeps(testServer.deps), QUICK)
})
afterAll(async () => {
  await worker.stop()
  await testServer.stop()
})

async function publish(privacy_level: string): Promise<Delivery> {
  const { video_id } = await uploadVideo(ada)
  const targets = [{ account_id: account.account_id, options: { privacy_level } }]
  const { post_id } = await ada.call('createPost', { body: { video_id, text: privacy_level, targets } })
  return until('the post to be live', async () => {
    const { deliveries } = await ada.call('getPost', { params: { postId: post_id } })
    return deliveries[0]?.status === 'published' && deliveries[0]
  })
}

const read = async ({ post_id }: Delivery) => {
  const { deliveries, events } = await ada.call('getPost', { params: { postId: post_id } })
  const [delivery] = deliveries
  return { ...delivery, link: delivery?.follow_ups[0], told: events.map(({ message }) => message) }
}

const timesAsked = async () =>
  (await platformCalls(testServer)).filter(({ call }) => call === 'status').length

async function advance(ms: number): Promise<void> {
  // The platform's first: what is asked between the two would get the answer of before, and wait.
  await control(testServer.practiceUrl, 'POST', '/_control/clock', { advance_s: ms / 1000 })
  aheadMs += ms
  await sql`select pg_notify('reelay_wake', '')`.execute(testServer.deps.db)
}

it('a link that is not known yet is asked for, told in the timeline, and then shown', async () => {
  const live = await publish('PUBLIC_TO_EVERYONE')
  expect(live).toMatchObject({
    url: null,
    follow_ups: [{ kind: 'public_link', status: 'waiting', needs_attention: false, actions: [] }],
  })
  const before = await timesAsked()
  await advance(61_000)
  const asked = await until('the first question', async () => {
    const seen = await read(live)
    return seen.told.includes('The platform has not shared the link to the post yet.') && seen
  })
  expect(asked).toMatchObject({ status: 'published', url: null, attempt: 1 })
  expect(await timesAsked()).toBe(before + 1)
  await advance(900_000)
  const known = await until('the link', async () => {
    const seen = await read(live)
    return typeof seen.url === 'string' && seen.told.at(-1) === 'Link to the post found.' && seen
  })
  expect(known).toMatchObject({ status: 'published', link: { status: 'done' }, updated_at: live.updated_at })
})

it('a link that nobody asks for any more needs nobody, and is asked for on retry', async () => {
  const live = await publish('PUBLIC_TO_EVERYONE')
  const { db } = testServer.deps
  const days = 30.5 * 86_400_000
  await db
    .updateTable('follow_ups')
    .set((eb) => ({
      data: sql`data || jsonb_build_object('since', (data ->> 'since')::float8 - ${days}::float8)`,
      wake_at: new Date(0),
      version: eb('version', '+', 1),
    }))
    .where('delivery_id', '=', live.delivery_id)
    .execute()
  await advance(0)
  const over = await until('the end of the questions', async () => {
    const seen = await read(live)
    return seen.link?.status === 'failed' && seen
  })
  expect(over).toMatchObject({ status: 'published', link: { needs_attention: false, actions: ['retry'] } })
  expect((await ada.call('getOverview')).attention.total).toBe(0)
  await advance(900_000)
  const params = { deliveryId: live.delivery_id, kind: 'public_link' as const }
  await ada.call('retryFollowUp', { params })
  await until('the link', async () => typeof (await read(live)).url === 'string')
})

it('a post that gets no link has no question for one', async () => {
  expect((await publish('SELF_ONLY')).follow_ups).toEqual([])
})

const was = (url: string | null): string =>
  JSON.stringify({ attempt: 1, at: 1000, postId: null, url, locates: 3 })

it('the migration moves pending questions to follow-ups, and keeps known links', async () => {
  const [pending, known] = [await publish('SELF_ONLY'), await publish('SELF_ONLY')]
  const { db } = testServer.deps
  for (const [{ delivery_id }, url] of [
    [pending, null],
    [known, 'https://x/1'],
  ] as const) {
    await sql`update deliveries set data = ${was(url)}::jsonb, wake_at = now() + interval '9 years'
      where delivery_id = ${delivery_id}`.execute(db)
  }
  const file = (await readdir('migrations')).find((name) => name.endsWith('_pending_links.sql')) ?? ''
  for (const statement of (await readFile(path.join('migrations', file), 'utf8')).split(';').slice(0, -1)) {
    await sql.raw(statement).execute(db)
  }
  expect(await read(pending)).toMatchObject({ url: null, link: { status: 'waiting' }, attempt: 1 })
  expect(await read(known)).toMatchObject({ url: 'https://x/1', follow_ups: [] })
  const left = sql`select from deliveries where state = 'published' and wake_at is not null`.execute(db)
  expect((await left).rows).toEqual([])
})
