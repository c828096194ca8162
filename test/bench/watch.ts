// Preloaded into a process of the bench: says what has been since it was last asked.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Client } from 'pg'

export type Usage = {
  /** The longest time that the event loop was late. */
  readonly heldUpMs: number
  readonly longestStatementMs: number
  /** Memory at its peak beyond what there was at first. */
  readonly addedMb: number
}

const RESOLUTION_MS = 5
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
delay.enable()
const rss = () => process.memoryUsage.rss()
let [rssBefore, rssPeak, longestStatementMs] = [rss(), rss(), 0]
setInterval(() => (rssPeak = Math.max(rssPeak, rss())), RESOLUTION_MS).unref()

Object.defineProperty(Client.prototype, 'query', {
  value: new Proxy(Reflect.get(Client.prototype, 'query'), {
    apply(query, client, args: unknown[]) {
      const began = performance.now()
      const end = () => (longestStatementMs = Math.max(longestStatementMs, performance.now() - began))
      const result = Reflect.apply<unknown, unknown[], unknown>(query, client, args)
      if (result instanceof Promise) result.then(end, end)
      return result
    },
  }),
})

process.on('message', (word) => {
  if (word !== 'usage') return
  const usage: Usage = {
    // A turn that is on time counts as long as the resolution.
    heldUpMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS),
    longestStatementMs,
    addedMb: (Math.max(rssPeak, rss()) - rssBefore) / 1e6,
  }
  process.send?.(usage)
  delay.reset()
  ;[rssBefore, rssPeak, longestStatementMs] = [rss(), rss(), 0]
})
