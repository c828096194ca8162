import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NotificationSettings } from '#contract/notifications.ts'
import type { AccountId } from '#contract/ids.ts'
import type { Reason } from '#contract/deliveries.ts'
import type { DeliveryState } from '#domain/delivery/state.ts'
import type { Mail, SendResult } from '#base/mail/mail.ts'
import { MAIL_LEASE_MS } from '#base/mail/try-send.ts'
import { makeState } from '#test/support/delivery-states.ts'
import { schedulePost, uploadVideo } from '#test/support/publish.ts'
import { control, linkAccount, type Person, signUp, startTestServer } from '#test/support/test-server.ts'
import type { TestServer } from '#test/support/test-server.ts'
import { markForRelink } from '../accounts/access.ts'
import { decryptTokens } from '../accounts/tokens.ts'
import { openClaim, save } from '../deliveries/store.ts'
import { claimEvent, enqueueTroubleCheck, nextEventAt, setDigestStage } from '../outbox/outbox.ts'
import { enqueueEndingAccess, notifyAboutPost, type NotifierDeps, processNextEvent } from './notifier.ts'
import { deleteOldNotifications } from './store.ts'
import { makeUnsubscribeUrl } from './unsubscribe.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Ten in the morning in Lisbon, the test users' zone. */
const TEN = Date.parse('2031-07-01T09:00:00Z')

let testServer: TestServer
/** The notifier's own clock: nothing waits in real time, and no token expires. */
let clock = TEN
let names = 0
beforeAll(async () => {
  testServer = await startTestServer()
})
afterAll(() => testServer.stop())

type Answer = () => Promise<SendResult>
const taken: Answer = () => Promise.resolve({ kind: 'taken' })

function notifier(answer: Answer = taken) {
  const mails: Mail[] = []
  const deps: NotifierDeps = {
    ...testServer.deps,
    now: () => clock,
    mail: {
      send: (mail) => {
        mails.push(mail)
        return answer()
      },
    },
  }
  const to = (someone: Person) => mails.filter((mail) => mail.to === someone.email)
  const work = async () => {
    while ((await processNextEvent(deps)) > 0) continue
  }
  /** Simulates a notifier that runs until `ms` from now. */
  const workFor = async (ms: number) => {
    const end = clock + ms
    for (let next: number | null = clock; next !== null && next <= end;) {
      clock = next
      await work()
      next = await nextEventAt(deps.db, clock)
    }
    clock = end
    await work()
  }
  return { deps, to, work, workFor }
}

const setConfirmed = (someone: Person, email_verified: boolean) =>
  testServer.deps.db
    .updateTable('identity_users')
    .set({ email_verified })
    .where('email', '=', someone.email)
    .execute()

async function withPosts(accounts: number, posts = 1) {
  const someone = await signUp(testServer)
  await setConfirmed(someone, true)
  const { brand_id } = await someone.call('createBrand', { body: { title: 'Northwind' } })
  const accountIds: AccountId[] = []
  for (let i = 0; i < accounts; i++) {
    names += 1
    const creator = `creator_${names}`
    await control(testServer.practiceUrl, 'POST', '/_control/accounts', {
      platform: 'tiktok',
      username: creator,
    })
    const { account_id } = await linkAccount(someone, { platform: 'tiktok', brandId: brand_id, creator })
    accountIds.push(account_id)
  }
  const { video_id: videoId } = await uploadVideo(someone)
  const made = []
  for (let i = 0; i < posts; i++)
    made.push(await schedulePost(someone, { videoId, text: `Post ${i}`, accountIds, inDays: 3 }))
  const deliveries = made.map((post) => post.deliveries.map(({ delivery_id }) => delivery_id))
  const { user_id: userId } = await someone.call('getUser')
  return { someone, userId, accountIds, posts: made, deliveries }
}

const reason = (message: string): Reason => ({ code: 'x', message, remedy: 'Retry it.', detail: null })
const failed = (message = 'The video is too long.', attempt = 1) =>
  makeState('failed', clock, { attempt, reason: reason(message) })
const limited = () =>
  makeState('blocked', clock, { cause: 'limit', reason: reason('15 posts a day are allowed.') })
const unconfirmed = () => makeState('unconfirmed', clock, { reason: reason('The answer was lost.') })
const published = makeState('published', TEN)

/** Saves a state like a worker that claimed the delivery. */
async function moveTo(deliveryId: number | undefined, state: DeliveryState): Promise<void> {
  const { db, encrypter } = testServer.deps
  const row = await db
    .updateTable('deliveries')
    .set((one) => ({ leased_until: new Date(Date.now() + DAY_MS), fence: one('fence', '+', 1) }))
    .where('delivery_id', '=', deliveryId ?? 0)
    .returningAll()
    .executeTakeFirstOrThrow()
  const wakeAt = state.kind === 'unconfirmed' ? clock + DAY_MS : null
  const to = { state, wakeAt, leaseMs: MINUTE_MS, now: clock }
  expect(await save(db, encrypter, openClaim(row, encrypter), to)).toMatchObject({ kind: 'saved' })
}

const listOf = async (someone: Person) => (await someone.call('listNotifications')).items
const unreadOf = async (someone: Person) => (await someone.call('getUnread')).unread

async function change(someone: Person, changed: Partial<NotificationSettings>): Promise<void> {
  const { kinds, digest, quiet_hours } = await someone.call('getNotificationSettings')
  await someone.call('setNotificationSettings', { body: { kinds, digest, quiet_hours, ...changed } })
}

describe('a post in trouble', () => {
  it('that cannot heal makes one notification for all its accounts, in the app and then by mail', async () => {
    const { someone, posts, deliveries } = await withPosts(3)
    const { to, workFor } = notifier()
    await moveTo(deliveries[0]?.[0], failed())
    await moveTo(deliveries[0]?.[2], failed())
    await workFor(SECOND_MS)
    const [notification, ...others] = await listOf(someone)
    expect(others).toEqual([])
    expect(notification).toMatchObject({
      kind: 'failed',
      subject: 'Post 0',
      title: 'Failed on 2 of 3 accounts',
      message: 'The video is too long. Retry it.',
      post_id: posts[0]?.post_id,
      account_id: null,
      read: false,
    })
    expect(await someone.call('getUnread')).toMatchObject({ unread: 1, latest: notification })
    expect(to(someone)).toEqual([])
    await workFor(2 * MINUTE_MS)
    const [mail, ...more] = to(someone)
    expect(more).toEqual([])
    expect(mail?.subject).toBe('Failed on 2 of 3 accounts: Post 0')
    expect(mail?.text).toContain(`${testServer.config.publicUrl}/dashboard/posts/${posts[0]?.post_id}`)
    expect(mail?.html).toContain('The video is too long.')
  })

  it('that may heal makes none for 15 minutes, and then none of what has healed', async () => {
    const { someone, deliveries } = await withPosts(1, 2)
    const { to, workFor } = notifier()
    await moveTo(deliveries[0]?.[0], unconfirmed())
    await moveTo(deliveries[1]?.[0], unconfirmed())
    await workFor(10 * MINUTE_MS)
    await moveTo(deliveries[0]?.[0], published)
    await workFor(4 * MINUTE_MS)
    expect([await listOf(someone), to(someone)]).toEqual([[], []])
    await workFor(HOUR_MS)
    expect(await listOf(someone)).toMatchObject([{ kind: 'unconfirmed', subject: 'Post 1' }])
    expect(to(someone)).toHaveLength(1)
  })

  it('that fails while other trouble may heal is told at once with all of it', async () => {
    const { someone, deliveries } = await withPosts(2)
    const { workFor } = notifier()
    await moveTo(deliveries[0]?.[0], unconfirmed())
    await moveTo(deliveries[0]?.[1], failed())
    await moveTo(deliveries[0]?.[0], { kind: 'cancelled', at: clock, attempt: 1, repeats: 0 })
    await moveTo(deliveries[0]?.[0], unconfirmed())
    await workFor(SECOND_MS)
    expect(await listOf(someone)).toMatchObject([
      { kind: 'failed', message: expect.stringContaining('The answer was lost.') as string },
    ])
  })

  it('whose other account fails later makes a notification that replaces the first', async () => {
    const { someone, deliveries } = await withPosts(2)
    const { to, workFor } = notifier()
    await moveTo(deliveries[0]?.[0], failed())
    await workFor(20 * MINUTE_MS)
    const [first] = await listOf(someone)
    await someone.call('readNotifications', { body: { notification_id: first?.notification_id ?? 0 } })
    expect(await unreadOf(someone)).toBe(0)
    await moveTo(deliveries[0]?.[1], failed())
    await workFor(20 * MINUTE_MS)
    expect(await listOf(someone)).toMatchObject([{ title: 'Failed on 2 of 2 accounts', read: false }])
    expect(to(someone)).toHaveLength(2)
  })

  it('whose accounts fail one after the other is told of every ten seconds, and mailed twice', async () => {
    const { someone, deliveries } = await withPosts(8)
    const { to, workFor } = notifier()
    const ids = new Set<number>()
    for (const [index, delivery] of (deliveries[0] ?? []).entries()) {
      await moveTo(delivery, failed())
      await workFor(index < 4 ? 5 * SECOND_MS : 2 * MINUTE_MS)
      for (const { notification_id } of await listOf(someone)) ids.add(notification_id)
    }
    await workFor(HOUR_MS)
    expect(await listOf(someone)).toMatchObject([{ title: 'Failed on 8 of 8 accounts' }])
    expect(ids.size).toBe(7)
    expect(to(someone).map(({ subject }) => subject.split(':')[0])).toEqual([
      'Failed on 5 of 8 accounts',
      'Failed on 8 of 8 accounts',
    ])
  })

  it('that gets into the same trouble again without a new attempt is not notified again', async () => {
    const { someone, deliveries } = await withPosts(1)
    const { workFor } = notifier()
    await moveTo(deliveries[0]?.[0], unconfirmed())
    await workFor(20 * MINUTE_MS)
    const before = await listOf(someone)
    expect(before).toMatchObject([{ kind: 'unconfirmed' }])
    await moveTo(deliveries[0]?.[0], { kind: 'cancelled', at: clock, attempt: 1, repeats: 0 })
    await moveTo(deliveries[0]?.[0], unconfirmed())
    await workFor(20 * MINUTE_MS)
    expect(await listOf(someone)).toEqual(before)
    await moveTo(deliveries[0]?.[0], failed('No.', 2))
    await workFor(20 * MINUTE_MS)
    expect(await listOf(someone)).toMatchObject([{ kind: 'failed' }])
  })

  it('that was deleted is neither listed nor mailed', async () => {
    const { someone, posts, deliveries } = await withPosts(1, 2)
    const { to, workFor } = notifier()
    await moveTo(deliveries[0]?.[0], failed())
    await workFor(MINUTE_MS / 2)
    expect(await unreadOf(someone)).toBe(1)
    await moveTo(deliveries[1]?.[0], failed())
    for (const { post_id } of posts) await someone.call('deletePost', { params: { postId: post_id } })
    await workFor(HOUR_MS)
    expect([await listOf(someone), await unreadOf(someone), to(someone)]).toEqual([[], 0, []])
  })

  it.each([
    ['dismissed', { kind: 'dismissed', at: TEN }],
    ['replaced by a newer post', { kind: 'replaced', at: TEN, postId: 1 }],
  ] as const)('that failed and was %s is not told of', async (_how, settled) => {
    const { someone, deliveries } = await withPosts(2)
    const { to, workFor } = notifier()
    await moveTo(deliveries[0]?.[0], failed())
    await moveTo(deliveries[0]?.[1], failed())
    await moveTo(deliveries[0]?.[0], { ...failed(), settled })
    await workFor(MINUTE_MS / 2)
    expect(await listOf(someone)).toMatchObject([{ title: expect.stringMatching(/^Failed on @/) as string }])
    // The mail has not been sent yet.
    await moveTo(deliveries[0]?.[1], { ...failed(), settled })
    await workFor(HOUR_MS)
    expect(to(someone)).toEqual([])
  })

  it('is notified of when new trouble arrives during its check', async () => {
    const { someone, userId, accountIds, posts, deliveries } = await withPosts(1)
    const { deps } = notifier()
    const [[accountId], [post]] = [accountIds, posts]
    await moveTo(deliveries[0]?.[0], unconfirmed())
    clock += 15 * MINUTE_MS
    const check = await claimEvent(deps.db, { now: clock, leaseMs: MAIL_LEASE_MS })
    if (check?.kind !== 'post' || !post || !accountId) throw new Error('no check was due')
    const again = { postId: post.post_id, accountId, trouble: 'unconfirmed', now: clock } as const
    await enqueueTroubleCheck(deps.db, { userId, ...again })
    await notifyAboutPost(deps, check)
    expect(await listOf(someone)).toHaveLength(1)
  })
})

describe('a mail', () => {
  it('lists everything that was found together', async () => {
    const { someone, posts, deliveries } = await withPosts(1, 4)
    const { to, workFor } = notifier()
    for (const [index, [delivery]] of deliveries.entries())
      await moveTo(delivery, failed(index % 2 === 0 ? 'Too long.' : 'Too short.'))
    await workFor(HOUR_MS)
    const [mail, ...more] = to(someone)
    expect(more).toEqual([])
    expect(mail?.subject).toBe('4 posts failed')
    for (const { post_id } of posts) expect(mail?.text).toContain(`/dashboard/posts/${post_id}\n`)
    expect(await listOf(someone)).toHaveLength(4)
  })

  it('leaves out what was read in the app, and is not sent when nothing is left', async () => {
    const { someone, deliveries } = await withPosts(1)
    const { to, workFor } = notifier()
    await change(someone, { digest: 'daily' })
    await moveTo(deliveries[0]?.[0], failed())
    await workFor(16 * MINUTE_MS)
    const [notification] = await listOf(someone)
    const body = { notification_id: notification?.notification_id ?? 0, and_earlier: true }
    await someone.call('readNotifications', { body })
    await workFor(DAY_MS)
    expect(to(someone)).toEqual([])
  })

  it('waits for the end of the quiet hours', async () => {
    const { someone, deliveries } = await withPosts(1)
    const { to, workFor } = notifier()
    const hourInLisbon = (at: number) => new Date(at + HOUR_MS).toISOString().slice(11, 13)
    const until = `${hourInLisbon(clock + 3 * HOUR_MS)}:00`
    await change(someone, { quiet_hours: { from: `${hourInLisbon(clock)}:00`, until } })
    await moveTo(deliveries[0]?.[0], failed())
    await workFor(2 * HOUR_MS)
    expect([(await listOf(someone)).length, to(someone).length]).toEqual([1, 0])
    await workFor(HOUR_MS)
    expect(to(someone)).toHaveLength(1)
  })

  it('only goes to a confirmed address, and the app lists the rest', async () => {
    const { someone, deliveries } = await withPosts(1, 2)
    const { to, workFor } = notifier()
    await setConfirmed(someone, false)
    expect(await someone.call('getNotificationSettings')).toMatchObject({ email_confirmed: false })
    await moveTo(deliveries[0]?.[0], failed())
    await workFor(HOUR_MS)
    expect([to(someone).length, await unreadOf(someone)]).toEqual([0, 1])
    await setConfirmed(someone, true)
    await moveTo(deliveries[1]?.[0], failed())
    await workFor(HOUR_MS)
    expect([to(someone).length, await unreadOf(someone)]).toEqual([1, 2])
  })

  it('is not sent for kinds that are off, and the app follows its own switch', async () => {
    const { someone, deliveries } = await withPosts(1, 2)
    const { to, workFor } = notifier()
    const { kinds } = await someone.call('getNotificationSettings')
    await change(someone, {
      kinds: { ...kinds, failed: { in_app: true, mail: false }, limit: { in_app: false, mail: true } },
    })
    await moveTo(deliveries[0]?.[0], failed())
    await moveTo(deliveries[1]?.[0], limited())
    await workFor(HOUR_MS)
    expect(await listOf(someone)).toMatchObject([{ kind: 'failed' }])
    expect(to(someone).map(({ subject }) => subject.replace(/@\w+/, '@a'))).toEqual([
      '@a on TikTok has reached a limit · 1 post waits',
    ])
  })

  it('is retried as the same mail while no mail server takes it', async () => {
    const { someone, deliveries } = await withPosts(1)
    const busy = notifier(() => Promise.reject(new Error('connect ECONNREFUSED')))
    await moveTo(deliveries[0]?.[0], failed())
    await busy.workFor(20 * MINUTE_MS)
    const attempts = busy.to(someone)
    expect(attempts.length).toBeGreaterThan(1)
    const { to, workFor } = notifier()
    await workFor(HOUR_MS)
    expect(to(someone)).toHaveLength(1)
    expect(new Set([...attempts, ...to(someone)].map(({ key }) => key)).size).toBe(1)
  })

  it('whose process dies while it is handed over is not sent again, and the next one is', async () => {
    const { someone, deliveries } = await withPosts(1, 2)
    const dying = notifier(() => new Promise(() => {}))
    await moveTo(deliveries[0]?.[0], failed())
    clock += SECOND_MS
    await dying.work()
    clock += MINUTE_MS
    void dying.work()
    await expect.poll(() => dying.to(someone).length).toBe(1)
    const { to, workFor } = notifier()
    await workFor(HOUR_MS)
    expect(to(someone)).toEqual([])
    expect(await listOf(someone)).toHaveLength(1)
    await moveTo(deliveries[1]?.[0], failed())
    await workFor(HOUR_MS)
    expect(to(someone)).toHaveLength(1)
  })

  it('whose process dies before it is handed over is sent by another', async () => {
    const { someone, deliveries } = await withPosts(1)
    const { deps, to, work, workFor } = notifier()
    await moveTo(deliveries[0]?.[0], failed())
    clock += SECOND_MS
    await work()
    clock += MINUTE_MS
    const mail = await claimEvent(deps.db, { now: clock, leaseMs: MAIL_LEASE_MS })
    if (mail?.kind !== 'mail') throw new Error('no mail was due')
    expect(await setDigestStage(deps.db, mail, 'closed')).toBe(true)
    await work()
    expect(to(someone)).toEqual([])
    await workFor(2 * MINUTE_MS)
    expect(to(someone)).toHaveLength(1)
    expect(await setDigestStage(deps.db, mail, 'handed_over')).toBe(false)
  })
})

describe('unsubscribing', () => {
  it('works from the mail without a log-in, by POST only, and the app goes on', async () => {
    const { someone, deliveries } = await withPosts(1, 2)
    const { to, workFor } = notifier()
    await moveTo(deliveries[0]?.[0], failed())
    await workFor(HOUR_MS)
    const url = new URL(to(someone)[0]?.unsubscribeUrl ?? '')
    const address = `${testServer.url}${url.pathname}`
    const page = await fetch(address)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Stop these emails')])
    expect((await someone.call('getNotificationSettings')).digest).toBe('at_once')
    const done = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    })
    expect(done.status).toBe(200)
    expect((await someone.call('getNotificationSettings')).digest).toBe('never')
    await moveTo(deliveries[1]?.[0], failed())
    await workFor(HOUR_MS)
    expect([to(someone).length, await unreadOf(someone)]).toEqual([1, 2])
  })

  it('answers the same once its user is deleted', async () => {
    const { someone, userId } = await withPosts(1)
    const address = makeUnsubscribeUrl(testServer.deps, userId).replace(
      testServer.config.publicUrl,
      testServer.url,
    )
    await someone.call('deleteUser')
    const answer = await fetch(address, { method: 'POST' })
    expect([answer.status, await answer.text()]).toEqual([
      200,
      expect.stringContaining('emails have stopped'),
    ])
  })

  it('is rate-limited', async () => {
    const from = { headers: { 'x-forwarded-for': '203.0.113.8' } }
    const answers = await Promise.all(
      Array.from({ length: 130 }, () => fetch(`${testServer.url}/unsubscribe/x`, from)),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404, 429]))
  })

  it('needs an address that this server made', async () => {
    const { someone } = await withPosts(1)
    for (const token of ['x', 'A'.repeat(90)])
      for (const method of ['GET', 'POST'])
        expect((await fetch(`${testServer.url}/unsubscribe/${token}`, { method })).status).toBe(404)
    expect((await someone.call('getNotificationSettings')).digest).toBe('at_once')
  })
})

/** Its platform refused the access for good. */
async function refuse(accountId: number | undefined): Promise<void> {
  const { db, encrypter } = testServer.deps
  const { tokens } = await db
    .selectFrom('accounts')
    .select('tokens')
    .where('account_id', '=', accountId ?? 0)
    .executeTakeFirstOrThrow()
  const { accessToken } = decryptTokens(encrypter, tokens ?? Buffer.alloc(0))
  const deps = { ...testServer.deps, now: () => clock }
  expect(await markForRelink(deps, accountId ?? 0, reason('It was revoked.'), accessToken)).toBe(true)
}

describe('an account', () => {
  it('to be linked again makes one notification at once that counts its waiting posts', async () => {
    const { someone, accountIds } = await withPosts(1, 3)
    const { to, workFor } = notifier()
    await refuse(accountIds[0])
    await workFor(SECOND_MS)
    const [notification, ...others] = await listOf(someone)
    expect(others).toEqual([])
    expect(notification?.title).toMatch(/^@creator_\d+ on TikTok must be linked again · 3 posts wait$/)
    expect(notification).toMatchObject({
      kind: 'link_again',
      message: 'It was revoked.',
      account_id: accountIds[0],
      post_id: null,
    })
    await workFor(2 * MINUTE_MS)
    expect(to(someone).map(({ subject }) => subject)).toEqual([notification?.title])
    expect(to(someone)[0]?.text).toContain('/dashboard/accounts\n')
  })

  it('to be linked again stays read when another post waits, and counts it', async () => {
    const { someone, accountIds, deliveries } = await withPosts(1, 3)
    const { to, workFor } = notifier()
    await moveTo(deliveries[2]?.[0], published)
    await refuse(accountIds[0])
    await workFor(5 * MINUTE_MS)
    const [first] = await listOf(someone)
    await someone.call('readNotifications', { body: { notification_id: first?.notification_id ?? 0 } })
    await moveTo(deliveries[2]?.[0], { kind: 'cancelled', at: clock, attempt: 1, repeats: 0 })
    await moveTo(deliveries[2]?.[0], makeState('blocked', clock, { cause: 'account', reason: reason('No.') }))
    await workFor(HOUR_MS)
    expect(await listOf(someone)).toEqual([
      { ...first, title: first?.title.replace('2 posts wait', '3 posts wait'), read: true },
    ])
    expect(to(someone)).toHaveLength(1)
  })

  it('that was linked again before the mail goes out is not mailed', async () => {
    const { someone, accountIds, deliveries } = await withPosts(1)
    const { to, workFor } = notifier()
    await refuse(accountIds[0])
    await workFor(SECOND_MS)
    await testServer.deps.db
      .updateTable('accounts')
      .set({ relink_reason: null })
      .where('account_id', '=', accountIds[0] ?? 0)
      .execute()
    await moveTo(deliveries[0]?.[0], published)
    await workFor(HOUR_MS)
    expect([to(someone), await listOf(someone)]).toEqual([[], []])
  })

  it('that reached a limit is told of once for all its posts, and again for later ones', async () => {
    const { someone, accountIds, deliveries } = await withPosts(1, 4)
    const { to, workFor } = notifier()
    for (const [delivery] of deliveries.slice(0, 2)) await moveTo(delivery, limited())
    await workFor(14 * MINUTE_MS)
    expect(await listOf(someone)).toEqual([])
    await workFor(5 * MINUTE_MS)
    const [first, ...others] = await listOf(someone)
    expect(others).toEqual([])
    expect(first).toMatchObject({
      kind: 'limit',
      title: expect.stringMatching(/ on TikTok has reached a limit · 2 posts wait$/) as string,
      message: '15 posts a day are allowed. Retry it.',
      account_id: accountIds[0],
    })
    await moveTo(deliveries[0]?.[0], published)
    await moveTo(deliveries[2]?.[0], limited())
    await workFor(HOUR_MS)
    expect(await listOf(someone)).toMatchObject([{ notification_id: first?.notification_id }])
    for (const [delivery] of deliveries.slice(1, 3)) await moveTo(delivery, published)
    await moveTo(deliveries[3]?.[0], limited())
    await workFor(HOUR_MS)
    const later = await listOf(someone)
    expect(later).toMatchObject([{ title: expect.stringContaining('1 post waits') as string }])
    expect(later[0]?.notification_id).toBeGreaterThan(first?.notification_id ?? 0)
    expect(to(someone)).toHaveLength(2)
  })

  it('keeps what was said of its ending access when it reaches a limit', async () => {
    const { someone, userId, deliveries } = await withPosts(1)
    const { deps, to, workFor } = notifier()
    await deps.db
      .updateTable('accounts')
      .set({ access_ends_at: new Date(clock + 6 * DAY_MS) })
      .where('user_id', '=', userId)
      .execute()
    await enqueueEndingAccess(deps)
    await workFor(HOUR_MS)
    await moveTo(deliveries[0]?.[0], limited())
    for (let round = 0; round < 3; round++) {
      await enqueueEndingAccess(deps)
      await workFor(HOUR_MS)
    }
    expect(await listOf(someone)).toMatchObject([{ kind: 'limit' }, { kind: 'access_ending' }])
    expect(to(someone)).toHaveLength(2)
  })

  it('whose access ends within 7 days makes one notification', async () => {
    const { someone, userId } = await withPosts(1)
    const { deps, to, workFor } = notifier()
    await deps.db
      .updateTable('accounts')
      .set({ access_ends_at: new Date(clock + 7 * DAY_MS + HOUR_MS) })
      .where('user_id', '=', userId)
      .execute()
    await enqueueEndingAccess(deps)
    await workFor(HOUR_MS)
    expect(await listOf(someone)).toEqual([])
    for (let round = 0; round < 3; round++) {
      await enqueueEndingAccess(deps)
      await workFor(HOUR_MS)
    }
    expect(await listOf(someone)).toMatchObject([{ kind: 'access_ending' }])
    expect(to(someone)).toHaveLength(1)
  })
})

describe('the list', () => {
  it('and the count leave out trouble that is over', async () => {
    const { someone, deliveries } = await withPosts(1, 2)
    const { workFor } = notifier()
    for (const [delivery] of deliveries) await moveTo(delivery, failed())
    await workFor(SECOND_MS)
    expect(await unreadOf(someone)).toBe(2)
    const [[first] = [], [second] = []] = deliveries
    await moveTo(first, makeState('published', clock))
    expect((await listOf(someone)).map(({ subject }) => subject)).toEqual(['Post 1'])
    await someone.call('dismissDelivery', { params: { deliveryId: second ?? 0 } })
    expect([await unreadOf(someone), await listOf(someone)]).toEqual([0, []])
  })

  it('is read page by page, marked up to one, and of one user', async () => {
    const { someone, deliveries } = await withPosts(1, 3)
    const other = await signUp(testServer)
    const { workFor } = notifier()
    for (const [delivery] of deliveries) {
      await moveTo(delivery, failed())
      await workFor(16 * MINUTE_MS)
    }
    const [newest, middle, oldest] = await listOf(someone)
    const page = await someone.call('listNotifications', {
      query: { cursor: String(middle?.notification_id) },
    })
    expect(page).toEqual({ items: [oldest], next_cursor: null })
    const upTo = { notification_id: middle?.notification_id ?? 0, and_earlier: true }
    await other.call('readNotifications', { body: upTo })
    expect(await unreadOf(someone)).toBe(3)
    await someone.call('readNotifications', { body: upTo })
    expect(await someone.call('getUnread')).toMatchObject({ unread: 1, latest: newest })
    expect((await listOf(someone)).map(({ read }) => read)).toEqual([false, true, true])
    expect(await listOf(other)).toEqual([])
    await deleteOldNotifications(testServer.deps.db, clock + 91 * DAY_MS)
    expect(await listOf(someone)).toEqual([])
  })
})
