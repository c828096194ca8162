import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Balancer = { readonly port: number; stop(): Promise<void> }

const LOOK_MS = 250

/**
 * Forwards each connection to one of the ready web servers at `ports`, round-robin. Like other balancers it polls
 * `/readyz`, and tries another server if a connection is refused.
 */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const stopping = new AbortController()
  const open = new Set<Socket>()
  let ready: readonly number[] = []
  let turn = 0

  const server = createServer({ allowHalfOpen: true }, (client) => {
    keep(open, client)
    void passOn(client)
  })
  const passOn = async (client: Socket) => {
    for (let tries = 0; tries < 100 && !client.destroyed; tries += 1) {
      const port = ready[turn++ % ready.length]
      const backend = port === undefined ? null : await connected(port)
      if (backend === null) {
        await sleep(LOOK_MS)
        continue
      }
      keep(open, backend)
      client.pipe(backend).pipe(client)
      client.once('close', () => backend.destroy())
      backend.once('close', () => client.destroy())
      return
    }
    client.destroy()
  }
  const watch = async () => {
    while (!stopping.signal.aborted) {
      const answers = await Promise.all(ports.map(isReady))
      ready = ports.filter((_, i) => answers[i])
      await sleep(LOOK_MS)
    }
  }
  const watching = watch()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port, // of a TCP server that listens
    async stop() {
      stopping.abort()
      await watching
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

function keep(open: Set<Socket>, socket: Socket): void {
  open.add(socket)
  socket.on('error', () => socket.destroy())
  socket.once('close', () => open.delete(socket))
}

const connected = (port: number): Promise<Socket | null> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.once('connect', () => resolve(socket))
    socket.once('error', () => resolve(null))
  })

async function isReady(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(5_000) })
    // Node's client throws outside any handler if the server closes a connection whose answer was not read.
    await answer.text()
    return answer.ok
  } catch {
    return false
  }
}
