import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { RestoredDecision } from '#contract/deliveries.ts'
import type { AccountId, VideoId } from '#contract/ids.ts'
import type { Post } from '#contract/posts.ts'
import { openDb } from '#base/db/open.ts'
import { REASONS } from '#domain/delivery/reasons.ts'
import { FOLLOW_UP_REASONS } from '#domain/follow-up/reasons.ts'
import { delivered, schedulePost, uploadVideo } from '#test/support/publish.ts'
import { QUICK } from '#test/support/quick-worker.ts'
import {
  control,
  linkAccount,
  livePosts,
  type Person,
  signUp,
  startTestServer,
  type TestServer,
  until,
} from '#test/support/test-server.ts'
import { startDeliveryWorker, type Worker } from '../deliveries/worker/worker.ts'
import { clearStorage } from '../housekeeping.ts'
import { openDeps } from '../deps.ts'
import { startWorkers } from '../start-workers.ts'
import { workerDeps } from '../worker-deps.ts'
import { createRestoreGuard } from './restore-guard.ts'

let testServer: TestServer
let ada: Person
let account: AccountId
let video: VideoId
let worker: Worker | null = null

beforeAll(async () => {
  testServer = await startTestServer({ env: { PRACTICE_LIMITS: 'off' } })
  await control(testServer.practiceUrl, 'POST', '/_control/settings', { instagram_processing_ms: 0 })
  ada = await signUp(testServer)
  ;({ account, video } = await equip(ada))
})
afterEach(async () => {
  await worker?.stop()
  worker = null
})
afterAll(() => testServer.stop())

async function equip(person: Person): Promise<{ account: AccountId; video: VideoId }> {
  const { brand_id: brandId } = await person.call('createBrand', { body: { title: 'Northwind' } })
  const linked = await linkAccount(person, { platform: 'instagram', brandId, permissions: ['comments'] })
  return { account: linked.account_id, video: (await uploadVideo(person)).video_id }
}

async function postNow(
  text: string,
  options: Record<string, unknown> = {},
  person = ada,
  accountId = account,
): Promise<Post> {
  const { video_id } = await uploadVideo(person)
  const targets = [{ account_id: accountId, options }]
  return person.call('createPost', { body: { video_id, text, targets } })
}

/** Another process on the same data. */
const openProcess = () =>
  openDeps(testServer.config, testServer.config.databaseUrl ?? '', pino({ level: 'silent' }))

const isRestored = () => testServer.deps.restoreGuard.start('restored')

const plan = (person: Person, its: { account: AccountId; video: VideoId }, text: string): Promise<Post> =>
  schedulePost(person, { videoId: its.video, text, accountIds: [its.account], inDays: 3 })

it('planned posts are resumed together, by their user and for their user alone', async () => {
  const eve = await signUp(testServer, 'Eve')
  const ofEve = await equip(eve)
  const posts = [await plan(ada, { account, video }, 'one'), await plan(ada, { account, video }, 'two')]
  const other = await plan(eve, ofEve, 'of Eve')
  expect(await isRestored()).toContain('3 posts are held')
  expect(await ada.call('decideRestored', { body: { decision: 'resume_planned' } })).toEqual({
    decided: 2,
    missed: 0,
    missed_post_ids: [],
  })
  for (const post of posts)
    expect(await delivered(ada, post, ['scheduled'])).toMatchObject({ due_at: post.deliveries[0]?.due_at })
  expect(await delivered(eve, other, ['blocked'])).toMatchObject({ cause: 'restored' })
  expect(await ada.call('decideRestored', { body: { decision: 'resume_planned' } })).toMatchObject({
    decided: 0,
  })
})

it('one answer decides about all that is held: what is live, and what becomes of the late ones', async () => {
  const cleo = await signUp(testServer, 'Cleo')
  const its = await equip(cleo)
  const [dueThen, planned] = [
    await postNow('due then', {}, cleo, its.account),
    await plan(cleo, its, 'planned'),
  ]
  const moved = await postNow('moved', {}, cleo, its.account)
  await isRestored()
  await moveTo(cleo, moved, 3)
  const decide = (decision: RestoredDecision) => cleo.call('decideRestored', { body: { decision } })
  expect(await cleo.call('listBlockers')).toContainEqual({ kind: 'restored', posts: 3 })
  expect(await decide('live')).toMatchObject({ decided: 1 })
  expect(await delivered(cleo, dueThen, ['published'])).toMatchObject({ url: null })
  for (const post of [planned, moved])
    expect(await delivered(cleo, post, ['blocked'])).toMatchObject({ cause: 'restored' })

  const late = await postNow('not posted', {}, cleo, its.account)
  await isRestored()
  expect(await decide('not_live')).toEqual({ decided: 3, missed: 1, missed_post_ids: [late.post_id] })
  expect(await delivered(cleo, late, ['blocked'])).toMatchObject({ cause: 'missed' })
  expect(await delivered(cleo, planned, ['scheduled'])).toMatchObject({
    due_at: planned.deliveries[0]?.due_at,
  })

  await isRestored()
  expect(await decide('cancel')).toMatchObject({ decided: 3, missed: 0 })
  await delivered(cleo, late, ['cancelled'])
  await delivered(cleo, planned, ['cancelled'])
  expect(await decide('cancel')).toMatchObject({ decided: 0 })
})

async function moveTo(person: Person, { post_id: postId }: Post, inDays: number): Promise<void> {
  const { version } = await person.call('getPost', { params: { postId } })
  const local = `${new Date(Date.now() + inDays * 86_400_000).toISOString().slice(0, 10)}T10:00`
  await person.call('editPost', {
    params: { postId },
    body: { version, publish_at: { local, timezone: 'UTC' } },
  })
}

it('the operator decides for everybody, and the act is recorded', async () => {
  const eve = await signUp(testServer, 'Eve')
  const posts: [Person, Post][] = [
    [ada, await plan(ada, { account, video }, 'of the operator')],
    [eve, await plan(eve, await equip(eve), 'of another')],
  ]
  await isRestored()
  const body = { decision: 'resume_planned' } as const
  await expect(eve.call('decideAllRestored', { body })).rejects.toThrow('answered 403')
  await ada.call('decideAllRestored', { body })
  for (const [person, post] of posts) {
    await delivered(person, post, ['scheduled'])
    await person.call('deletePost', { params: { postId: post.post_id } })
  }
  expect((await ada.call('listOperatorActs', {})).items[0]).toMatchObject({
    act: 'restored_decided',
    after: body,
  })
})

it('a planned post that gets another time stays held until it is resumed', async () => {
  const post = await schedulePost(ada, { videoId: video, text: 'later', accountIds: [account], inDays: 4 })
  await isRestored()
  const local = `${new Date(Date.now() + 9 * 86_400_000).toISOString().slice(0, 10)}T10:00`
  const { version } = await ada.call('getPost', { params: { postId: post.post_id } })
  await ada.call('editPost', {
    params: { postId: post.post_id },
    body: { version, publish_at: { local, timezone: 'UTC' } },
  })
  expect(await delivered(ada, post, ['blocked'])).toMatchObject({
    cause: 'restored',
    due_at: `${local}:00.000Z`,
  })
  await ada.call('decideRestored', { body: { decision: 'resume_planned' } })
  expect(await delivered(ada, post, ['scheduled'])).toMatchObject({ due_at: `${local}:00.000Z` })
})

it('resumed posts that are still to come take no room from a late one', async () => {
  const [first, late] = [
    await plan(ada, { account, video }, 'put off'),
    await plan(ada, { account, video }, 'late'),
  ]
  await isRestored()
  const { db } = testServer.deps
  const past = (post: Post) =>
    sql`update deliveries set data = jsonb_set(data, '{dueAt}', to_jsonb(${Date.now() - 60_000}::bigint)),
    goes_out_at = now() where post_id = ${post.post_id}`.execute(db)
  await past(late)
  // A limit delayed it: it is the first in the order of the planned times.
  await sql`update deliveries set goes_out_at = now() - interval '1 hour' where post_id = ${first.post_id}`.execute(
    db,
  )
  expect(await ada.call('decideRestored', { body: { decision: 'resume_planned' } })).toMatchObject({
    missed: 0,
  })
  const { due_at: dueAt } = await delivered(ada, late, ['scheduled'])
  expect(Date.parse(dueAt ?? '')).toBeLessThan(Date.now() + 600_000)
  await ada.call('cancelDelivery', { params: { deliveryId: late.deliveries[0]?.delivery_id ?? 0 } })
})

it('a held post that its user publishes goes out once, and only then', async () => {
  const post = await postNow('publish it')
  await isRestored()
  worker = startWorkers(workerDeps(testServer.deps), QUICK)
  const [delivery] = (await ada.call('getPost', { params: { postId: post.post_id } })).deliveries
  expect(delivery).toMatchObject({ status: 'blocked', reason: { code: REASONS.restored.code } })
  await ada.call('retryDelivery', { params: { deliveryId: delivery?.delivery_id ?? 0 } })
  await delivered(ada, post, ['published'])
  expect((await livePosts(testServer)).filter(({ text }) => text === 'publish it')).toHaveLength(1)
})

it('a first comment that waited is not added by itself; its retry looks for it first', async () => {
  const post = await postNow('commented', { first_comment: 'Hello there' })
  const deliveries = startDeliveryWorker(workerDeps(testServer.deps), QUICK)
  await delivered(ada, post, ['published'])
  await deliveries.stop()
  await isRestored()
  const followUp = async () => {
    const [delivery] = (await ada.call('getPost', { params: { postId: post.post_id } })).deliveries
    return delivery?.follow_ups.find(({ kind }) => kind === 'first_comment')
  }
  expect(await followUp()).toMatchObject({
    status: 'failed',
    message: FOLLOW_UP_REASONS.restored.message,
    actions: ['retry', 'dismiss'],
  })
  const readMark = async () => {
    const { mark } = await testServer.deps.db
      .selectFrom('restore_check')
      .select('mark')
      .executeTakeFirstOrThrow()
    return mark
  }
  const before = await readMark()
  worker = startWorkers(workerDeps(testServer.deps), QUICK)
  const deliveryId = post.deliveries[0]?.delivery_id ?? 0
  await ada.call('retryFollowUp', { params: { deliveryId, kind: 'first_comment' } })
  await until('the comment', async () => (await followUp())?.status === 'done')
  const [live] = (await livePosts(testServer)).filter(({ text }) => text === 'commented')
  expect(live?.comments).toHaveLength(1)
  await worker.stop()
  expect(await readMark()).toBeGreaterThan(before)
})

it('of processes that notice it at once, one holds the posts', async () => {
  await postNow('noticed once')
  const processes = await Promise.all([openProcess(), openProcess(), openProcess()])
  try {
    await sql`update restore_check set fingerprint = jsonb_set(fingerprint, '{table}', '"1"')`.execute(
      testServer.deps.db,
    )
    const said = await Promise.all(processes.map((one) => one.restoreGuard.start(null)))
    expect(said.filter((line) => line !== null)).toEqual([
      expect.stringMatching(/\(other tables\): \d+ posts are held/),
    ])
  } finally {
    await Promise.all(processes.map((one) => one.close()))
  }
})

it('a hold that is interrupted keeps what it has held, and the next start holds the rest', async () => {
  const { db } = testServer.deps
  const before = await delivered(ada, await plan(ada, { account, video }, 'of many'), ['scheduled'])
  await sql`with more as (
      insert into posts (user_id, video_id, text)
        select user_id, video_id, 'of many ' || n from posts cross join generate_series(1, 450) n where text = 'of many' returning *)
    insert into deliveries (user_id, post_id, account_id, platform, text, options, state, data, goes_out_at, wake_at)
      select more.user_id, more.post_id, d.account_id, d.platform, more.text, d.options, d.state, d.data, d.goes_out_at, d.wake_at
      from more cross join deliveries d where d.delivery_id = ${before.delivery_id}`.execute(db)
  await sql`create function interrupt() returns trigger language plpgsql as $$
    begin raise exception 'interrupted'; end $$`.execute(db)
  await sql`create trigger interrupt before update on deliveries for each row when (old.text = 'of many 420')
    execute function interrupt()`.execute(db)
  const countHeld = async () => {
    const { rows } = await sql<{ count: number }>`select count(*) from deliveries
      where text like 'of many%' and state = 'blocked' and data ->> 'cause' = 'restored'`.execute(db)
    return rows[0]?.count
  }
  await sql`update restore_check set fingerprint = jsonb_set(fingerprint, '{table}', '"1"')`.execute(db)
  await expect(restart()).rejects.toThrow('interrupted')
  expect(await countHeld()).toBeGreaterThan(300)
  await expect(restart()).rejects.toThrow('interrupted')
  await sql`drop trigger interrupt on deliveries`.execute(db)
  expect(await restart()).toMatch(/\(other tables\): 4\d\d posts are held/)
  expect(await countHeld()).toBe(451)
  expect(await restart()).toBeNull()
})

it('files of which the restored data know nothing are kept', async () => {
  const { deps } = testServer
  const stray = await deps.storage.put(Readable.from([Buffer.from('of the other copy')]), { maxBytes: 100 })
  await isRestored()
  await clearStorage({ ...deps, now: () => Date.now() + 25 * 3_600_000 })
  expect(await deps.storage.stat(stray.key)).not.toBeNull()
})

async function restart(): Promise<string | null> {
  const deps = await openProcess()
  try {
    return await deps.restoreGuard.start(null)
  } finally {
    await deps.close()
  }
}

it('facts that this database cannot tell are left out, and stored once it can', async () => {
  const admin = new URL(process.env['TEST_DATABASE_URL'] ?? '')
  admin.pathname = new URL(testServer.config.databaseUrl ?? '').pathname
  const db = openDb(admin.href, { connections: 1 })
  const factOf = async () => {
    const { fingerprint } = await testServer.deps.db
      .selectFrom('restore_check')
      .select('fingerprint')
      .executeTakeFirstOrThrow()
    return (fingerprint as { system: string | null }).system // as `fingerprint.ts` stores it
  }
  try {
    await sql`alter function pg_control_system() rename to pg_control_hidden`.execute(db)
    await sql`update restore_check set fingerprint = jsonb_set(fingerprint, '{system}', 'null')`.execute(db)
    expect(await restart()).toBeNull()
    expect(await factOf()).toBeNull()
    await sql`alter function pg_control_hidden() rename to pg_control_system`.execute(db)
    expect(await restart()).toBeNull()
    expect(await factOf()).toMatch(/^\d+$/)
  } finally {
    await db.destroy()
  }
})

it('a mark that is made while a claim waits for its answer is no sign of a restore', async () => {
  const post = await plan(ada, { account, video }, 'not restored')
  const { deps } = testServer
  const asked = Promise.withResolvers<void>()
  const marked = Promise.withResolvers<void>()
  let waits = false
  const db = deps.db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (!waits || !result.rows.some((row) => 'has_keys' in row)) return result
      waits = false
      asked.resolve()
      await marked.promise
      return result
    },
  })
  const { overdueGraceMs } = testServer.config
  const guard = createRestoreGuard({ ...deps, db, overdueGraceMs, folders: [], clusterFile: null })
  await guard.start(null)
  waits = true
  const claim = guard.beforeClaim()
  await asked.promise
  guard.noteWork()
  await guard.stop() // marks
  marked.resolve()
  await claim
  const { deliveries } = await ada.call('getPost', { params: { postId: post.post_id } })
  expect(deliveries).toMatchObject([{ status: 'scheduled' }])
})

it('nothing is claimed while a restore is still writing', async () => {
  const { db, restoreGuard } = testServer.deps
  await sql`alter table deliveries drop constraint deliveries_pkey cascade`.execute(db)
  await expect(restoreGuard.beforeClaim()).rejects.toThrow('The database is being restored')
  expect(restoreGuard.waitsFor()).toContain('The database is being restored')
})
