import { connect, createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { createTestDatabase } from '#test/support/database/test-database.ts'
import { until } from '#test/support/test-server.ts'
import { notifyWake, openBus } from './bus.ts'
import { openDb } from '#base/db/open.ts'

it('reconnects every second while the database is down', async () => {
  const database = await createTestDatabase()
  const line = await lineTo(new URL(database.url))
  const bus = await openBus(line.url, pino({ level: 'silent' }))
  const cutAt = performance.now()
  line.cut()
  await sleep(5500)
  expect(line.refused()).toBeLessThanOrEqual(1 + (performance.now() - cutAt) / 1000)
  line.mend()
  await until('the bus to be back', () => Promise.resolve(line.open() === 1))
  const woken = new Promise((resolve) => bus.onWake(() => resolve('woken')))
  const db = openDb(database.url)
  await notifyWake(db)
  expect(await woken).toBe('woken')
  await sleep(1500)
  expect(line.open()).toBe(1)
  await bus.close()
  await db.destroy()
  line.close()
  await database.drop()
})

/** A database behind a line that can be cut. */
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
