import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A connection between a browser and the server that fails like a network. */
export type UnreliableLine = {
  readonly url: string
  /** Lets this many more bytes per connection through to the server, then none; null: all. */
  stallAfter(bytes: number | null): void
  /** Ends every connection, and refuses new ones until `mend`. */
  cut(): void
  mend(): void
  stop(): Promise<void>
}

export async function startLine(targetUrl: string): Promise<UnreliableLine> {
  const target = new URL(targetUrl)
  const state = { limit: null as number | null, isCut: false }
  const connections = new Set<Connection>()
  const server = createServer((browser) => {
    if (state.isCut) return browser.destroy()
    const connection = openConnection(browser, Number(target.port), state)
    connections.add(connection)
    browser.once('close', () => connections.delete(connection))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const end = () => {
    for (const { destroy } of connections) destroy()
  }
  return {
    url: `http://localhost:${port}`,
    stallAfter(bytes) {
      state.limit = bytes
      for (const connection of connections) connection.restart()
    },
    cut() {
      state.isCut = true
      end()
    },
    mend: () => void (state.isCut = false),
    async stop() {
      const closed = once(server, 'close')
      server.close()
      end()
      await closed
    },
  }
}

type State = { readonly limit: number | null; readonly isCut: boolean }
type Connection = { readonly destroy: () => void; readonly restart: () => void }

function openConnection(browser: Socket, port: number, state: State): Connection {
  const upstream = connect(port, 'localhost')
  let passed = 0
  const isStalled = () => state.limit !== null && passed >= state.limit
  const destroy = () => {
    browser.destroy()
    upstream.destroy()
  }
  browser.on('data', (bytes) => {
    passed += bytes.length
    if (!upstream.write(bytes) || isStalled()) browser.pause()
  })
  upstream.on('drain', () => isStalled() || browser.resume())
  upstream.pipe(browser)
  for (const socket of [browser, upstream]) socket.on('error', destroy).on('close', destroy)
  return {
    destroy,
    restart: () => {
      passed = 0
      browser.resume()
    },
  }
}
