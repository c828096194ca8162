// Read into a server before the rest of it: tells how long its statements took since the last time it was asked.
import { Client } from 'pg'

export type DatabaseTime = { readonly sumMs: number; readonly longestMs: number }

let spent: DatabaseTime = { sumMs: 0, longestMs: 0 }
Object.defineProperty(Client.prototype, 'query', {
  value: new Proxy(Reflect.get(Client.prototype, 'query'), {
    apply(query, client, args: unknown[]) {
      const began = performance.now()
      const end = () => {
        const ms = performance.now() - began
        spent = { sumMs: spent.sumMs + ms, longestMs: Math.max(spent.longestMs, ms) }
      }
      const result = Reflect.apply<unknown, unknown[], unknown>(query, client, args)
      if (result instanceof Promise) result.then(end, end)
      return result
    },
  }),
})
process.on('message', (word) => {
  if (word !== 'database') return
  process.send?.(spent)
  spent = { sumMs: 0, longestMs: 0 }
})
