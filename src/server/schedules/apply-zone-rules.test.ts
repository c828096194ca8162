import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccountId, PostId, VideoId } from '#contract/ids.ts'
import { explainScans } from '#test/support/database/explain.ts'
import { uploadVideo } from '#test/support/publish.ts'
import {
  linkAccount,
  type Person,
  signUp,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'
import { applyZoneRules, postsToCome } from './apply-zone-rules.ts'

const NOW = Date.parse('2027-03-15T10:00:00Z')
const HOUR_MS = 3_600_000
const running = new AbortController().signal

let testServer: TestServer
let ada: Person
let account_id: AccountId
let video_id: VideoId
beforeAll(async () => {
  testServer = await startTestServer({ now: () => NOW })
  ada = await signUp(testServer)
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  account_id = (await linkAccount(ada, { platform: 'tiktok', brandId })).account_id
  video_id = (await uploadVideo(ada)).video_id
})
afterAll(() => testServer.stop())

const schedule = async (local: string, timezone: string): Promise<PostId> => {
  const targets = [{ account_id, options: {} }]
  const publish_at = { local, timezone }
  const body = { video_id, text: 'Hello', targets, publish_at }
  return (await ada.call('createPost', { body })).post_id
}

/** As if the post was made by rules by which its clock is an hour behind. */
const makeByOtherRules = (postId: PostId) =>
  testServer.deps.db.transaction().execute(async (trx) => {
    await sql`update posts set publish_at = publish_at + interval '1 hour' where post_id = ${postId}`.execute(
      trx,
    )
    await sql`update deliveries set goes_out_at = goes_out_at + interval '1 hour', wake_at = wake_at + interval '1 hour',
      data = jsonb_set(data, '{dueAt}', to_jsonb((data ->> 'dueAt')::bigint + ${HOUR_MS}::bigint))
      where post_id = ${postId}`.execute(trx)
  })

async function seen(postId: PostId) {
  const { publish_at, deliveries, events, version } = await ada.call('getPost', { params: { postId } })
  return { publish_at, due_at: deliveries[0]?.due_at, line: events.at(-1)?.message, version }
}

it('moves a post with its wall clock when the rules of its zone change, once', async () => {
  const [moved, kept, skipped] = [
    await schedule('2027-04-01T18:00', 'Europe/Lisbon'),
    await schedule('2027-04-01T18:00', 'America/New_York'),
    // The clocks leap over it: its instant never shows this time.
    await schedule('2027-03-28T01:30', 'Europe/Lisbon'),
  ]
  await makeByOtherRules(moved)
  const before = [await seen(kept), await seen(skipped)]
  await applyZoneRules(testServer.deps, running)
  const at = '2027-04-01T17:00:00.000Z'
  const line = 'The clock rules of Europe/Lisbon have changed. It still goes out at 18:00 there.'
  expect(await seen(moved)).toEqual({ publish_at: at, due_at: at, line, version: 2 })
  await applyZoneRules(testServer.deps, running)
  expect(await seen(moved)).toMatchObject({ version: 2 })
  expect([await seen(kept), await seen(skipped)]).toEqual(before)
})

it('goes through all posts to come by an index, some at a time', async () => {
  const { db } = testServer.deps
  const user = await ada.call('getUser')
  await sql`insert into posts (user_id, video_id, text, publish_at, publish_local, timezone)
    select ${user.user_id}, ${video_id}, '', timestamptz '2027-05-01 12:00Z' + i * interval '1 minute',
      to_char(timestamp '2027-05-01 12:00' + i * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI'), 'Asia/Nowhere'
    from generate_series(1, 3000) i`.execute(db)
  await sql`insert into posts (user_id, video_id, text, publish_at, publish_local, timezone)
    select ${user.user_id}, ${video_id}, '', timestamptz '2026-05-01 12:00Z', '2026-05-01T12:00', 'UTC'
    from generate_series(1, 3000)`.execute(db)
  await sql`analyze posts`.execute(db)
  const last = await schedule('2027-06-01T18:00', 'Europe/Lisbon')
  await makeByOtherRules(last)
  await applyZoneRules(testServer.deps, running)
  expect(await seen(last)).toMatchObject({ publish_at: '2027-06-01T17:00:00.000Z' })
  const page = postsToCome({ publish_at: new Date('2027-05-02T12:00Z'), post_id: 0 }, 500)
  const [scan] = await explainScans(db, page.compile(db))
  expect(scan).toMatchObject({ table: 'posts', rows: 500 })
})
