import { inspect } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { buildApp } from './app.ts'
import { report, say } from './runtime/command.ts'
import { readConfig, type Config } from './runtime/config.ts'
import { listUnknownVariables } from './runtime/variables.ts'
import { prepareDataDir } from './runtime/data-dir.ts'
import { createLog } from './runtime/log.ts'
import { createShutdown } from './runtime/shutdown.ts'
import { readFlags, type Flags } from './runtime/flags.ts'
import { startEmbeddedPostgres } from './db/embedded.ts'
import { migratePastPooler } from './db/migrate.ts'
import { openDeps } from './deps.ts'
import { startWorkers } from './start-workers.ts'
import { workerDeps } from './worker-deps.ts'
import { buildHealthApp, createHealth } from './health/health.ts'
import { startHousekeeping } from './housekeeping.ts'
import { mountMetrics } from './metrics/metrics.ts'
import { startProcessBeat, VERSION } from './operator/processes.ts'
import { startPractice } from './practice.ts'
import { findLastBackup } from './backup/last-backup.ts'
import { findLostDatabase } from './restore/lost-database.ts'
import { listenError } from '#base/start-error.ts'

const shutdown = createShutdown({
  exit: (code) => process.exit(code),
  report,
})
const end = () => void shutdown.end(0)

// SIGHUP: the terminal was closed.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
// The launcher was killed, and nothing else would stop this process.
process.on('disconnect', end)

// A closed stdout or stderr, or one on a full disk, must not stop the server.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
// Our bug: shut down in order, or the database would keep running.
process.on('uncaughtException', (error) => {
  process.stderr.write(`${inspect(error)}\n`)
  void shutdown.end(1)
})

for (const line of listUnknownVariables(process.env)) process.stderr.write(`${line}\n`)
await shutdown.run(async () => {
  const { hold, says } = readFlags(process.argv.slice(2), process.env)
  await start({ ...readConfig(process.env), hold }, says)
})

async function start(config: Config, says: Flags['says']): Promise<void> {
  const began = performance.now()
  const log = createLog(config)
  const role = config.role.web && config.role.worker ? 'all' : config.role.web ? 'web' : 'worker'
  log.info({ version: VERSION, role }, 'starting')
  shutdown.signal.addEventListener('abort', () => log.info('stopping'))
  // The first resource is closed last.
  shutdown.addResource(async () => log.info('stopped'))
  await prepareDataDir(config.dataDir)
  const [database, practice] = await Promise.allSettled([
    openDatabase(config),
    config.practice.on && !config.practice.isShared ? beginning(startPractice(config, log)) : null,
  ])
  // Waits for both, so that whatever started is stopped.
  if (database.status === 'rejected') throw database.reason
  if (practice.status === 'rejected') throw practice.reason
  const deps = await openDeps(config, database.value, log)
  shutdown.addResource(() => deps.close())
  shutdown.signal.throwIfAborted()
  const noticed = await deps.restoreGuard.start(says)
  if (noticed !== null) say(noticed)
  const lost = await findLostDatabase(deps.backgroundDb, deps.storage)
  if (lost !== null) say(lost)
  const backups = await findLastBackup(deps.backgroundDb, {
    nightly: config.backupDir !== null,
    now: deps.now(),
  })
  if (backups.failure !== null && backups.status === 'failing')
    say(`No backup was made since the last one: ${backups.failure.message}`)
  if (config.hold) say('Started with --hold: nothing is posted, mailed or renewed until a start without it.')
  const worker = config.role.worker && !config.hold ? startWorkers(workerDeps(deps)) : null
  if (worker !== null) {
    shutdown.addWork(() => worker.stop())
    const housekeeping = startHousekeeping({ ...deps, db: deps.backgroundDb })
    shutdown.addWork(() => housekeeping.stop())
  }
  const health = createHealth({ ...deps, worker })
  const beat = startProcessBeat({ ...deps, db: deps.backgroundDb }, role)
  shutdown.addWork(() => beat.stop())
  if (config.role.web) {
    const app = await buildApp(deps, health)
    shutdown.signal.throwIfAborted()
    shutdown.extend(config.drainMs)
    shutdown.addWork(() => app.drain(config.drainMs).then(() => app.close()))
    await listen(app, config)
  } else if (config.port !== null) {
    const app = buildHealthApp(health)
    mountMetrics(app, deps)
    shutdown.addWork(() => app.close())
    await listen(app, config)
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  say(
    config.role.web
      ? `Reelay is at ${config.publicUrl} (ready in ${seconds} s)`
      : `The worker is ready (${seconds} s)${config.port === null ? '' : `, its health is at port ${config.port}`}`,
  )
  if (config.practice.on) say(`What you post on the practice platforms shows at ${config.practice.url}`)
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  if (port === null) return
  await app.listen({ host, port }).catch((error: unknown) => {
    throw listenError(error, { variable: 'PORT', host, port })
  })
}

/** @returns its URL, with all migrations applied */
async function openDatabase(config: Config): Promise<string> {
  const url = config.databaseUrl ?? (await startOwnDatabase(config))
  const applied = await migratePastPooler(url, config.databaseDirectUrl)
  if (applied.length > 0) say(`Database brought up to date: ${applied.join(', ')}`)
  return url
}

async function startOwnDatabase({ dataDir, role, publicUrl }: Config): Promise<string> {
  const address = role.web ? { address: publicUrl } : {}
  const database = await beginning(startEmbeddedPostgres({ dir: `${dataDir}/postgres`, say, ...address }))
  void database.ended.then((reason) => {
    process.stderr.write(`${reason}\n`)
    return shutdown.end(1)
  })
  return database.url
}

async function beginning<T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const it = await starting
  shutdown.addResource(() => it.stop())
  return it
}
