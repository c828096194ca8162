import { once } from 'node:events'
import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { openBody } from './body-stream.ts'

it('the body of a client that has left already ends at once', async () => {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const call = request({ port, host: '127.0.0.1', method: 'POST', headers: { 'content-length': 100 } })
    call.on('error', () => {})
    call.write('some')
    const [raw] = (await once(server, 'request')) as [IncomingMessage]
    raw.on('error', () => {})
    call.destroy()
    await expect.poll(() => raw.closed).toBe(true)
    expect(await openBody(raw).stream.getReader().read()).toEqual({ done: true, value: undefined })
  } finally {
    server.close()
  }
})
