import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Account } from '#contract/accounts.ts'
import type { Delivery, FollowUp } from '#contract/deliveries.ts'
import type { Post } from '#contract/posts.ts'
import { cutWaiting, whileLocked } from '#test/support/lock-waits.ts'
import { QUICK, startFastClock } from '#test/support/quick-worker.ts'
import {
  consent,
  control,
  type LivePost,
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
import { startStoppableWorker } from '#test/support/stoppable-worker.ts'
import type { Worker } from '../deliveries/worker/worker.ts'
import { startWorkers } from '../start-workers.ts'
import { workerDeps } from '../worker-deps.ts'

let testServer: TestServer
let ada: Person
let brandId: number
let nova: Account
let worker: Pick<Worker, 'stop'> | null = null

const now = startFastClock()
beforeAll(async () => {
  testServer = await startTestServer({ env: { PRACTICE_LIMITS: 'off' }, now })
  ada = await signUp(testServer)
  brandId = (await ada.call('createBrand', { body: { title: 'Northwind' } })).brand_id
  nova = await linkAccount(ada, { platform: 'instagram', brandId, permissions: ['comments'] })
  await control(testServer.practiceUrl, 'POST', '/_control/settings', { instagram_processing_ms: 0 })
})
afterEach(async () => {
  await worker?.stop()
  worker = null
  await control(testServer.practiceUrl, 'DELETE', '/_control/faults')
})
afterAll(() => testServer.stop())

const work = (crashPoint?: (name: string) => Promise<void>) => {
  worker = startWorkers(workerDeps(testServer.deps, crashPoint), QUICK)
}

const fault = (how: object) =>
  control(testServer.practiceUrl, 'POST', '/_control/faults', {
    platform: 'instagram',
    call: 'comment',
    ...how,
  })

async function post(
  text: string,
  account: Account = nova,
  first_comment: string = `On ${text}`,
): Promise<Post> {
  const { video_id } = await uploadVideo(ada)
  const targets = [{ account_id: account.account_id, options: { first_comment } }]
  return ada.call('createPost', { body: { video_id, text, targets } })
}

const deliveryOf = async ({ post_id }: Post): Promise<Delivery> => {
  const [delivery] = (await ada.call('getPost', { params: { postId: post_id } })).deliveries
  if (!delivery) throw new Error('a post without a delivery')
  return delivery
}

const followUpOf = async (of: Post): Promise<FollowUp | null> =>
  (await deliveryOf(of)).follow_ups.find(({ kind }) => kind === 'first_comment') ?? null

const followUpIs = (of: Post, status: FollowUp['status']): Promise<FollowUp> =>
  until(`the first comment of post ${of.post_id} to be ${status}`, async () => {
    const found = await followUpOf(of)
    return found?.status === status && found
  })

let platformAheadS = 0
/** A comment is looked for from the time of its call on: the platform's clock must not be behind the worker's fast one. */
async function passPlatformTime(): Promise<void> {
  const behindS = Math.ceil((now() - Date.now()) / 1000) - platformAheadS
  const advance_s = Math.max(behindS, 0) + 3600
  await control(testServer.practiceUrl, 'POST', '/_control/clock', { advance_s })
  platformAheadS += advance_s
}

const liveOf = async (text: string): Promise<LivePost[]> =>
  (await livePosts(testServer)).filter((live) => live.text === text)

const commentsOf = async (text: string): Promise<string[]> =>
  (await liveOf(text)).flatMap(({ comments }) => comments ?? []).map((comment) => comment.text)

const timelineOf = async ({ post_id }: Post): Promise<string[]> =>
  (await ada.call('getPost', { params: { postId: post_id } })).events.map(({ message }) => message)

const retry = ({ delivery_id }: Delivery): Promise<Delivery> =>
  ada.call('retryFollowUp', { params: { deliveryId: delivery_id, kind: 'first_comment' } })

const commentCalls = async () =>
  (await platformCalls(testServer)).filter(({ call }) => call === 'comment').length

/** How often the comments were read. */
const lists = async () =>
  (await platformCalls(testServer)).filter(({ call, status }) => call === 'comment_list' && status === 200)
    .length

it('the first comment is added once its post is live, and told in the timeline', async () => {
  work()
  const made = await post('happy')
  expect(made.deliveries[0]?.follow_ups).toEqual([])
  expect(await followUpIs(made, 'done')).toEqual({
    kind: 'first_comment',
    status: 'done',
    message: 'First comment added.',
    remedy: null,
    needs_attention: false,
    actions: [],
  })
  expect(await commentsOf('happy')).toEqual(['On happy'])
  expect(await timelineOf(made)).toEqual(
    expect.arrayContaining(['Adding the first comment.', 'First comment added.']),
  )
  expect(await deliveryOf(made)).toMatchObject({ status: 'published', attempt: 1 })
})

it('a comment whose answer is lost is found, and not added again', async () => {
  await passPlatformTime()
  await fault({ fault: 'drop_after' })
  work()
  const made = await post('lost and found')
  await followUpIs(made, 'done')
  expect(await commentsOf('lost and found')).toEqual(['On lost and found'])
})

it('a follow-up that this version cannot read delays none of the others', async () => {
  work()
  const { delivery_id } = await deliveryOf(await post('of another version'))
  const row = testServer.deps.db.updateTable('follow_ups').where('delivery_id', '=', delivery_id)
  await until('its comment', async () => (await commentsOf('of another version')).length > 0)
  await worker?.stop()
  await row.set({ state: 'waiting', data: '{}', wake_at: new Date(0) }).execute()
  work()
  await followUpIs(await post('behind it'), 'done')
  await row.set({ state: 'done', wake_at: null }).execute()
})

it('an outcome of a comment that the database did not take is saved again', async () => {
  const { db } = testServer.deps
  const made = await post('saved again')
  const reached = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  work(async (name) => {
    if (name !== 'after comment') return
    reached.resolve()
    await gone.promise
  })
  await reached.promise
  const { delivery_id } = await deliveryOf(made)
  await whileLocked(
    db,
    sql`select from follow_ups where delivery_id = ${delivery_id} for update`,
    async () => {
      gone.resolve()
      await cutWaiting(db, '%"version" =%')
    },
  )
  await followUpIs(made, 'done')
  expect(await commentsOf('saved again')).toEqual(['On saved again'])
  expect((await timelineOf(made)).filter((line) => line.startsWith('The first comment may not'))).toEqual([])
})

it('a comment that appears late is found', async () => {
  await passPlatformTime()
  await fault({ fault: 'late_effect', ms: 30_000 })
  work()
  const made = await post('late')
  await followUpIs(made, 'unconfirmed')
  await control(testServer.practiceUrl, 'POST', '/_control/clock', { advance_s: 30 })
  await followUpIs(made, 'done')
  expect(await commentsOf('late')).toEqual(['On late'])
})

it('a comment whose answer is lost and that is not there is named, and never added by itself', async () => {
  const before = await commentCalls()
  await fault({ fault: 'drop_before' })
  work()
  const made = await post('lost')
  expect(await followUpIs(made, 'unconfirmed')).toMatchObject({ actions: ['dismiss'] })
  const asked = await lists()
  await until('two more questions', async () => (await lists()) >= asked + 2)
  expect(await followUpOf(made)).toMatchObject({
    status: 'unconfirmed',
    remedy: 'Reelay is looking for it and will not add it twice.',
  })
  await expect(retry(await deliveryOf(made))).rejects.toThrow('409')
  expect(await commentsOf('lost')).toEqual([])
  expect(await commentCalls()).toBe(before + 1)
  expect(await deliveryOf(made)).toMatchObject({ status: 'published', attempt: 1 })
})

it('a comment that was dismissed is looked for no sooner when it is dismissed again', async () => {
  await fault({ fault: 'drop_before' })
  work()
  const made = await post('dismissed twice')
  await followUpIs(made, 'unconfirmed')
  await worker?.stop()
  const params = { deliveryId: (await deliveryOf(made)).delivery_id, kind: 'first_comment' as const }
  await ada.call('dismissFollowUp', { params })
  // As if the worker had looked, and waits.
  const later = { wake_at: new Date('2099-01-01') }
  const { db } = testServer.deps
  const row = db.updateTable('follow_ups').set(later).where('delivery_id', '=', params.deliveryId)
  await row.where('kind', '=', params.kind).execute()
  await ada.call('dismissFollowUp', { params })
  const read = db.selectFrom('follow_ups').select('wake_at').where('delivery_id', '=', params.deliveryId)
  expect(await read.where('kind', '=', params.kind).execute()).toEqual([later])
})

it('a refused comment is repeated where its rule says so, after it was looked for', async () => {
  await fault({ fault: 'error', code: 80_002 })
  const { db } = testServer.deps
  work()
  const made = await post('throttled')
  const waiting = await followUpIs(made, 'waiting')
  await until('the refusal', async () => (await followUpOf(made))?.remedy !== null)
  expect(waiting.actions).toEqual([])
  await until('the comment', async () => {
    // As if the hour had passed for which Instagram was to be left alone; that hour may be written down after the refusal.
    await db.deleteFrom('platform_cooldowns').execute()
    await db.updateTable('follow_ups').set({ wake_at: new Date() }).where('state', '=', 'waiting').execute()
    return (await followUpOf(made))?.status === 'done'
  })
  expect(await commentsOf('throttled')).toEqual(['On throttled'])
})

it('a comment that Instagram refuses for good can be retried by the user', async () => {
  await fault({ fault: 'error', code: 100 })
  work()
  const made = await post('refused')
  expect(await followUpIs(made, 'failed')).toMatchObject({
    message: 'Instagram did not accept the first comment.',
    actions: ['retry', 'dismiss'],
  })
  expect(await retry(await deliveryOf(made))).toMatchObject({
    status: 'published',
    follow_ups: [{ kind: 'first_comment', status: 'waiting', actions: [] }, {}],
  })
  await followUpIs(made, 'done')
  expect(await commentsOf('refused')).toEqual(['On refused'])
  await expect(retry(await deliveryOf(made))).rejects.toThrow('409')
})

const has = (posts: readonly Post[], text: string): boolean => posts.some((each) => each.text === text)

it('a first comment that failed needs attention in every list until it is dismissed', async () => {
  const places = async () => {
    const { items, counts } = await ada.call('listPosts', { query: { status: 'attention', limit: 100 } })
    const past = await ada.call('listPosts', { query: { status: 'past', limit: 100 } })
    const { attention } = await ada.call('getOverview')
    return {
      queue: has(items, 'named'),
      past: has(past.items, 'named'),
      overview: has(attention.posts, 'named'),
      same: counts.attention === items.length && attention.total === items.length,
    }
  }
  await fault({ fault: 'error', code: 100 })
  work()
  const made = await post('named')
  await followUpIs(made, 'failed')
  expect(await places()).toEqual({ queue: true, past: false, overview: true, same: true })
  const params = {
    deliveryId: (await deliveryOf(made)).delivery_id,
    kind: 'first_comment' as const,
  }
  const { follow_ups } = await ada.call('dismissFollowUp', { params })
  expect(follow_ups[0]).toMatchObject({ status: 'failed', needs_attention: false, actions: ['retry'] })
  expect(await places()).toEqual({ queue: false, past: true, overview: false, same: true })
  await retry(await deliveryOf(made))
  await followUpIs(made, 'done')
  await expect(ada.call('dismissFollowUp', { params })).rejects.toThrow('409')
})

it('a first comment needs the permission, for which the account can be linked again', async () => {
  const atlas = await linkAccount(ada, { platform: 'instagram', brandId, creator: 'atlas' })
  expect(atlas.permissions).toContainEqual({ name: 'comments', granted: false })
  await expect(post('not allowed', atlas)).rejects.toThrow(
    '@atlas did not allow comments. Link it again with comments ticked, or leave out the first comment.',
  )
  const link = { brand_id: brandId, account_id: atlas.account_id }
  const params = { platform: 'instagram' as const }
  const plain = await ada.call('startLink', { params, body: link })
  expect(new URL(plain.url).searchParams.get('scope')).not.toContain('manage_comments')
  const { url, state } = await ada.call('startLink', {
    params,
    body: { ...link, permissions: ['comments'] },
  })
  const back = await consent(url, { creator: 'atlas', decision: 'approve' })
  const code = back.searchParams.get('code') ?? ''
  const linked = await ada.call('finishLink', { params, body: { code, state } })
  expect(linked.permissions).toEqual([
    { name: 'comments', granted: true },
    { name: 'results', granted: false },
  ])
  const again = await ada.call('startLink', { params, body: link })
  expect(new URL(again.url).searchParams.get('scope')).toContain('manage_comments')
})

it('a first comment on TikTok is refused', async () => {
  const tiktok = await linkAccount(ada, { platform: 'tiktok', brandId })
  expect(tiktok.permissions.map(({ name }) => name)).not.toContain('comments')
  await expect(post('tiktok', tiktok)).rejects.toThrow('TikTok does not allow first comments.')
})

it('a permission that was taken away fails the comment alone, and ends nothing else', async () => {
  await fault({ fault: 'error', code: 10, status: 403 })
  work()
  const made = await post('taken away')
  expect((await followUpIs(made, 'failed')).message).toContain('permission to comment')
  const accounts = await ada.call('listAccounts', {})
  expect(accounts.find(({ account_id }) => account_id === nova.account_id)?.health).toEqual({ status: 'ok' })
})

it('a post that is deleted here before its comment was begun gets none', async () => {
  const stoppable = startStoppableWorker(testServer)
  worker = stoppable
  const stop = stoppable.stopAt('before save commenting first_comment')
  const made = await post('deleted')
  await stop.reached
  await ada.call('deletePost', { params: { postId: made.post_id } })
  const before = await commentCalls()
  stop.letGo()
  await stoppable.stop()
  expect(await commentCalls()).toBe(before)
  expect(await commentsOf('deleted')).toEqual([])
  const { delivery_id: deliveryId = 0 } = made.deliveries[0] ?? {}
  const params = { deliveryId: deliveryId as Delivery['delivery_id'], kind: 'first_comment' as const }
  await expect(ada.call('retryFollowUp', { params })).rejects.toThrow('404')
})

it('a post is deleted while the save of its link wakes its comment', async () => {
  const { db } = testServer.deps
  const stoppable = startStoppableWorker(testServer)
  worker = stoppable
  const stop = stoppable.stopAt('before save commenting first_comment')
  const made = await post('deleted meanwhile')
  await stop.reached
  const { delivery_id: deliveryId = 0 } = made.deliveries[0] ?? {}
  // A link that was found already has no time to wake, which a waiting one needs.
  const touch = (trx: typeof db, kind: string) =>
    sql`update follow_ups set state = 'waiting', wake_at = coalesce(wake_at, now() + interval '1 hour')
      where delivery_id = ${deliveryId} and kind = ${kind}`.execute(trx)
  await touch(db, 'public_link')
  const deleted = await db.transaction().execute(async (trx) => {
    // As a save does: its delivery, its own row, then those that it wakes.
    await sql`select from deliveries where delivery_id = ${deliveryId} for key share`.execute(trx)
    await touch(trx, 'public_link')
    const deleting = ada.call('deletePost', { params: { postId: made.post_id } })
    deleting.catch(() => undefined)
    await until('the deletion to wait', async () => {
      const waiting = sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      return (await waiting.execute(db)).rows.length > 0
    })
    await touch(trx, 'first_comment')
    return { deleting }
  })
  await expect(deleted.deleting).resolves.toBeUndefined()
  stop.letGo()
})

it('an account that is unlinked before the comment fails it with what to do', async () => {
  const quiet = await linkAccount(ada, {
    platform: 'instagram',
    brandId,
    creator: 'quiet',
    permissions: ['comments'],
  })
  const stoppable = startStoppableWorker(testServer)
  worker = stoppable
  const stop = stoppable.stopAt('after save commenting first_comment')
  const made = await post('unlinked', quiet)
  await stop.reached
  await ada.call('unlinkAccount', { params: { accountId: quiet.account_id }, query: { cancel_posts: 0 } })
  stop.letGo()
  expect(await followUpIs(made, 'failed')).toMatchObject({ actions: ['retry', 'dismiss'] })
  expect(await commentsOf('unlinked')).toEqual([])
})

it('a comment on a post whose id nobody knows is not possible, and the user is told', async () => {
  const made = await post('unknown')
  const { db } = testServer.deps
  const stoppable = startStoppableWorker(testServer)
  worker = stoppable
  const stop = stoppable.stopAt('before save commenting first_comment')
  await stop.reached
  // As a post that the user found by hand.
  await db
    .updateTable('deliveries')
    .set((eb) => ({
      data: eb.cast(eb.val(JSON.stringify({ attempt: 1, at: 1, postId: null, url: null })), 'jsonb'),
      wake_at: null,
      version: eb('version', '+', 1),
    }))
    .where('post_id', '=', made.post_id)
    .execute()
  await db
    .deleteFrom('follow_ups')
    .where('kind', '=', 'public_link')
    .where('delivery_id', '=', made.deliveries[0]?.delivery_id ?? 0)
    .execute()
  await db
    .updateTable('follow_ups')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where('state', '=', 'waiting')
    .execute()
  stop.letGo()
  expect(await followUpIs(made, 'failed')).toMatchObject({
    message: 'The first comment could not be added: the platform has not told us which post it belongs to.',
  })
})

it('a worker that is told to stop before the call leaves it to another one', async () => {
  const before = await commentCalls()
  const stopped = Promise.withResolvers<void>()
  work(async (point) => {
    if (point === 'after save commenting first_comment') stopped.resolve(worker?.stop())
  })
  const made = await post('stopped')
  await stopped.promise
  expect(await commentCalls()).toBe(before)
  work()
  await followUpIs(made, 'done')
  expect(await commentsOf('stopped')).toEqual(['On stopped'])
  expect(await timelineOf(made)).not.toContainEqual(expect.stringContaining('not certain'))
})
