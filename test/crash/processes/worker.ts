// A worker process whose clock its parent moves. It stops at named points of the product's code on request, so that it can
// be killed there. `orders.ts` describes the messages.
import { flushCompileCache } from 'node:module'
import { pino } from 'pino'
import { PLATFORM_IDS, type PlatformId } from '#contract/platforms/index.ts'
import type { Platform } from '#platforms/kit/platform.ts'
import { readConfig } from '#server/runtime/config.ts'
import { workerDeps } from '#server/worker-deps.ts'
import type { Worker } from '#server/deliveries/worker/worker.ts'
import { startWorkers } from '#server/start-workers.ts'
import { openDeps, type Deps } from '#server/deps.ts'
import { SHORT_LEASE } from '../../support/quick-worker.ts'
import type { FromWorker, Order, ToWorker } from './orders.ts'

const config = readConfig(process.env)
const log = pino({ level: config.logLevel })
let clockMs = 0
let orders: { id: number; at: string; left: number }[] = []
const holding = new Map<number, () => void>()
let running: { worker: Worker; deps: Deps } | null = null

const tell = (message: FromWorker) => process.send?.(message)
const take = (given: readonly Order[]) => {
  orders = given.map(({ id, at, skip }) => ({ id, at, left: skip }))
}

process.on('message', (message: ToWorker) => {
  switch (message.type) {
    case 'start':
      clockMs = message.clockMs
      take(message.orders)
      void start()
      return
    case 'orders':
      return take(message.orders)
    case 'clock':
      clockMs = message.ms
      return
    case 'set_clock':
      return setMachineClock(message.byMs)
    case 'go':
      holding.get(message.id)?.()
      holding.delete(message.id)
  }
})
process.once('SIGTERM', () => void stop())
process.once('disconnect', () => process.exit(1))
tell({ type: 'loaded' })
// Node writes the compile cache at a regular exit, but this process is killed.
flushCompileCache()

async function start(): Promise<void> {
  const deps = await openDeps(config, config.databaseUrl ?? '', log, {
    readTime: (clock) => clock.now() + clockMs,
  })
  const platforms: Record<PlatformId, Platform | null> = { ...deps.platforms }
  for (const id of PLATFORM_IDS) platforms[id] = deps.platforms[id] && withPoints(deps.platforms[id])
  running = { deps, worker: startWorkers(workerDeps({ ...deps, platforms }, pass), SHORT_LEASE) }
  tell({ type: 'ready' })
}

/** Simulates a wrong machine clock. */
function setMachineClock(byMs: number): void {
  Date.now = () => performance.timeOrigin + performance.now() + byMs
}

async function stop(): Promise<void> {
  await running?.worker.stop()
  await running?.deps.close()
  process.exit(0)
}

async function pass(point: string): Promise<void> {
  const here = orders.filter(({ at }) => at === point)
  for (const order of here) {
    // Another delivery may arrive while this one is stopped at the previous point.
    if (!orders.includes(order) || order.left-- > 0) continue
    orders = orders.filter((one) => one !== order)
    await new Promise<void>((go) => {
      holding.set(order.id, go)
      tell({ type: 'reached', id: order.id })
    })
  }
}

/** The renewal of an account's access is no step of a delivery, so its points are here. */
function withPoints(platform: Platform): Platform {
  return {
    ...platform,
    async refresh(tokens) {
      await pass('before refresh')
      const renewed = await platform.refresh(tokens)
      await pass('after refresh')
      return renewed
    },
  }
}
