// Read into a server before the rest of it: adds up how long its statements take, and tells the sum since the last time it was asked.
import { Client } from 'pg'

let spentMs = 0
Object.defineProperty(Client.prototype, 'query', {
  value: new Proxy(Reflect.get(Client.prototype, 'query'), {
    apply(query, client, args: unknown[]) {
      const began = performance.now()
      const end = () => (spentMs += performance.now() - began)
      const result = Reflect.apply<unknown, unknown[], unknown>(query, client, args)
      if (result instanceof Promise) result.then(end, end)
      return result
    },
  }),
})
process.on('message', (word) => {
  if (word !== 'database') return
  process.send?.(spentMs)
  spentMs = 0
})
