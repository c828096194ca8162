import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, it } from 'vitest'
import { createPublicClient, type PublicClient, readBeginning } from './public-fetch.ts'

const servers: Server[] = []
const clients: PublicClient[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.close()
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

/** A server on this machine. @returns its port, and how often something connected to it */
async function serve(listener: RequestListener) {
  let connections = 0
  const server = createServer(listener).on('connection', () => {
    connections += 1
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens at a port
  return { port, countConnections: () => connections }
}

function makeClient(options: Parameters<typeof createPublicClient>[0]) {
  const client = createPublicClient(options)
  clients.push(client)
  return (url: string, signal = new AbortController().signal) =>
    client.open({ url: new URL(url), method: 'POST', body: '{}', signal })
}

it.each([
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://10.0.0.1/',
  'https://192.168.1.1/',
  'https://172.16.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://100.64.0.1/',
  'https://0.0.0.0/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://[::127.0.0.1]/',
  'https://[64:ff9b::10.0.0.1]/',
  'https://[64:ff9b:1::8.8.8.8]/',
  'https://[2002:7f00:1::]/',
  'https://[fd00:ec2::254]/',
  'https://[fe80::1]/',
  'https://[fec0::1]/',
])('%s is not called', async (url) => {
  expect(await makeClient({ allowPrivate: false })(url)).toEqual({ kind: 'none', why: 'not_public' })
})

it('http is not called', async () => {
  const open = makeClient({ allowPrivate: false })
  expect(await open('http://example.com/')).toEqual({ kind: 'none', why: 'not_https' })
})

it.each(['127.0.0.1', '::ffff:127.0.0.1', '169.254.169.254', 'fd00::1'])(
  'a name that leads to %s is not connected to',
  async (address) => {
    const { port, countConnections } = await serve((_request, response) => response.end())
    const open = makeClient({ allowPrivate: false, resolve: async () => [address] })
    expect(await open(`https://rebound.example:${port}/`)).toEqual({ kind: 'none', why: 'not_public' })
    expect(countConnections()).toBe(0)
  },
)

it('a name is looked up and checked for each connection', async () => {
  const { port, countConnections } = await serve((_request, response) => response.end())
  const found = [['10.0.0.1'], ['127.0.0.1', 'fe80::1'], []]
  const open = makeClient({ allowPrivate: false, resolve: async () => found.shift() ?? [] })
  const url = `https://rebound.example:${port}/`
  const answers = [await open(url), await open(url), await open(url)]
  expect(answers.map((answer) => answer.kind === 'none' && answer.why)).toEqual([
    'not_public',
    'not_public',
    'no_address',
  ])
  expect(countConnections()).toBe(0)
})

it('a redirect is an answer', async () => {
  const asked: string[] = []
  const { port } = await serve((request, response) => {
    asked.push(String(request.url))
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  const answer = await makeClient({ allowPrivate: true })(`http://127.0.0.1:${port}/`)
  expect(answer.kind === 'answered' && answer.response.statusCode).toBe(302)
  expect(asked).toEqual(['/'])
})

it('of an endless answer only the beginning is read, and its connection ends', async () => {
  let sent = 0
  const ended = Promise.withResolvers<void>()
  const { port } = await serve((_request, response) => {
    const chunk = Buffer.alloc(65_536, 'x')
    const send = () => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length
    }
    response.on('drain', send).on('close', ended.resolve)
    send()
  })
  const answer = await makeClient({ allowPrivate: true })(`http://127.0.0.1:${port}/`)
  if (answer.kind === 'none') throw new Error(answer.why)
  expect((await readBeginning(answer.response, 4096)).length).toBe(4096)
  await ended.promise
  expect(sent).toBeLessThan(50_000_000)
})

it('an answer is read as it comes, not decompressed', async () => {
  const bomb = gzipSync(Buffer.alloc(10_000_000))
  const { port } = await serve((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
  })
  const answer = await makeClient({ allowPrivate: true })(`http://127.0.0.1:${port}/`)
  if (answer.kind === 'none') throw new Error(answer.why)
  expect(await readBeginning(answer.response, 100_000)).toEqual(bomb)
})

it('a server that never answers, and one that never ends, are given up', async () => {
  const silent = await serve(() => {})
  const open = makeClient({ allowPrivate: true })
  expect(await open(`http://127.0.0.1:${silent.port}/`, AbortSignal.timeout(50))).toEqual({
    kind: 'none',
    why: 'timed_out',
  })
  const slow = await serve((_request, response) => response.writeHead(200).write('begun'))
  const answer = await open(`http://127.0.0.1:${slow.port}/`, AbortSignal.timeout(200))
  if (answer.kind === 'none') throw new Error(answer.why)
  expect(String(await readBeginning(answer.response, 100))).toBe('begun')
})

it('a connection that is refused, or cut, has no answer', async () => {
  const { port } = await serve((request) => request.socket.destroy())
  const open = makeClient({ allowPrivate: true })
  expect(await open(`http://127.0.0.1:${port}/`)).toEqual({ kind: 'none', why: 'unreachable' })
  expect(await open('http://127.0.0.1:1/')).toEqual({ kind: 'none', why: 'unreachable' })
})

it('connections are used again, and a call on one that was just closed is repeated', async () => {
  const { port, countConnections } = await serve((_request, response) => response.end('ok'))
  const open = makeClient({ allowPrivate: true })
  const ask = async () => {
    const answer = await open(`http://127.0.0.1:${port}/`)
    if (answer.kind === 'none') throw new Error(answer.why)
    return String(await readBeginning(answer.response, 100))
  }
  expect([await ask(), await ask()]).toEqual(['ok', 'ok'])
  expect(countConnections()).toBe(1)
  for (const server of servers) server.closeAllConnections()
  expect(await ask()).toBe('ok')
  await sleep(0)
  expect(countConnections()).toBe(2)
})
