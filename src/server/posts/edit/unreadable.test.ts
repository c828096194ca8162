import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccountId, BrandId, PostId } from '#contract/ids.ts'
import type { Schedule } from '#contract/planning/schedules.ts'
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
let schedule: Schedule
let unreadable: PostId
let other: PostId

beforeAll(async () => {
  testServer = await startTestServer()
  ada = await signUp(testServer)
  brand_id = (await ada.call('createBrand', { body: { title: 'Northwind' } })).brand_id
  account_id = (await linkAccount(ada, { platform: 'instagram', brandId: brand_id })).account_id
  const { video_id } = await uploadVideo(ada)
  schedule = await ada.call('createSchedule', {
    body: { brand_id, name: 'Mornings', slots: slotsAt('08:00') },
  })
  const makePost = async () => {
    const targets = [{ account_id, options: {} }]
    const place = { schedule_id: schedule.schedule_id, place: 'next' as const }
    return (await ada.call('createPost', { body: { video_id, text: 'Hello', targets, schedule: place } }))
      .post_id
  }
  unreadable = await makePost()
  other = await makePost()
  const data = JSON.stringify({ attempt: 1, repeats: 'of a later version', cause: 'paused' })
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

/** All that is stored of a post that goes to one account. */
async function stored(postId: PostId): Promise<unknown> {
  const { rows } = await sql`select to_jsonb(posts) as post, to_jsonb(deliveries) as delivery
    from posts join deliveries using (post_id) where post_id = ${postId}`.execute(testServer.deps.db)
  return rows[0]
}

/** Makes the call, which leaves the post as it is. */
async function answerOf(call: () => Promise<Response>) {
  const before = await stored(unreadable)
  const answer = await call()
  expect(await stored(unreadable)).toEqual(before)
  const content: unknown = await answer.json()
  return { status: answer.status, content }
}

const REFUSED: [string, () => Promise<Response>][] = [
  ['moving it', () => send('PATCH', `/posts/${unreadable}`, { version: 1, publish_at: null })],
  [
    'giving it a slot',
    () =>
      send('PATCH', `/posts/${unreadable}`, {
        version: 1,
        schedule: { schedule_id: schedule.schedule_id, place: 'top' },
      }),
  ],
  ['deleting it', () => ada.request(`/posts/${unreadable}`, { method: 'DELETE' })],
]

it.each(REFUSED)('a post that this version cannot read is left alone: %s is refused', async (_, call) => {
  expect(await answerOf(call)).toMatchObject({ status: 409, content: { code: 'in_flight' } })
})

it('another post cannot take the slot of one that this version cannot read', async () => {
  const place = { schedule_id: schedule.schedule_id, place: 'top' }
  const call = () => send('PATCH', `/posts/${other}`, { version: 1, schedule: place })
  const { goes_out_at: second } = await ada.call('getPost', { params: { postId: other } })
  expect(await answerOf(call)).toMatchObject({ status: 200, content: { version: 2, goes_out_at: second } })
})

it('other times of the schedule move the other post only', async () => {
  const week = { name: 'Mornings', slots: slotsAt('09:00'), jitter_minutes: 0, version: 1 }
  const { status, content } = await answerOf(() =>
    send('POST', `/schedules/${schedule.schedule_id}/preview`, week),
  )
  expect([status, content]).toMatchObject([200, { moves: [{ post_id: other }] }])
})

it('another time zone of the brand moves the other post only', async () => {
  const brand = { brand_id, title: 'Northwind', timezone: 'Asia/Tokyo', moves: 1 }
  expect(await answerOf(() => send('PUT', '/brands', brand))).toMatchObject({ status: 200 })
  const { goes_out_at: at } = await ada.call('getPost', { params: { postId: other } })
  expect(at).toMatch(/T23:00/) // eight in the morning there
})

it('a pause and its end leave a post alone that this version cannot read', async () => {
  const address = `/brands/${brand_id}/pause`
  expect(await answerOf(() => send('PUT', address, { paused: true }))).toMatchObject({
    status: 200,
    content: { paused: true },
  })
  await sql`update deliveries set state = 'blocked' where post_id = ${unreadable}`.execute(testServer.deps.db)
  expect(await answerOf(() => send('PUT', address, { paused: false }))).toEqual({
    status: 200,
    content: { paused: false, released: 0, missed: 0, missed_post_ids: [] },
  })
})
