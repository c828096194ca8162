import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const LOOK_MS = 5_000
/** Share of the time in which the event loop did something. */
const IDLE = 0.05
/**
 * Idle looks before each collection. The first waits out gaps between the requests of a burst. The second comes when the connections
 * of the burst have closed (`maxLifetimeSeconds`), and frees 1 to 2 MB of a worker.
 */
const FIRST_COLLECTION = 3
const SECOND_COLLECTION = 9
/** Less is not worth what a collection takes. */
const GROWN_BYTES = 4_000_000

/**
 * Gives memory back to the system once there is nothing to do: V8 by itself collects only while something is allocated, and the C
 * library returns only the end of its heap, so what a start or a burst took would stay for as long as the process is idle.
 */
export function releaseWhenIdle(lookMs = LOOK_MS): void {
  let collect: NodeJS.GCFunction | undefined
  let trim: Promise<() => void> | undefined
  let idleLooks = 0
  let kept = Infinity
  let before = performance.eventLoopUtilization()
  async function look(): Promise<void> {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization > IDLE) {
      idleLooks = 0
      return
    }
    idleLooks += 1
    if (idleLooks < FIRST_COLLECTION) return
    const collects =
      idleLooks === FIRST_COLLECTION ||
      idleLooks === SECOND_COLLECTION ||
      process.memoryUsage.rss() > kept + GROWN_BYTES
    collect ??= findCollector()
    if (collects) release(collect)
    // At each idle look, for less than 1 ms: connections and timers end later than the work that they were for.
    trim ??= findTrim()
    ;(await trim)()
    const rss = process.memoryUsage.rss()
    kept = collects ? rss : Math.min(kept, rss)
    before = performance.eventLoopUtilization()
  }
  setInterval(() => void look(), lookMs).unref()
}

/**
 * Compiled code goes too: it is a third of what a burst leaves behind, and compiled again where it runs again. `last-resort` also
 * packs what is left into fewer pages and returns the rest: 30 to 120 ms of a heap of 10 to 35 MB.
 */
function release(collect: NodeJS.GCFunction): void {
  for (const flag of ['--stress-flush-code', '--flush-baseline-code']) setFlagsFromString(flag)
  collect({ type: 'major', flavor: 'last-resort' })
  for (const flag of ['--no-stress-flush-code', '--no-flush-baseline-code']) setFlagsFromString(flag)
}

/** V8 gives it to contexts that are made while the flag is set. */
function findCollector(): NodeJS.GCFunction {
  setFlagsFromString('--expose-gc')
  const collector = runInNewContext('gc') as NodeJS.GCFunction
  setFlagsFromString('--no-expose-gc')
  return collector
}

/** malloc_trim(3) of glibc: gives back free memory between pieces in use too. */
async function findTrim(): Promise<() => void> {
  if (process.platform !== 'linux') return () => {}
  try {
    const { load } = await import('koffi')
    const trim = load('libc.so.6').func('int malloc_trim(size_t pad)')
    return () => void trim(0)
  } catch {
    return () => {} // musl has no malloc_trim; koffi is optional, and native add-ons may be off
  }
}
