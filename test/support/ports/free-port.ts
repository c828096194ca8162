import { createServer } from 'node:net'

/** Above 10080, which browsers refuse, and below the range from which systems assign ports by themselves. */
const FIRST = 10_100
const BLOCK = 100
const BLOCKS = 220

let taken: Promise<number> | null = null
let next = 0

/** Returns an unused port for a server that will soon listen there: each process has its own range. */
export async function freePort(): Promise<number> {
  taken ??= takeBlock()
  const first = await taken
  for (let tries = 1; tries < BLOCK; tries += 1) {
    const port = first + 1 + (next++ % (BLOCK - 1))
    if (await canListen(port)) return port
  }
  throw new Error('no free port')
}

/** Listens on the first port of a block until this process ends, so that no other process takes the block. */
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
