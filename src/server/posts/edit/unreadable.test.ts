import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccountId, BrandId, PostId } from '#contract/ids.ts'
import type { Queue } from '#contract/planning/queues.ts'
import { uploadVideo } from '#test/support/publish.ts'
import {
  linkAccount,
  type Person,
  signUp,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'

const WEEK = [1, 2, 3, 4, 5, 6, 7]

let testServer: TestServer
let ada: Person
let brand_id: BrandId
let account_id: AccountId
let queue: Queue
let unreadable: PostId
let other: PostId

beforeAll(async () => {
  testServer = await startTestServer()
  ada = await signUp(testServer)
  brand_id = (await ada.call('createBrand', { body: { title: 'Northwind' } })).brand_id
  account_id = (await linkAccount(ada, { platform: 'instagram', brandId: brand_id })).account_id
  const { video_id } = await uploadVideo(ada)
  queue = await ada.call('createQueue', { body: { brand_id, name: 'Mornings', slots: slotsAt('08:00') } })
  const makePost = async () => {
    const targets = [{ account_id, options: {} }]
    const place = { queue_id: queue.queue_id, place: 'next' as const }
    return (await ada.call('createPost', { body: { video_id, text: 'Hello', targets, queue: place } }))
      .post_id
  }
  unreadable = await makePost()
  other = await makePost()
  const data = JSON.stringify({ attempt: 'of a later version', cause: 'paused' })
  await sql`update deliveries set data = ${data} where post_id = ${unreadable}`.execute(testServer.deps.db)
})
afterAll(() => testServer.stop())

const slotsAt = (time: string) => WEEK.map((weekday) => ({ weekday, time, platforms: null }))

const send = (method: string, address: string, content: object) =>
  ada.request(address, {
    method,
    body: JSON.stringify(content),
    headers: { 'content-type': 'application/json' },
  })

const week = { name: 'Mornings', slots: slotsAt('09:00'), jitter_minutes: 0, version: 1 }
const CALLS: [string, number, () => Promise<Response>][] = [
  ['moving it', 409, () => send('PATCH', `/posts/${unreadable}`, { version: 1, publish_at: null })],
  [
    'its place',
    409,
    () => send('POST', `/posts/${unreadable}/queue`, { queue_id: queue.queue_id, place: 'top' }),
  ],
  ['deleting it', 409, () => ada.request(`/posts/${unreadable}`, { method: 'DELETE' })],
  [
    'another one before it',
    200,
    () => send('POST', `/posts/${other}/queue`, { queue_id: queue.queue_id, place: 'top' }),
  ],
  ['a preview', 200, () => send('POST', `/queues/${queue.queue_id}/preview`, week)],
  ['another zone', 200, () => send('PUT', '/brands', { brand_id, title: 'Northwind', timezone: 'UTC' })],
  ['a pause', 200, () => send('PUT', `/brands/${brand_id}/pause`, { paused: true })],
  ['a resume', 200, () => send('PUT', `/brands/${brand_id}/pause`, { paused: false })],
]

it.each(CALLS)('a post that this version cannot read breaks nothing: %s', async (name, status, call) => {
  await sql`update deliveries set state = ${name === 'a resume' ? 'blocked' : 'scheduled'}
    where post_id = ${unreadable}`.execute(testServer.deps.db)
  const answer = await call()
  expect([answer.status, answer.ok ? '' : await answer.text()]).toEqual([status, expect.any(String)])
})
