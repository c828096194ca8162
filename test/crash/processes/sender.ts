// The sender of webhooks as a process that can be killed. Its leases are short, so that the next one need not wait.
import { flushCompileCache } from 'node:module'
import { pino } from 'pino'
import { openDeps } from '#server/deps.ts'
import { readConfig } from '#server/runtime/config.ts'
import { startWebhookSender } from '#server/webhooks/sender.ts'
import { workerDeps } from '#server/worker-deps.ts'

const config = readConfig(process.env)
process.once('disconnect', () => process.exit(1))
const log = pino({ level: config.logLevel })
const deps = workerDeps(await openDeps(config, config.databaseUrl ?? '', log))
startWebhookSender({ ...deps, db: deps.backgroundDb }, { pollMs: 200, leaseMs: 2_000 })
// A killed process writes no compile cache, so the next one would compile everything again.
flushCompileCache()
