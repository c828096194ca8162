import { pino } from 'pino'
import { readConfig } from '#server/config.ts'
import { workerDeps } from '#server/deliveries/wiring.ts'
import { startWorker } from '#server/deliveries/worker.ts'
import { openDeps } from '#server/deps.ts'
import { QUICK } from '../harness.ts'

// A worker of its own process that a test can stop dead at a named point of the product's code:
// CRASH_AT names the point, CRASH_SKIP how often it is passed first, CRASH_WITH the signal it sends to itself.
const { CRASH_AT, CRASH_SKIP = '0', CRASH_WITH = 'SIGKILL' } = process.env
let passes = Number(CRASH_SKIP)

const config = readConfig(process.env)
const log = pino({ level: config.logLevel })
const deps = await openDeps(config, config.databaseUrl ?? '', { now: Date.now, log })
const worker = startWorker(
  workerDeps(deps, async (point) => {
    if (point !== CRASH_AT || passes-- > 0) return
    process.kill(process.pid, CRASH_WITH)
    // The signal is on its way; nothing more may happen here before it arrives.
    await new Promise((resolve) => setTimeout(resolve, 200))
  }),
  QUICK,
)
process.send?.('ready')
process.once('SIGTERM', () => {
  void worker
    .stop()
    .then(() => deps.close())
    .then(() => process.exit(0))
})
process.once('disconnect', () => process.exit(1))
