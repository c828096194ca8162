import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { z } from 'zod'
import type { Account } from '#contract/accounts.ts'
import { createEncrypter } from '#base/encryption.ts'
import { QUICK } from '#test/support/quick-worker.ts'
import {
  type Person,
  signIn,
  signUp,
  startTestServer,
  type TestServer,
  until,
} from '#test/support/test-server.ts'
import { type Receiver, startReceiver } from '#test/support/webhook-receiver.ts'
import { processNextEvent } from '../notifications/notifier.ts'
import { workerDeps } from '../worker-deps.ts'
import { claimMessages, deleteOldMessages } from './messages.ts'
import { findListeners, recordEvents } from './record-events.ts'
import { nextAttemptAt, startWebhookSender } from './sender.ts'

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000]
const DAY = 24 * HOUR

let testServer: TestServer
let receiver: Receiver
let ada: Person
/** The server's clock, in ms ahead of the real one. */
let ahead = 0
const now = () => Date.now() + ahead
const stops: (() => Promise<void>)[] = []

beforeAll(async () => {
  testServer = await startTestServer({ env: { PRIVATE_ADDRESSES: 'allow' }, now })
})
beforeEach(async () => {
  receiver = await startReceiver()
  stops.push(() => receiver.stop())
  ada = await signUp(testServer)
})
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
  await testServer.deps.db.deleteFrom('webhooks').execute()
  ahead = 0
})
afterAll(() => testServer.stop())

/** `crashPoint` as a dying process meets it. @returns how to stop it */
function startSender({
  leaseMs = 30_000,
  crashPoint = async () => {},
}: { leaseMs?: number; crashPoint?: (name: string) => Promise<void> } = {}) {
  const deps = { ...workerDeps(testServer.deps, crashPoint), log: pino({ level: 'silent' }) }
  const sender = startWebhookSender({ ...deps, db: deps.backgroundDb }, { pollMs: QUICK.pollMs, leaseMs })
  stops.push(() => sender.stop())
  return sender
}

async function makeWebhook(person = ada, url = receiver.url) {
  const { webhook, secret } = await person.call('createWebhook', {
    body: { address: url, events: ['account.needs_relink', 'delivery.link_resolved'] },
  })
  const { user_id: userId } = await person.call('getUser')
  return { webhookId: webhook.webhook_id, secret, userId }
}

const ACCOUNT: z.input<typeof Account> = {
  account_id: 1,
  brand_id: 1,
  username: 'nova',
  platform: 'tiktok',
  display_name: 'Nova',
  avatar_url: null,
  health: { status: 'relink', reason: 'It was removed.' },
  paused: false,
  paused_until: null,
  can_publish: true,
  permissions: [],
  linked_at: '2026-11-01T12:00:00.000Z',
  access_ends_at: null,
}

/** Records events as the transaction of a change does. */
const record = ({ userId }: { userId: number }, count = 1) =>
  testServer.deps.db.transaction().execute(async (trx) => {
    const events = Array.from({ length: count }, () => ({
      userId,
      type: 'account.needs_relink' as const,
      data: { account: ACCOUNT },
    }))
    await recordEvents(trx, await findListeners(trx, [userId]), events, now())
  })

const listLog = async (webhookId: number, person = ada) =>
  (await person.call('listWebhookMessages', { params: { webhookId } })).items

const untilLog = (
  what: string,
  webhookId: number,
  isThere: (log: Awaited<ReturnType<typeof listLog>>) => boolean,
) =>
  until(what, async () => {
    const log = await listLog(webhookId)
    return isThere(log) && log
  })

/** The webhook's messages are due at once, whatever they wait for. */
const wakeAll = (webhookId: number) =>
  testServer.deps.db
    .updateTable('webhook_messages')
    .set({ wake_at: new Date(0) })
    .where('webhook_id', '=', webhookId)
    .where('wake_at', 'is not', null)
    .execute()

const getWebhook = async (webhookId: number) =>
  (await ada.call('listWebhooks')).find(({ webhook_id }) => webhook_id === webhookId)

/** Sessions end as the clock moves. */
const again = (person: Person): Promise<Person> => signIn(testServer, person.email)

it('attempts are 5 s, 1 min, 5 min, 30 min, 2 h, 5 h and then 10 h apart, for three days', () => {
  const waits: number[] = []
  for (let at: number | null = 0; at !== null;) {
    const next: number | null = nextAttemptAt(0, at)
    if (next !== null) waits.push(next - at)
    at = next
  }
  expect(waits.slice(0, 8)).toEqual([
    5 * SECOND,
    MINUTE,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    10 * HOUR,
  ])
  expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(3 * DAY)
  // Attempts that were due while the server was down are not made up for.
  expect(nextAttemptAt(0, DAY)).toBeGreaterThan(DAY)
})

it('a message is signed, and delivered once', async () => {
  const hook = await makeWebhook()
  startSender()
  await record(hook)
  const [message] = await untilLog('the delivery', hook.webhookId, ([one]) => one?.status === 'delivered')
  const [call] = receiver.calls
  if (!call || !message) throw new Error('Nothing was sent.')
  receiver.verify(call, hook.secret)
  expect(call.headers['webhook-id']).toBe(message.event_id)
  expect(call.body).toMatchObject({ id: message.event_id, data: { account: { username: 'nova' } } })
  expect(message).toMatchObject({ attempts: 1, answer_status: 204, failure: null, next_at: null })
  expect(receiver.calls).toHaveLength(1)
})

it('for a day after a rotation both secrets sign, then only the new one', async () => {
  const hook = await makeWebhook()
  const { secret, webhook } = await ada.call('rotateWebhookSecret', { params: { webhookId: hook.webhookId } })
  expect(Date.parse(webhook.rotating_until ?? '') - now()).toBeGreaterThan(23 * HOUR)
  startSender()
  await record(hook)
  await untilLog('the delivery', hook.webhookId, ([one]) => one?.status === 'delivered')
  const [call] = receiver.calls
  if (!call) throw new Error('Nothing was sent.')
  receiver.verify(call, hook.secret)
  receiver.verify(call, secret)
  await testServer.deps.db
    .updateTable('webhooks')
    .set({ old_secret_until: new Date(now()) })
    .execute()
  await record(hook)
  await until('the second call', async () => receiver.calls[1] ?? null)
  const [, second] = receiver.calls
  if (second) receiver.verify(second, secret)
  expect(() => second && receiver.verify(second, hook.secret)).toThrow('No matching signature')
})

it.each([
  ['500', 500, 'refused'],
  ['410', 410, 'refused'],
  ['a redirect', 302, 'redirected'],
])('%s is a failure, and the next attempt has the same id and body', async (_what, status, failure) => {
  const hook = await makeWebhook()
  receiver.answer((response) => response.writeHead(status, { location: receiver.url }).end('No.'))
  startSender()
  await record(hook)
  const [failed] = await untilLog('the failure', hook.webhookId, ([one]) => one?.failure === failure)
  expect(failed).toMatchObject({ status: 'waiting', answer_status: status, attempts: 1 })
  expect(Date.parse(failed?.next_at ?? '')).toBeGreaterThan(Date.parse(failed?.created_at ?? ''))
  expect(await getWebhook(hook.webhookId)).toMatchObject({ status: 'failing' })
  const detail = await ada.call('getWebhookMessage', {
    params: { webhookId: hook.webhookId, messageId: failed?.message_id ?? 0 },
  })
  expect([detail.answer, detail.body]).toEqual(['No.', receiver.calls[0]?.raw])
  receiver.answer((response) => response.writeHead(200).end())
  await wakeAll(hook.webhookId)
  await untilLog('the delivery', hook.webhookId, ([one]) => one?.status === 'delivered')
  const [first, second] = receiver.calls
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect(second?.raw).toBe(first?.raw)
  expect(await getWebhook(hook.webhookId)).toMatchObject({ status: 'on' })
})

it('without the key of its secret a webhook fails, until it gets a new secret', async () => {
  const hook = await makeWebhook()
  const lost = createEncrypter(['another key than that of the server']).encrypt(hook.secret)
  await testServer.deps.db
    .updateTable('webhooks')
    .set({ secret: lost })
    .where('webhook_id', '=', hook.webhookId)
    .execute()
  startSender()
  await record(hook)
  const [failed] = await untilLog('the failure', hook.webhookId, ([one]) => one?.failure === 'secret_lost')
  expect(failed).toMatchObject({ status: 'waiting', answer_status: null, attempts: 1 })
  const { secret } = await ada.call('rotateWebhookSecret', { params: { webhookId: hook.webhookId } })
  await wakeAll(hook.webhookId)
  await untilLog('the delivery', hook.webhookId, ([one]) => one?.status === 'delivered')
  const [call] = receiver.calls
  if (!call) throw new Error('Nothing was sent.')
  receiver.verify(call, secret)
})

it('two senders at once send each message once', async () => {
  const hooks = await Promise.all(Array.from({ length: 5 }, () => makeWebhook()))
  for (const hook of hooks) await record(hook, 8)
  startSender()
  startSender()
  await until('all calls', async () => receiver.calls.length >= 200)
  await until('the log', async () => {
    const logs = await Promise.all(hooks.map(({ webhookId }) => listLog(webhookId)))
    return logs.flat().every(({ status }) => status === 'delivered')
  })
  expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(40)
  expect(receiver.calls).toHaveLength(200)
})

it('of an endless answer the log keeps the beginning, without what PostgreSQL cannot store', async () => {
  const hook = await makeWebhook()
  receiver.answer((response) => {
    response.writeHead(500)
    const send = () => {
      while (!response.destroyed && response.write('\0x'.repeat(32_768)));
    }
    response.on('drain', send)
    send()
  })
  startSender()
  await record(hook)
  const [failed] = await untilLog('the failure', hook.webhookId, ([one]) => one?.failure === 'refused')
  const params = { webhookId: hook.webhookId, messageId: failed?.message_id ?? 0 }
  const { answer } = await ada.call('getWebhookMessage', { params })
  expect(answer).toBe('\uFFFDx'.repeat(2048))
})

it('receivers that hang hold up no other, and are called one message at a time', async () => {
  const eve = await signUp(testServer)
  const silent = await startReceiver()
  stops.push(() => silent.stop())
  silent.answer(() => {})
  const [hanging, hook] = [await makeWebhook(eve, silent.url), await makeWebhook()]
  await record(hanging, 200)
  startSender()
  await until('the call that hangs', async () => silent.calls[0] ?? null)
  await record(hook, 50)
  await until('the others', async () => receiver.calls.length === 50)
  expect(silent.calls).toHaveLength(1)
})

it('nothing is sent for a user who is disabled, and what waited is sent once they are enabled', async () => {
  const hook = await makeWebhook()
  await record(hook)
  const user = testServer.deps.db.updateTable('users').where('user_id', '=', hook.userId)
  await user.set({ disabled_at: new Date(now()) }).execute()
  const other = await makeWebhook(await signUp(testServer))
  startSender()
  await record(other)
  await until('the call for another user', async () => receiver.calls[0] ?? null)
  await user.set({ disabled_at: null }).execute()
  await untilLog('the delivery', hook.webhookId, ([one]) => one?.status === 'delivered')
  const called = receiver.calls.map(({ headers }) => headers['webhook-id'])
  const [late] = await listLog(hook.webhookId)
  expect(called).toHaveLength(2)
  expect(called[1]).toBe(late?.event_id)
})

it('webhooks with many old messages leave the next free place to those with a newer one', async () => {
  const busy = await makeWebhook()
  await record(busy, 20)
  await testServer.deps.db
    .updateTable('webhooks')
    .set({ succeeded_at: new Date(now()) })
    .execute()
  const fresh = await makeWebhook(await signUp(testServer))
  ahead += SECOND
  await record(fresh)
  const claim = (running: { webhookId: number }[], limit: number) => {
    const each = { proven: 10, doubtful: 1 }
    return claimMessages(testServer.deps.db, { now: now(), leaseMs: 30_000, limit, each, running })
  }
  expect((await claim([], 1)).map(({ webhookId }) => webhookId)).toEqual([busy.webhookId])
  expect((await claim([busy], 1)).map(({ webhookId }) => webhookId)).toEqual([fresh.webhookId])
  expect(await claim([busy, fresh], 20)).toHaveLength(9)
})

it('a webhook that has answered is called with ten messages at a time, and with one before', async () => {
  const hook = await makeWebhook()
  const open: (() => void)[] = []
  let most = 0
  receiver.answer((response) => {
    open.push(() => response.writeHead(204).end())
    most = Math.max(most, open.length)
  })
  startSender()
  await record(hook, 31)
  await until('the first call', async () => open.length === 1)
  await sleep(200)
  expect(most).toBe(1)
  await until('all calls', async () => {
    const { length: calls } = receiver.calls
    if (open.length === 10 || calls === 1 || calls === 31) for (const end of open.splice(0)) end()
    return calls === 31
  })
  expect(most).toBe(10)
})

it('the log keeps so many messages of a webhook, and those that wait', async () => {
  const [hook, other] = [await makeWebhook(), await makeWebhook()]
  await record(hook, 5)
  await testServer.deps.db
    .updateTable('webhook_messages')
    .set({ wake_at: null })
    .where('webhook_id', '=', hook.webhookId)
    .execute()
  ahead += SECOND
  await record(hook)
  await deleteOldMessages(testServer.deps.db, now(), 3)
  const logs = await Promise.all([hook, other].map(({ webhookId }) => listLog(webhookId)))
  expect(logs.map((log) => log.map(({ status }) => status))).toEqual([
    ['waiting', 'failed', 'failed'],
    Array(6).fill('waiting'),
  ])
})

it('a webhook is switched off after three days without any success, with a notification', async () => {
  const hook = await makeWebhook()
  receiver.answer((response) => response.writeHead(500).end())
  await record(hook, 2)
  const sender = startSender()
  await untilLog('the failures', hook.webhookId, (log) => log.every(({ failure }) => failure === 'refused'))
  await sender.stop()
  ahead = 3 * DAY - MINUTE
  ada = await again(ada)
  await record(hook)
  await wakeAll(hook.webhookId)
  startSender()
  await untilLog('another attempt', hook.webhookId, (log) => log.every(({ attempts }) => attempts > 0))
  expect(await getWebhook(hook.webhookId)).toMatchObject({ status: 'failing' })
  ahead = 3 * DAY + MINUTE
  await wakeAll(hook.webhookId)
  const log = await untilLog('the end', hook.webhookId, (all) =>
    all.every(({ status }) => status === 'failed'),
  )
  expect(log.map(({ failure }) => failure)).toContain('off')
  expect(await getWebhook(hook.webhookId)).toMatchObject({ status: 'switched_off' })
  await until('the notification', async () => {
    await processNextEvent(testServer.deps)
    const { items } = await ada.call('listNotifications')
    return items.some(
      ({ kind, webhook_id, subject }) =>
        kind === 'webhook_off' && webhook_id === hook.webhookId && subject === receiver.url,
    )
  })
  // While it is off, what happens is written down and not sent.
  const calls = receiver.calls.length
  await record(hook)
  const [latest] = await listLog(hook.webhookId)
  expect(latest).toMatchObject({ status: 'failed', failure: 'off', attempts: 0 })
  // Turned on again, its user sends what it missed, and the notification is gone.
  receiver.answer((response) => response.writeHead(204).end())
  await ada.call('changeWebhook', { params: { webhookId: hook.webhookId }, body: { active: true } })
  expect((await ada.call('listNotifications')).items).toEqual([])
  expect(receiver.calls).toHaveLength(calls)
  const sent = await ada.call('resendWebhookMessages', {
    params: { webhookId: hook.webhookId },
    body: { since: new Date(0).toISOString(), undelivered: true },
  })
  expect(sent).toEqual({ messages: 4, more_since: null })
  await untilLog('the deliveries', hook.webhookId, (all) => all.every(({ status }) => status === 'delivered'))
})

it('a webhook with any success in these days stays on', async () => {
  const hook = await makeWebhook()
  receiver.answer((response, { body }) =>
    response.writeHead(body.timestamp === new Date(first).toISOString() ? 500 : 204).end(),
  )
  const first = now()
  await testServer.deps.db
    .transaction()
    .execute(async (trx) =>
      recordEvents(
        trx,
        await findListeners(trx, [hook.userId]),
        [{ userId: hook.userId, type: 'account.needs_relink', data: { account: ACCOUNT } }],
        first,
      ),
    )
  ahead = DAY
  ada = await again(ada)
  await record(hook)
  startSender()
  await untilLog('a success and a failure', hook.webhookId, (log) =>
    log.every(({ attempts }) => attempts === 1),
  )
  ahead = 3 * DAY + MINUTE
  ada = await again(ada)
  await wakeAll(hook.webhookId)
  await untilLog('the end', hook.webhookId, (log) => log.at(-1)?.status === 'failed')
  expect((await getWebhook(hook.webhookId))?.status).not.toBe('switched_off')
})

it('a test is sent once, also while the webhook is off', async () => {
  const hook = await makeWebhook()
  const params = { webhookId: hook.webhookId }
  await ada.call('changeWebhook', { params, body: { active: false } })
  receiver.answer((response) => response.writeHead(500).end())
  const test = await ada.call('testWebhook', { params })
  // Pressed twice, it is one test.
  expect((await ada.call('testWebhook', { params })).message_id).toBe(test.message_id)
  startSender()
  const [failed] = await untilLog('the answer', hook.webhookId, ([one]) => one?.status === 'failed')
  expect(failed).toMatchObject({ type: 'webhook.test', answer_status: 500, attempts: 1 })
  expect(receiver.calls.map(({ body }) => body.data)).toEqual([{ webhook_id: hook.webhookId }])
})

it('a message that was delivered is sent again with its id', async () => {
  const hook = await makeWebhook()
  startSender()
  await record(hook)
  const [message] = await untilLog('the delivery', hook.webhookId, ([one]) => one?.status === 'delivered')
  const params = { webhookId: hook.webhookId, messageId: message?.message_id ?? 0 }
  await ada.call('resendWebhookMessage', { params })
  await untilLog(
    'the second delivery',
    hook.webhookId,
    ([one]) => one?.status === 'delivered' && one.attempts === 2,
  )
  expect(receiver.calls.map(({ body }) => body.id)).toEqual([message?.event_id, message?.event_id])
})

it('a receiver in a private network is not called where that is not allowed', async () => {
  const hook = await makeWebhook()
  const deps = { ...workerDeps(testServer.deps), log: pino({ level: 'silent' }) }
  const config = { ...deps.config, privateAddresses: false }
  const sender = startWebhookSender({ ...deps, config, db: deps.backgroundDb }, QUICK)
  stops.push(() => sender.stop())
  await testServer.deps.db
    .updateTable('webhooks')
    .set({ address: receiver.url.replace('http:', 'https:') })
    .execute()
  await record(hook)
  const [failed] = await untilLog('the failure', hook.webhookId, ([one]) => one?.failure === 'not_public')
  expect(failed).toMatchObject({ attempts: 1, answer_status: null })
  expect(receiver.calls).toEqual([])
})

it('two senders share the messages, and none is sent twice', async () => {
  const hook = await makeWebhook()
  startSender()
  startSender()
  await record(hook, 100)
  await untilLog('all', hook.webhookId, (log) => log.every(({ status }) => status === 'delivered'))
  await until('all calls', async () => receiver.calls.length >= 100)
  expect(new Set(receiver.calls.map(({ body }) => body.id)).size).toBe(100)
  expect(receiver.calls).toHaveLength(100)
})

it.each(['before webhook call', 'after webhook call', 'after webhook save'])(
  'a sender that dies %s loses nothing, and repeats carry the same id',
  async (point) => {
    const hook = await makeWebhook()
    let refused = 0
    receiver.answer((response) => {
      refused += 1
      response.writeHead(refused <= 3 ? 500 : 204).end()
    })
    // What dies goes no further, and its claims run out.
    const dying = startSender({
      leaseMs: 1000,
      crashPoint: async (name) => {
        if (name === point) throw new Error('killed')
      },
    })
    await record(hook, 10)
    await until('it to die', async () => receiver.calls.length > 0 || point === 'before webhook call')
    await sleep(50)
    await dying.stop()
    startSender({ leaseMs: 1000 })
    await until('all deliveries', async () => {
      await wakeAll(hook.webhookId)
      const log = await listLog(hook.webhookId)
      return log.every(({ status }) => status === 'delivered')
    })
    const log = await listLog(hook.webhookId)
    const ids = new Set(receiver.calls.map(({ headers }) => headers['webhook-id']))
    expect(ids).toEqual(new Set(log.map(({ event_id }) => event_id)))
    expect(ids.size).toBe(10)
    // Whatever came twice is the same message to the letter.
    expect(new Set(receiver.calls.map(({ raw }) => raw)).size).toBe(10)
  },
)

it('a sender that is stopped gives its messages back', async () => {
  const hook = await makeWebhook()
  receiver.answer(() => {})
  const sender = startSender()
  await record(hook)
  await until('the call', async () => receiver.calls[0] ?? null)
  await sender.stop()
  const [message] = await listLog(hook.webhookId)
  expect(message).toMatchObject({ status: 'waiting', failure: null })
  expect(Date.parse(message?.next_at ?? '')).toBeLessThanOrEqual(now())
})
