// A worker as `ROLE=worker` runs it, but it uses the practice platforms of the bench: the server would start its own.
import { pino } from 'pino'
import { openDeps } from '#server/deps.ts'
import { startHousekeeping } from '#server/housekeeping.ts'
import { readConfig } from '#server/runtime/config.ts'
import { startWorkers } from '#server/start-workers.ts'
import { workerDeps } from '#server/worker-deps.ts'

const config = readConfig(process.env)
const deps = await openDeps(config, config.databaseUrl ?? '', pino({ level: config.logLevel }))
const worker = startWorkers(workerDeps(deps))
const housekeeping = startHousekeeping(deps)
process.once('disconnect', () => void stop())
process.send?.('ready')

async function stop(): Promise<void> {
  await Promise.all([worker.stop(), housekeeping.stop()])
  await deps.close()
  process.exit()
}
