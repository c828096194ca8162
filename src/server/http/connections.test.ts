import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { limitConnections, limitPipelining } from './connections.ts'

const sockets: Socket[] = []
const servers: { close(): void }[] = []
afterEach(() => {
  sockets.splice(0).forEach((socket) => socket.destroy())
  servers.splice(0).forEach((server) => server.close())
})

async function start(limits: Parameters<typeof limitConnections>[1]) {
  const warnings: string[] = []
  const server = createServer()
  limitConnections(server, limits, {
    warn: (_facts: unknown, text?: string) => void warnings.push(text ?? ''),
  })
  server.on('connection', (socket) => {
    socket.on('error', () => {})
    if (!socket.destroyed) socket.write('hello')
  })
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const visit = async (from: string): Promise<{ served: boolean; socket: Socket }> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from })
    sockets.push(socket)
    socket.on('error', () => {})
    const served = await new Promise<boolean>((resolve) => {
      socket.once('data', () => resolve(true))
      socket.once('close', () => resolve(false))
    })
    return { served, socket }
  }
  const visits = async (times: number, from: string) => {
    const all = []
    for (let i = 0; i < times; i++) all.push((await visit(from)).served)
    return all
  }
  return { visit, visits, warnings }
}

const PROXY = '127.0.0.9'

it('connections per address are limited', async () => {
  const { visit, visits, warnings } = await start({
    maxConnections: 100,
    perAddress: 3,
    trustedProxies: [PROXY],
  })
  const first = await visit('127.0.0.2')
  expect(await visits(3, '127.0.0.2')).toEqual([true, true, false])
  expect(await visits(1, '127.0.0.3')).toEqual([true])
  expect(await visits(5, PROXY)).toEqual([true, true, true, true, true])
  first.socket.destroy()
  await expect.poll(async () => (await visit('127.0.0.2')).served).toBe(true)
  expect(warnings).toEqual([
    'connections are refused: 127.0.0.2 has too many open; MAX_CONNECTIONS sets the limit of all',
  ])
})

it('connections are reserved for trusted proxies', async () => {
  const { visits } = await start({ maxConnections: 10, perAddress: 5, trustedProxies: ['127.0.0.8/30'] })
  expect(await visits(5, '127.0.0.2')).toEqual([true, true, true, true, true])
  expect(await visits(5, '127.0.0.3')).toEqual([true, true, true, true, false])
  expect(await visits(2, PROXY)).toEqual([true, false])
})

it('with a proxy hop count there is no limit per address', async () => {
  const { visits } = await start({ maxConnections: 10, perAddress: 1, trustedProxies: 1 })
  expect(await visits(4, '127.0.0.2')).toEqual([true, true, true, true])
})

it('a connection that sends very many requests at once is cut off before they are carried out', async () => {
  let handled = 0
  const server = createHttpServer((_request, response) => {
    handled += 1
    setImmediate(() => response.end('ok'))
  })
  limitPipelining(server)
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const send = async (times: number): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => {})
    socket.resume()
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(times))
    return socket
  }
  await once(await send(1000), 'close')
  expect(handled).toBeLessThanOrEqual(4)
  handled = 0
  await send(4)
  await expect.poll(() => handled).toBe(4)
})
