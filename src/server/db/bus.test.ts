import { connect, createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import { pino } from 'pino'
import { afterEach, expect, it, vi } from 'vitest'
import { createTestDatabase } from '#test/support/database/test-database.ts'
import { notifyWake, openBus } from './bus.ts'
import { openDb } from '#base/db/open.ts'

afterEach(() => vi.useRealTimers())

it('reconnects every second, the first time a second after the connection was lost', async () => {
  const database = await createTestDatabase()
  const line = await lineTo(new URL(database.url))
  let pauses = 0
  const log = pino({ level: 'warn' }, { write: () => (pauses += 1) })
  const bus = await openBus(line.url, log)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  line.cut()
  for (const tries of [0, 1, 2, 3]) {
    await until(() => pauses === tries + 1)
    expect(line.refused()).toBe(tries)
    if (tries === 3) line.mend()
    const since = Date.now()
    vi.advanceTimersToNextTimer()
    expect(Date.now() - since).toBe(1000)
  }
  await until(() => line.open() === 1)
  const woken = new Promise((resolve) => bus.onWake(() => resolve('woken')))
  const db = openDb(database.url)
  await notifyWake(db)
  expect(await woken).toBe('woken')
  expect([line.refused(), line.open()]).toEqual([3, 1])
  await bus.close()
  await db.destroy()
  line.close()
  await database.drop()
})

const realTimeout = setTimeout

async function until(look: () => boolean): Promise<void> {
  while (!look()) await new Promise((resolve) => realTimeout(resolve, 10))
}

async function lineTo(target: URL) {
  let isUp = true
  let refused = 0
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    if (!isUp) {
      refused += 1
      return near.destroy()
    }
    const far = connect(Number(target.port), target.hostname)
    sockets.add(near)
    near.pipe(far).pipe(near)
    near.on('error', () => far.destroy()).on('close', () => far.destroy())
    near.on('close', () => sockets.delete(near))
    far.on('error', () => near.destroy())
    return near
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const url = new URL(target)
  url.host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  return {
    url: url.href,
    cut() {
      isUp = false
      sockets.forEach((socket) => socket.destroy())
    },
    mend: () => (isUp = true),
    refused: () => refused,
    open: () => sockets.size,
    close: () => server.close(),
  }
}
