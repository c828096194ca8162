import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { COMPILED } from '../support/program.ts'
import { uploadVideo } from '../support/publish.ts'
import { signUp, startTestServer, type TestServer, until } from '../support/test-server.ts'
import { type Receiver, startReceiver } from '../support/webhook-receiver.ts'

const SENDER = fileURLToPath(new URL('processes/sender.ts', import.meta.url))
const KILLS = 6
const EVENTS = 60

let testServer: TestServer
let receiver: Receiver
let sender: ChildProcess | null = null
beforeAll(async () => {
  testServer = await startTestServer({ env: { PRIVATE_ADDRESSES: 'allow' } })
  receiver = await startReceiver()
})
afterAll(async () => {
  sender?.kill('SIGKILL')
  await receiver.stop()
  await testServer.stop()
})

const start = () => {
  sender = fork(SENDER, { env: { ...process.env, ...COMPILED, ...testServer.env } })
}

it('senders that are killed while they send lose no message, and repeats are the same to the letter', async () => {
  const ada = await signUp(testServer)
  const { webhook, secret } = await ada.call('createWebhook', {
    body: { address: receiver.url, events: ['video.ready'] },
  })
  // Each kill finds calls in every stage: begun, at the receiver, answered, saved.
  receiver.answer((response) => {
    setTimeout(() => response.writeHead(204).end(), 20)
  })
  for (let nth = 0; nth < EVENTS; nth += 1) await uploadVideo(ada)
  for (let kill = 1; kill <= KILLS; kill += 1) {
    start()
    const seen = receiver.calls.length
    await until('some calls', async () => receiver.calls.length >= seen + 2 * kill)
    sender?.kill('SIGKILL')
  }
  start()
  const params = { webhookId: webhook.webhook_id }
  await until('all to be delivered', async () => {
    const { count } = await testServer.deps.db
      .selectFrom('webhook_messages')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('delivered_at', 'is', null)
      .executeTakeFirstOrThrow()
    return count === 0
  })
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await ada.call('listWebhookMessages', {
      params,
      query: cursor === undefined ? {} : { cursor },
    })
    ids.push(...page.items.map(({ event_id }) => event_id))
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  expect(ids).toHaveLength(EVENTS)
  expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(ids))
  expect(new Set(receiver.calls.map(({ raw }) => raw)).size).toBe(EVENTS)
  for (const call of receiver.calls) receiver.verify(call, secret)
  // Some were sent twice, or no kill found a call.
  expect(receiver.calls.length).toBeGreaterThan(EVENTS)
})
