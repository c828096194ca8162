import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { send } from './send.ts'

const closers: (() => void)[] = []
afterEach(() => closers.splice(0).forEach((close) => close()))

async function serve(answer: (response: ServerResponse) => void): Promise<URL> {
  const server = createServer((_request, response) => answer(response)).listen(0, '127.0.0.1')
  closers.push(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

/** Of an answer that promises more than it sends. */
function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': '100' })
  response.write('the beginning')
}

test('a request is answered whatever the status, a redirect too', async () => {
  const address = await serve((response) => response.writeHead(302, { location: '/there' }).end('moved'))
  const { status, headers, body } = await send(address, { method: 'POST', body: '{}' })
  expect([status, headers.location, await text(body)]).toEqual([302, '/there', 'moved'])
})

test('an answer that does not begin in time is an error', async () => {
  const address = await serve(() => {})
  await expect(send(address, { idleMs: 50 })).rejects.toThrow('timed out')
  await expect(send(address, { signal: AbortSignal.timeout(50) })).rejects.toThrow('aborted')
})

test('an answer that stands still, breaks or is given up throws where its body is read', async () => {
  const still = await send(await serve(begin), { idleMs: 50 })
  await expect(text(still.body)).rejects.toThrow('timed out')

  const broken = await send(
    await serve((response) => {
      begin(response)
      setTimeout(() => response.socket?.resetAndDestroy(), 50)
    }),
    {},
  )
  await expect(text(broken.body)).rejects.toThrow('ECONNRESET')

  const givenUp = await send(await serve(begin), { signal: AbortSignal.timeout(50) })
  await expect(text(givenUp.body)).rejects.toThrow('aborted')
})
