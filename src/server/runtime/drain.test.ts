import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { drainOnStop } from './drain.ts'

async function startServer() {
  const app = Fastify({ forceCloseConnections: true })
  drainOnStop(app)
  const slow = Promise.withResolvers<string>()
  let asked: () => void
  const isAsked = new Promise<void>((resolve) => (asked = resolve))
  app.get('/slow', () => {
    asked()
    return slow.promise
  })
  app.get('/', () => 'here')
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return { app, url, isAsked, answerSlow: () => slow.resolve('done') }
}

async function ask(url: string, agent?: Agent) {
  const [answer] = (await once(get(url, { agent }), 'response')) as [IncomingMessage]
  const parts: unknown[] = await answer.setEncoding('utf8').toArray()
  return { text: parts.join(''), connection: answer.headers.connection }
}

it('what is out is answered, and new connections are refused', async () => {
  const { app, url, isAsked, answerSlow } = await startServer()
  const slow = ask(`${url}/slow`)
  await isAsked
  const drained = app.drain(0)
  await expect.poll(() => app.server.listening).toBe(false)
  await expect(ask(url)).rejects.toThrow('ECONNREFUSED')
  answerSlow()
  expect(await slow).toEqual({ text: 'done', connection: 'close' })
  await drained
  await app.close()
})

it('a connection that was kept alive is answered once more, and then ends', async () => {
  const { app, url } = await startServer()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  expect(await ask(url, agent)).toEqual({ text: 'here', connection: 'keep-alive' })
  const drained = app.drain(0)
  expect(await ask(url, agent)).toEqual({ text: 'here', connection: 'close' })
  await drained
  await app.close()
  agent.destroy()
})

it('still accepts connections for as long as it was told', async () => {
  const { app, url } = await startServer()
  void app.drain(600_000)
  await nextTurn()
  expect(app.draining.aborted).toBe(true)
  expect(await ask(url)).toEqual({ text: 'here', connection: 'close' })
  await app.close()
})
