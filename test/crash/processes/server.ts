// The server as a process, with web side, workers or both by ROLE, on a clock that its parent moves.
import { flushCompileCache } from 'node:module'
import { pino } from 'pino'
import { buildApp } from '#server/app.ts'
import { openDeps } from '#server/deps.ts'
import { startHousekeeping } from '#server/housekeeping.ts'
import { readConfig } from '#server/runtime/config.ts'
import { startWorkers } from '#server/start-workers.ts'
import { workerDeps } from '#server/worker-deps.ts'
import { CHEAP_HASHES } from '../../support/cheap-hashes.ts'

const config = readConfig(process.env)
let clockMs = Number(process.env['CLOCK_MS'] ?? '0')
process.on('message', (message: { readonly clockMs: number }) => {
  clockMs = message.clockMs
})
process.once('disconnect', () => process.exit(1))

const log = pino({ level: config.logLevel })
const deps = await openDeps(config, config.databaseUrl ?? '', log, {
  readTime: (clock) => clock.now() + clockMs,
  hashCost: CHEAP_HASHES,
})
if (config.role.worker) {
  startWorkers(workerDeps(deps))
  startHousekeeping(deps)
}
if (config.role.web) {
  const app = await buildApp(deps)
  await app.listen({ port: config.port ?? 0, host: config.host })
}
process.send?.('ready')
// A killed process writes no compile cache, so the next one would compile everything again.
flushCompileCache()
