import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const LOOK_MS = 5_000
/** Share of the time in which the event loop did something. */
const IDLE = 0.05
/** Less is not worth what a collection takes. */
const GROWN_BYTES = 4_000_000

/**
 * Gives memory back to the system once there is nothing to do: V8 by itself collects only while something is allocated, so that
 * what a start or a burst took would stay for as long as the process is idle.
 */
export function releaseWhenIdle(lookMs = LOOK_MS): void {
  let collect: NodeJS.GCFunction | undefined
  let kept: number | null = null
  let before = performance.eventLoopUtilization()
  setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization > IDLE) return
    const rss = process.memoryUsage.rss()
    // V8 returns the pages that a collection has emptied 8 s later.
    kept &&= Math.min(kept, rss)
    if (kept !== null && rss < kept + GROWN_BYTES) return
    collect ??= findCollector()
    // `last-resort` returns them at once, but collects several times in a row and so blocks for more than twice as long.
    collect({ type: 'major' })
    kept = process.memoryUsage.rss()
    before = performance.eventLoopUtilization()
  }, lookMs).unref()
}

/** V8 gives it to contexts that are made while the flag is set. */
function findCollector(): NodeJS.GCFunction {
  setFlagsFromString('--expose-gc')
  const collector = runInNewContext('gc') as NodeJS.GCFunction
  setFlagsFromString('--no-expose-gc')
  return collector
}
