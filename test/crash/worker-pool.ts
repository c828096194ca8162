import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { SHORT_LEASE } from '../support/quick-worker.ts'
import { control } from '../support/test-server.ts'
import type { Action, ScheduledEvent, Moment } from './scenario/scenario.ts'
import { steady } from './lane.ts'
import type { Stage } from './stage.ts'
import type { WorkerProcess } from './processes/workers.ts'

/** How long a worker that woke up too late is observed, on the machine's clock. */
const LATE_MS = 700

/** The workers of one run, its scheduled moments, and those that have passed. */
export type WorkerPool = {
  /** Starts workers until there are as many as the scenario wants. */
  staff(): Promise<void>
  startAnother(): Promise<void>
  kill(worker: WorkerProcess): Promise<void>
  /** Suspends a worker until its leases have expired, while another does `meanwhile`; then resumes it. */
  freeze(worker: WorkerProcess, meanwhile: () => Promise<void>): Promise<void>
  /** Performs the action of a moment that has come. @returns true if there was one */
  happen(perform: (action: Action, worker: WorkerProcess | null) => Promise<void>): Promise<boolean>
  waiting(): number
  /** Nothing more may happen from now on. */
  dismiss(): void
}

export async function createWorkerPool(stage: Stage): Promise<WorkerPool> {
  const { lane, scenario } = stage
  const waiting = new Map<number, Extract<ScheduledEvent, { type: 'action' }>>()
  for (const [id, one] of scenario.events.entries()) if (one.type === 'action') waiting.set(id, one)
  /** The practice platforms' ids of the answers to delay. */
  const holds = new Map<string, number>()
  for (const [id, { when }] of waiting) if (when.on === 'wire') holds.set(await hold(when), id)
  const reached: { worker: WorkerProcess; id: number }[] = []

  async function hold({ platform, call, skip }: Extract<Moment, { on: 'wire' }>): Promise<string> {
    const fault = { platform, call, fault: 'hold', after: skip, ms: 10_000 }
    const { id } = (await control(lane.practiceUrl, 'POST', '/_control/faults', fault)) as { id: string }
    return id
  }
  const orders = () =>
    [...waiting].flatMap(([id, { when }]) =>
      when.on === 'code' ? [{ id, at: when.at, skip: when.skip }] : [],
    )
  const listen = (worker: WorkerProcess) => worker.onReached((id) => reached.push({ worker, id }))
  const startAnother = async () => {
    const worker = lane.takeWorker()
    listen(worker)
    await worker.start({ clockMs: lane.clockMs(), orders: orders() })
    stage.note('a worker starts')
  }
  /** Each moment happens once, at its first occurrence. */
  const take = (id: number) => {
    const due = waiting.get(id)
    if (due === undefined) return null
    waiting.delete(id)
    stage.note(`at ${words(due.when)}:`)
    return due.action
  }

  // Workers of the previous run keep working.
  for (const worker of lane.workers()) {
    listen(worker)
    worker.tell({ type: 'orders', orders: orders() })
  }
  return {
    async staff() {
      for (let missing = scenario.workers - lane.workers().length; missing > 0; missing--)
        await startAnother()
    },
    startAnother,
    async kill(worker) {
      worker.child.kill('SIGKILL')
      worker.child.kill('SIGCONT')
      await worker.ended
      stage.note('a worker is killed')
      // Leases use the database's clock, which no test can move. Without a running worker nobody has one.
      if (lane.workers().length > 0) return
      await steady(() =>
        sql`with freed as (update follow_ups set leased_until = null where leased_until is not null)
          update deliveries set leased_until = null where leased_until is not null`.execute(lane.db),
      )
    },
    async freeze(worker, meanwhile) {
      worker.child.kill('SIGSTOP')
      await pause(SHORT_LEASE.leaseMs + 100)
      if (lane.workers().length < 2) await startAnother()
      await meanwhile()
      worker.child.kill('SIGCONT')
      stage.note('the sleeper wakes up')
    },
    async happen(perform) {
      const come = reached.shift()
      if (come !== undefined) {
        const action = take(come.id)
        for (const one of lane.workers()) {
          if (one !== come.worker) one.tell({ type: 'orders', orders: orders() })
        }
        if (action !== null && come.worker.isAlive()) await perform(action, come.worker)
        come.worker.tell({ type: 'go', id: come.id })
        // Leaves time for actions that it must not take any more.
        if (action?.type === 'freeze') await pause(LATE_MS)
        return true
      }
      if (holds.size === 0) return false
      const held = (await control(lane.practiceUrl, 'GET', '/_control/holds')) as { id: string }[]
      for (const { id } of held) {
        const action = take(holds.get(id) ?? -1)
        holds.delete(id)
        if (action !== null) await perform(action, null)
        await control(lane.practiceUrl, 'DELETE', `/_control/holds/${id}`)
      }
      return held.length > 0
    },
    waiting: () => waiting.size,
    dismiss() {
      waiting.clear()
      holds.clear()
      for (const worker of lane.workers()) worker.tell({ type: 'orders', orders: [] })
      for (const { worker, id } of reached.splice(0)) worker.tell({ type: 'go', id })
    },
  }
}

const words = (when: Moment): string =>
  when.on === 'code' ? `"${when.at}"` : `the answer to ${when.platform}'s ${when.call}`
