// Read into a process before the rest of it: answers `begin` at once, and `end` with what has been since then.
import { monitorEventLoopDelay } from 'node:perf_hooks'

export type Meanwhile = {
  /** The longest time, in ms, that the event loop was late. */
  readonly heldUpMs: number
  /** Of the processors, by this process with all of its threads. */
  readonly cpuMs: number
}

const RESOLUTION_MS = 5
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
delay.enable()
let usage = process.cpuUsage()

process.on('message', (word) => {
  if (word === 'begin') {
    delay.reset()
    usage = process.cpuUsage()
    process.send?.(0)
  }
  if (word === 'end') {
    const { user, system } = process.cpuUsage(usage)
    // A turn that is on time counts as long as the resolution.
    const meanwhile: Meanwhile = { heldUpMs: delay.max / 1e6 - RESOLUTION_MS, cpuMs: (user + system) / 1000 }
    process.send?.(meanwhile)
  }
})
