import { createServer } from 'node:net'

/**
 * Above 10080, which browsers refuse. Below those that a system gives to connections and to servers that name none: one of
 * them would be taken before its server listens.
 */
const FIRST = 10_100
const BLOCK = 100
const BLOCKS = 220

let taken: Promise<number> | null = null
let next = 0

/** A port on which nothing listens, for a server that is to listen there soon: each process has ports of its own. */
export async function freePort(): Promise<number> {
  taken ??= takeBlock()
  const first = await taken
  for (let tries = 1; tries < BLOCK; tries += 1) {
    const port = first + 1 + (next++ % (BLOCK - 1))
    if (await canListen(port)) return port
  }
  throw new Error('no free port')
}

/** Listens on a block's first port for as long as this process lives, so that no other process takes the block. */
async function takeBlock(): Promise<number> {
  for (let tries = 0; tries < BLOCKS; tries += 1) {
    const first = FIRST + ((process.pid + tries) % BLOCKS) * BLOCK
    if (await hold(first)) return first
  }
  throw new Error('no free block of ports')
}

const hold = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => {
      server.unref()
      resolve(true)
    })
  })

const canListen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
