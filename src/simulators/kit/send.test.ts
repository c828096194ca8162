import { globalAgent, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { startMediaHost } from '../test-media-host.ts'
import { send } from './send.ts'

const closers: (() => void)[] = []
afterEach(() => closers.splice(0).forEach((close) => close()))

async function serve(answer: (response: ServerResponse) => void): Promise<URL> {
  const host = await startMediaHost((_request, response) => answer(response))
  closers.push(() => host.close())
  return new URL(host.url)
}

/** Answers with less than it promises. */
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

test('an answer that is no HTTP is an error of its body, and no end of the process', async () => {
  const address = await serve((response) =>
    response.socket?.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nnonsense'),
  )
  const { status, body } = await send(address, {})
  expect(status).toBe(200)
  await expect(text(body)).rejects.toThrow('Parse Error')
})

test('without a limit an answer may take longer than the agent keeps idle connections', async () => {
  const { options } = globalAgent as unknown as { options: { timeout: number } } // documented, and not typed
  const { timeout } = options
  options.timeout = 50
  closers.push(() => (options.timeout = timeout))
  const address = await serve((response) => setTimeout(() => response.end('late'), 200))
  const { body } = await send(address, {})
  expect(await text(body)).toBe('late')
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
