import { once } from 'node:events'
import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { expect, it } from 'vitest'
import { createUserLimit } from './user-limit.ts'

const ADA = 1
const BO = 2

const response = () => new ServerResponse(new IncomingMessage(new Socket()))
const end = (answered: ServerResponse) => {
  answered.destroy()
  answered.emit('close')
}
function enter(limit: ReturnType<typeof createUserLimit>, userId: number) {
  const answered = response()
  const call = { answered, state: 'waits' }
  const entering = limit.enter(userId, answered).then(
    () => (call.state = 'runs'),
    (error: { code?: string }) => (call.state = error.code ?? 'failed'),
  )
  return Object.assign(call, { entering })
}
const settle = () => new Promise((resolve) => setImmediate(resolve))

it('calls of a user run a few at a time, in the order in which they came', async () => {
  const limit = createUserLimit({ running: 2, waiting: 3 })
  const calls = Array.from({ length: 5 }, () => enter(limit, ADA))
  await settle()
  const states = () => calls.map(({ state }) => state)
  expect(states()).toEqual(['runs', 'runs', 'waits', 'waits', 'waits'])
  calls[1]?.answered.emit('finish')
  await settle()
  expect(states()).toEqual(['runs', 'runs', 'runs', 'waits', 'waits'])
  end(calls[0]?.answered ?? response())
  await settle()
  expect(states()).toEqual(['runs', 'runs', 'runs', 'runs', 'waits'])
})

it('a call beyond those that wait is refused, and may be repeated in a moment', async () => {
  const limit = createUserLimit({ running: 1, waiting: 1 })
  void limit.enter(ADA, response())
  void limit.enter(ADA, response())
  await expect(limit.enter(ADA, response())).rejects.toMatchObject({
    code: 'too_many_requests',
    retryAfterS: 1,
  })
  await limit.enter(BO, response())
})

it('a client that leaves gives its place up', async () => {
  const limit = createUserLimit({ running: 1, waiting: 1 })
  const first = enter(limit, ADA)
  const left = enter(limit, ADA)
  end(left.answered)
  await settle()
  const next = enter(limit, ADA)
  await settle()
  expect([left.state, next.state]).toEqual(['too_many_requests', 'waits'])
  end(first.answered)
  await settle()
  expect(next.state).toBe('runs')
})

it('work that goes on after its client left keeps its permit', async () => {
  const limit = createUserLimit({ running: 1, waiting: 1 })
  const first = enter(limit, ADA)
  await settle()
  const work = Promise.withResolvers<void>()
  const holding = limit.track(first.answered, () => work.promise)
  end(first.answered)
  const next = enter(limit, ADA)
  await settle()
  expect(next.state).toBe('waits')
  work.resolve()
  await holding
  await settle()
  expect(next.state).toBe('runs')
})

it('work does not begin once its client has left', async () => {
  const limit = createUserLimit({ running: 1, waiting: 1 })
  const { answered } = enter(limit, ADA)
  await settle()
  end(answered)
  let began = false
  const holding = limit.track(answered, async () => {
    began = true
  })
  await expect(holding).rejects.toMatchObject({ code: 'too_many_requests' })
  expect(began).toBe(false)
})

it('a permit is returned once, however a response ends', async () => {
  const limit = createUserLimit({ running: 1, waiting: 2 })
  const first = enter(limit, ADA)
  const [second, third] = [enter(limit, ADA), enter(limit, ADA)]
  await settle()
  first.answered.emit('finish')
  end(first.answered)
  await settle()
  expect([second.state, third.state]).toEqual(['runs', 'waits'])
})

it('a client that was gone before it was let in keeps no permit', async () => {
  const limit = createUserLimit({ running: 1, waiting: 1 })
  const gone = response()
  end(gone)
  await limit.enter(ADA, gone)
  const next = enter(limit, ADA)
  await settle()
  expect(next.state).toBe('runs')
})

it('work for a response that stays open waits in turn, and returns its permit when it is done', async () => {
  const limit = createUserLimit({ running: 1, waiting: 1 })
  const stream = response()
  expect(await limit.run(ADA, stream, async () => 'read')).toBe('read')
  await expect(limit.run(ADA, stream, () => Promise.reject(new Error('lost')))).rejects.toThrow('lost')
  const next = enter(limit, ADA)
  await settle()
  expect(next.state).toBe('runs')
})

it('a client that does not read its answer is cut off, and its permit returned', async () => {
  const limit = createUserLimit({ running: 1, waiting: 1, unreadMaxMs: 100 })
  const large = Buffer.alloc(64 * 1_048_576)
  const server = createServer((_request, answered) => {
    void limit
      .enter(ADA, answered)
      .then(() => limit.track(answered, async () => answered.end(large)))
      .catch(() => undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const client = connect(port, '127.0.0.1').pause()
  client.on('error', () => undefined) // the connection is reset
  client.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await once(server, 'request')
  await settle()
  const next = enter(limit, ADA)
  expect(next.state).toBe('waits')
  await next.entering
  expect(next.state).toBe('runs')
  client.destroy()
  server.close()
})
