import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { uploadVideo } from '#test/support/publish.ts'
import { signUp, startTestServer, type TestServer, until } from '#test/support/test-server.ts'
import { createHealth } from '../health/health.ts'
import { runDoctor } from '../doctor/doctor.ts'
import { startProcessBeat } from './processes.ts'

let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer()
})
afterAll(() => testServer.stop())

it('an operator sees what the server has and does, and the processes that run', async () => {
  const operator = await signUp(testServer, 'Operator')
  const { size } = await uploadVideo(operator)
  const read = () => operator.call('getServer')
  expect(await read()).toMatchObject({
    queue: { waiting: 0, oldest_at: null, running: 0 },
    processes: [],
    videos: { count: 1, bytes: size, bytes_in_30_days: size },
    mails: { server: false, failing: 0 },
    backups: { on: false, last_at: null },
    users: 1,
  })
  let now = testServer.deps.now()
  const start = (role: 'web' | 'worker') =>
    startProcessBeat({ ...testServer.deps, now: () => now, log: pino({ level: 'silent' }) }, role)
  const web = start('web')
  await until('the web server to be listed', async () => (await read()).processes.length === 1)
  expect((await read()).processes).toMatchObject([{ role: 'web', seen_at: new Date(now).toISOString() }])

  // Another machine's worker was killed.
  const { db } = testServer.deps
  const worker = start('worker')
  await until('the worker to be listed', async () => (await read()).processes.length === 2)
  await worker.stop()
  expect((await read()).processes).toHaveLength(1)
  now += 600_000
  const [known] = await db.selectFrom('server_processes').selectAll().execute()
  if (!known) throw new Error('The web server is not listed.')
  await db
    .insertInto('server_processes')
    .values({ ...known, process_id: crypto.randomUUID(), role: 'worker', host: 'elsewhere' })
    .execute()
  await db
    .updateTable('worker_heartbeat')
    .set({ seen_at: new Date(now) })
    .execute()
  const deps = { ...testServer.deps, now: () => now, log: pino({ level: 'silent' }) }
  const found = await runDoctor({ ...deps, health: createHealth(deps) })
  expect(found.filter(({ id }) => id === 'workers')).toMatchObject([
    {
      severity: 'warning',
      sentence: 'The worker on elsewhere has been silent for 10 minutes. Others do its work.',
    },
  ])
  await web.stop()
})
