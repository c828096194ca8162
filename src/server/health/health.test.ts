import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDb } from '#base/db/open.ts'
import { mountSmallDisk } from '#test/support/disk/small-disk.ts'
import { startTestServer, type TestServer } from '#test/support/test-server.ts'
import { openDisk } from '../storage/disk.ts'
import { buildApp } from '../app.ts'
import { buildHealthApp, createHealth } from './health.ts'

let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer()
})
afterAll(() => testServer.stop())

const silent = { log: pino({ level: 'silent' }) }
type Overrides = Partial<Parameters<typeof createHealth>[0]>
const openHealth = (more: Overrides = {}) => createHealth({ ...testServer.deps, ...silent, ...more })
const both = async (more: Overrides) => {
  const health = openHealth(more)
  return [await health.getLiveness(), await health.getReadiness()]
}
const OK = { status: 'ok' }

it('a server that is well says so at both addresses, to HEAD too', async () => {
  for (const path of ['/healthz', '/readyz']) {
    const answer = await fetch(testServer.url + path)
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }])
    expect((await fetch(testServer.url + path, { method: 'HEAD' })).status).toBe(200)
  }
})

const degraded = (reason: string) => ({ status: 'degraded', reason })
const disk = mountSmallDisk(20)
afterAll(() => disk?.remove())
it.runIf(disk !== null)('a nearly full disk and a full one degrade readiness, and fail nothing', async () => {
  const storage = await openDisk(disk?.dir ?? '')
  disk?.fill(500_000)
  const low = degraded('The disk of the videos is nearly full: uploads are refused.')
  expect(await both({ storage })).toEqual([OK, low])
  disk?.fill()
  const full = degraded('The disk of the videos is full: uploads are refused.')
  expect(await both({ storage })).toEqual([OK, full])
  disk?.free()
  expect(await both({ storage })).toEqual([{ status: 'ok' }, { status: 'ok' }])
})

it('a database that cannot be written fails readiness, not liveness', async () => {
  const { db } = testServer.deps
  await sql`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file' using errcode = '53100'; end $$`.execute(db)
  await sql`create trigger refuse before update on worker_heartbeat execute function refuse()`.execute(db)
  const reason = 'The database cannot be written.'
  expect(await both({})).toEqual([OK, { status: 'failing', reason }])
  const app = await buildApp(testServer.deps, openHealth())
  expect((await app.inject('/healthz')).statusCode).toBe(200)
  expect((await app.inject('/readyz')).statusCode).toBe(503)
  await app.close()
  await sql`drop trigger refuse on worker_heartbeat`.execute(db)
})

it('while the database is away readiness fails in words, and a silent worker goes on', async () => {
  const away = openDb('postgres://reelay@127.0.0.1:1/reelay')
  let now = 1_000_000
  const health = openHealth({ db: away, worker: { claimedAt: () => 0 }, clock: () => now })
  for (let round = 0; round < 3; round += 1) {
    expect(await health.getReadiness()).toEqual({
      status: 'failing',
      reason: 'The database does not answer.',
    })
    expect(await health.getLiveness()).toEqual(OK)
    now += 61_000
  }
  await away.destroy()
})

it('liveness does not wait for a database or a disk that hangs', async () => {
  const hanging = Promise.withResolvers<void>()
  const storage = { ...testServer.deps.storage, probe: () => hanging.promise }
  const health = openHealth({ storage, worker: { claimedAt: () => 0 }, clock: () => 1_000_000 })
  const readiness = health.getReadiness()
  expect(await openHealth({ storage }).getLiveness()).toEqual(OK)
  expect(await health.getLiveness()).toEqual(OK)
  hanging.resolve()
  expect(await readiness).toEqual(OK)
})

it('a worker that no longer claims although the database answers needs a restart', async () => {
  let now = 1_000_000
  let claimed = now
  const health = openHealth({ worker: { claimedAt: () => claimed }, clock: () => now })
  expect(await health.getLiveness()).toEqual({ status: 'ok' })
  now += 61_000
  // Only now it looks if the database answers, and whether it goes on to.
  expect(await health.getLiveness()).toEqual({ status: 'ok' })
  now += 61_000
  const stuck = { status: 'failing', reason: 'The worker no longer asks for posts that are due.' }
  expect(await health.getLiveness()).toEqual(stuck)
  expect(await health.getReadiness()).toEqual(stuck)
  claimed = now
  now += 5_000
  expect(await health.getLiveness()).toEqual({ status: 'ok' })
})

it('a worker that waits for a restore to end degrades it, however long', async () => {
  let now = 1_000_000
  const worker = { claimedAt: () => 1_000_000 }
  const waiting = { waitsFor: () => 'The database is being restored.' }
  const health = openHealth({ worker, restoreGuard: waiting, clock: () => now })
  const answer = degraded('The database is being restored.')
  for (let round = 0; round < 2; round += 1) {
    expect([await health.getLiveness(), await health.getReadiness()]).toEqual([OK, answer])
    now += 3_600_000
  }
})

it('a check is shared by all who ask, and one that hangs is not begun again', async () => {
  let now = 1_000_000
  let probes = 0
  const hanging = Promise.withResolvers<void>()
  const storage = {
    ...testServer.deps.storage,
    probe: () => {
      probes += 1
      return hanging.promise
    },
  }
  const health = openHealth({ storage, clock: () => now })
  const answers = [health.getReadiness(), health.getReadiness()]
  now += 10_000
  answers.push(health.getReadiness())
  hanging.resolve()
  expect(await Promise.all(answers)).toEqual(answers.map(() => ({ status: 'ok' })))
  expect(probes).toBe(1)
})

it('a process without a web server answers about its health and nothing else', async () => {
  const app = buildHealthApp(openHealth())
  const status = async (url: string) => (await app.inject(url)).statusCode
  expect(
    await Promise.all(['/healthz', '/readyz', '/', '/dashboard', '/api/v1/settings'].map(status)),
  ).toEqual([200, 200, 404, 404, 404])
  await app.close()
})
