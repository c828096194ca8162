import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { WEBHOOKS_MAX } from '#contract/limits.ts'
import { WEBHOOK_EVENTS, WebhookBody } from '#contract/webhooks.ts'
import type { Post } from '#contract/posts.ts'
import type { DeliveryState } from '#domain/delivery/state.ts'
import { makeState } from '#test/support/delivery-states.ts'
import { schedulePost, signUpToPost, uploadVideo } from '#test/support/publish.ts'
import { QUICK } from '#test/support/quick-worker.ts'
import { type Person, signUp, startTestServer, type TestServer, until } from '#test/support/test-server.ts'
import { startReceiver } from '#test/support/webhook-receiver.ts'
import { markForRelink } from '../accounts/access.ts'
import { decryptTokens } from '../accounts/tokens.ts'
import { openClaim, save } from '../deliveries/store.ts'
import { claimReaders, listDueResults, saveReadings } from '../results/store.ts'
import { startWorkers } from '../start-workers.ts'
import { workerDeps } from '../worker-deps.ts'

const HOUR = 3_600_000
const ADDRESS = 'https://hooks.example.com/reelay'

let testServer: TestServer
let someone: Awaited<ReturnType<typeof signUpToPost>>
beforeAll(async () => {
  testServer = await startTestServer({
    env: { PRIVATE_ADDRESSES: 'allow', PRACTICE_LIMITS: 'off' },
  })
})
beforeEach(async () => {
  someone = await signUpToPost(testServer)
})
afterAll(() => testServer.stop())

const listen = (
  events: readonly (typeof WEBHOOK_EVENTS)[number][] = WEBHOOK_EVENTS,
  person = someone.person,
) => person.call('createWebhook', { body: { address: ADDRESS, events: [...events] } })

/** What was recorded for the webhooks of all users, in order. */
async function listBodies(): Promise<WebhookBody[]> {
  const { user_id: userId } = await someone.person.call('getUser')
  const rows = await testServer.deps.db
    .selectFrom('webhook_messages')
    .innerJoin('webhooks', 'webhooks.webhook_id', 'webhook_messages.webhook_id')
    .select('body')
    .where('user_id', '=', userId)
    .orderBy('message_id')
    .execute()
  return rows.map(({ body }) => WebhookBody.parse(JSON.parse(body)))
}
const listTypes = async () => (await listBodies()).map(({ type }) => type)

const inDays = (days: number): string => new Date(Date.now() + days * 24 * HOUR).toISOString().slice(0, 10)

const plan = (days = 3): Promise<Post> => {
  const { person, videoId, tiktok, instagram } = someone
  return schedulePost(person, { videoId, text: 'Rye starter', accountIds: [tiktok, instagram], inDays: days })
}

/** Saves a state like a worker that claimed the delivery. */
async function moveTo(deliveryId: number | undefined, state: DeliveryState): Promise<void> {
  const { db, encrypter } = testServer.deps
  const row = await db
    .updateTable('deliveries')
    .set((one) => ({ leased_until: new Date(Date.now() + HOUR), fence: one('fence', '+', 1) }))
    .where('delivery_id', '=', deliveryId ?? 0)
    .returningAll()
    .executeTakeFirstOrThrow()
  const to = { state, wakeAt: null, leaseMs: 60_000, now: Date.now() }
  expect(await save(db, encrypter, openClaim(row, encrypter), to)).toMatchObject({ kind: 'saved' })
}
const published = () => makeState('published', Date.now())
const failed = () => makeState('failed', Date.now())
const idsOf = (post: Post) => post.deliveries.map(({ delivery_id }) => delivery_id)

it('a post that is published sends its events to the receiver, numbered, with the states of their time', async () => {
  const receiver = await startReceiver()
  const { person, instagram } = someone
  const { webhook, secret } = await person.call('createWebhook', {
    body: {
      address: receiver.url,
      events: ['post.scheduled', 'post.published', 'delivery.*', 'video.ready'],
    },
  })
  const worker = startWorkers(workerDeps(testServer.deps), QUICK)
  const { video_id } = await uploadVideo(person)
  const post = await person.call('createPost', {
    body: { video_id, text: 'Rye starter', targets: [{ account_id: instagram }] },
  })
  await until('the end of the post and its link', async () =>
    ['post.published', 'delivery.link_resolved'].every((type) =>
      receiver.calls.some(({ body }) => body.type === type),
    ),
  )
  await until('all to be delivered', async () => {
    const { items } = await person.call('listWebhookMessages', { params: { webhookId: webhook.webhook_id } })
    return items.every(({ status }) => status === 'delivered')
  })
  await worker.stop()
  await receiver.stop()
  for (const call of receiver.calls) receiver.verify(call, secret)
  const ofPost = receiver.calls
    .flatMap(({ body }) => ('sequence' in body ? [body] : []))
    .toSorted((a, b) => a.sequence - b.sequence)
  expect(receiver.calls.map(({ body }) => body.type).toSorted()).toEqual([
    'delivery.link_resolved',
    'delivery.published',
    'post.published',
    'post.scheduled',
    'video.ready',
  ])
  expect(ofPost.map(({ type }) => type)).toEqual([
    'post.scheduled',
    'delivery.published',
    'post.published',
    // Instagram tells it later.
    'delivery.link_resolved',
  ])
  expect(new Set(ofPost.map(({ sequence }) => sequence)).size).toBe(4)
  expect(ofPost[0]?.data).toMatchObject({
    post: { post_id: post.post_id, text: 'Rye starter', deliveries: [{ status: 'scheduled' }] },
  })
  expect(ofPost[1]?.data).toMatchObject({
    delivery: { post_id: post.post_id, status: 'published', url: null },
  })
  expect(ofPost[2]?.data).toMatchObject({ post: { deliveries: [{ status: 'published' }] } })
  expect(ofPost[3]?.data).toMatchObject({ delivery: { url: expect.stringContaining('http') as string } })
})

it('a post ends once, when the last of its deliveries does', async () => {
  await listen(['post.published', 'post.partially_published', 'post.failed'])
  const [good, bad, mixed] = [await plan(3), await plan(4), await plan(5)]
  for (const id of idsOf(good)) await moveTo(id, published())
  for (const id of idsOf(bad)) await moveTo(id, failed())
  const [first, second] = idsOf(mixed)
  await moveTo(first, published())
  expect(await listTypes()).toEqual(['post.published', 'post.failed'])
  await moveTo(second, failed())
  expect(await listTypes()).toEqual(['post.published', 'post.failed', 'post.partially_published'])
  const ended = (await listBodies()).map((body) => body.type.startsWith('post.') && body.data)
  expect(ended).toMatchObject([
    { post: { post_id: good.post_id } },
    { post: { post_id: bad.post_id } },
    { post: { post_id: mixed.post_id, deliveries: [{ status: 'published' }, { status: 'failed' }] } },
  ])
})

it('deliveries of a post that end at the same moment tell its end once', async () => {
  await listen(['post.published'])
  for (let round = 0; round < 10; round += 1) {
    const post = await plan(3 + round)
    await Promise.all(idsOf(post).map((id) => moveTo(id, published())))
    expect(await listTypes()).toHaveLength(round + 1)
  }
})

it('a post that goes on after its end tells how it ends then', async () => {
  await listen(['delivery.*', 'post.published', 'post.partially_published', 'post.failed'])
  const post = await plan()
  const [first, second] = idsOf(post)
  await moveTo(first, published())
  await moveTo(second, failed())
  await someone.person.call('retryDelivery', { params: { deliveryId: second ?? 0 } })
  await moveTo(second, published())
  expect((await listTypes()).filter((type) => !type.endsWith('link_resolved'))).toEqual([
    'delivery.published',
    'delivery.failed',
    'post.partially_published',
    'delivery.scheduled',
    'delivery.published',
    'post.published',
  ])
  const numbers = (await listBodies()).flatMap((body) => ('sequence' in body ? [body.sequence] : []))
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  expect(new Set(numbers).size).toBe(numbers.length)
})

it('what its user cancels is not waited for', async () => {
  await listen(['delivery.*', 'post.published', 'post.failed'])
  const post = await plan()
  const [first, second] = idsOf(post)
  await someone.person.call('cancelDelivery', { params: { deliveryId: second ?? 0 } })
  await moveTo(first, published())
  const other = await plan(4)
  await someone.person.call('deletePost', { params: { postId: other.post_id } })
  expect((await listTypes()).filter((type) => !type.endsWith('link_resolved'))).toEqual([
    'delivery.cancelled',
    'delivery.published',
    'post.published',
    'delivery.cancelled',
    'delivery.cancelled',
  ])
})

it('a change of what is planned is told, by whatever way it comes', async () => {
  await listen(['post.scheduled'])
  const { person, videoId, tiktok } = someone
  const post = await plan()
  await person.call('editPost', {
    params: { postId: post.post_id },
    body: { version: post.version, text: 'Rye starter, day 2' },
  })
  await person.call('createPosts', {
    body: {
      posts: [5, 6].map((day) => ({
        video_id: videoId,
        text: 'Another',
        targets: [{ account_id: tiktok }],
        publish_at: { local: `${inDays(day)}T08:00`, timezone: 'Europe/Lisbon' },
      })),
    },
  })
  await person.call('importPosts', {
    body: {
      csv: `caption,video,accounts,time\nFrom a file,${videoId},${tiktok},${inDays(9)} 08:00`,
      dry_run: false,
    },
  })
  await person.call('bulkPosts', { body: { post_ids: [post.post_id], action: 'move', by_minutes: 10 } })
  const texts = (await listBodies()).map((body) => body.type === 'post.scheduled' && body.data.post.text)
  expect(texts).toEqual([
    'Rye starter',
    'Rye starter, day 2',
    'Another',
    'Another',
    'From a file',
    'Rye starter, day 2',
  ])
})

it('a refused change tells nothing', async () => {
  await listen()
  const post = await plan()
  const before = await listTypes()
  await expect(
    someone.person.call('editPost', { params: { postId: post.post_id }, body: { version: 99, text: 'No' } }),
  ).rejects.toThrow('409')
  expect(await listTypes()).toEqual(before)
})

it('an account that must be linked again is told once, with the posts that it holds', async () => {
  await listen()
  await plan()
  const { deps } = testServer
  const { tokens } = await deps.db
    .selectFrom('accounts')
    .select('tokens')
    .where('account_id', '=', someone.tiktok)
    .executeTakeFirstOrThrow()
  const refused = decryptTokens(deps.encrypter, tokens ?? Buffer.alloc(0)).accessToken
  const reason = { code: 'x', message: 'It was removed.', remedy: 'Link it again.', detail: null }
  await markForRelink(deps, someone.tiktok, reason, refused)
  await markForRelink(deps, someone.tiktok, reason, refused)
  const told = (await listBodies()).filter(({ type }) => type === 'account.needs_relink')
  expect(told.map(({ data }) => data)).toMatchObject([
    { account: { account_id: someone.tiktok, health: { status: 'relink', reason: 'It was removed.' } } },
  ])
})

it('results that were read are told without their numbers', async () => {
  await listen(['results.synced'])
  const post = await plan()
  const [first] = idsOf(post)
  await moveTo(first, makeState('published', Date.now(), { postId: 'v1' }))
  const { db } = testServer.deps
  await db
    .updateTable('result_readers')
    .set({ wake_at: new Date(0) })
    .execute()
  const readers = await claimReaders(db, { now: Date.now(), leaseMs: 60_000, limit: 100 })
  const reader = readers.find(({ accountId }) => accountId === someone.tiktok)
  if (!reader) throw new Error('No reader was claimed.')
  const [due] = await listDueResults(db, reader.accountId, Date.now() + 24 * HOUR, 1)
  if (!due) throw new Error('No result is due.')
  const at = Date.now()
  const nothing = { missedAt: null, goneAt: null, mark: null, nextAt: at + HOUR }
  await saveReadings(db, reader, [{ ...nothing, deliveryId: due.deliveryId, latest: { views: 7 } }], {
    now: at,
    notBefore: at,
  })
  const [told] = await listBodies()
  expect(told).toMatchObject({
    type: 'results.synced',
    data: { post_id: post.post_id, delivery_id: first, account_id: someone.tiktok, platform: 'tiktok' },
  })
  expect(JSON.stringify(told)).not.toContain('views')
})

/** The lengths of the logs of a person's webhooks. */
async function countMessages(person: Person): Promise<number[]> {
  const lists = (await person.call('listWebhooks')).map(({ webhook_id: webhookId }) =>
    person.call('listWebhookMessages', { params: { webhookId } }),
  )
  return (await Promise.all(lists)).map(({ items }) => items.length)
}

it('each webhook gets what it asked for, all with the same id, and nobody gets those of others', async () => {
  const eve = await signUp(testServer, 'Eve')
  await listen(WEBHOOK_EVENTS, eve)
  await listen(['video.ready'])
  await listen(['video.ready', 'post.failed'])
  await listen(['post.failed'])
  await uploadVideo(someone.person)
  const [one, two, ...others] = await listBodies()
  expect(one?.id).toBe(two?.id)
  expect(others).toEqual([])
  expect(await countMessages(someone.person)).toEqual([1, 1, 0])
  expect(await countMessages(eve)).toEqual([0])
})

it('what waits to be told at a restore stays in the log, and what the restore holds is told', async () => {
  const { webhook } = await listen(['post.scheduled', 'delivery.*'])
  const post = await plan()
  await testServer.deps.restoreGuard.start('restored')
  const { items } = await someone.person.call('listWebhookMessages', {
    params: { webhookId: webhook.webhook_id },
  })
  expect(items.map(({ type, status, failure }) => [type, status, failure])).toEqual([
    ['delivery.blocked', 'waiting', null],
    ['delivery.blocked', 'waiting', null],
    ['post.scheduled', 'failed', 'restored'],
  ])
  expect(post.deliveries).toHaveLength(2)
})

it('a user has ten webhooks at most', async () => {
  const eve = await signUp(testServer, 'Eve')
  const made = Array.from({ length: WEBHOOKS_MAX + 1 }, () => listen(['post.failed'], eve))
  const results = await Promise.allSettled(made)
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1)
  const list = await eve.call('listWebhooks')
  expect(list).toHaveLength(WEBHOOKS_MAX)
  const [first] = list
  await eve.call('deleteWebhook', { params: { webhookId: first?.webhook_id ?? 0 } })
  expect(await eve.call('listWebhooks')).toHaveLength(WEBHOOKS_MAX - 1)
})

it('an address has 2,000 characters at most', async () => {
  const address = `https://example.com/${'x'.repeat(2000)}`
  await expect(
    someone.person.call('createWebhook', { body: { address, events: ['post.failed'] } }),
  ).rejects.toThrow('422')
})

it.each([
  ['ftp://example.com/', 422],
  ['https://user:secret@example.com/', 422],
  ['no address', 422],
  ['https://example.com/a?token=b', 201],
])('the address %s is answered %i', async (address, status) => {
  const answer = await someone.person.request('/webhooks', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address, events: ['post.failed'] }),
  })
  expect(answer.status).toBe(status)
})

it('the log is read a page at a time', async () => {
  const { webhook } = await listen(['video.ready'])
  const params = { webhookId: webhook.webhook_id }
  const { db } = testServer.deps
  const at = new Date()
  const rows = Array.from({ length: 60 }, () => ({
    webhook_id: webhook.webhook_id,
    event_id: crypto.randomUUID(),
    type: 'video.ready',
    body: '{}',
    created_at: at,
    tried_since: at,
  }))
  await db.insertInto('webhook_messages').values(rows).execute()
  const seen: number[] = []
  let cursor: string | undefined
  do {
    const page = await someone.person.call('listWebhookMessages', {
      params,
      query: cursor === undefined ? {} : { cursor },
    })
    seen.push(...page.items.map(({ message_id }) => message_id))
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  expect(seen).toHaveLength(60)
  expect(new Set(seen).size).toBe(60)
})
