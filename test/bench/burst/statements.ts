// Preloaded into a process of the bench: counts its SQL statements, those that begin and end transactions too, and tells their
// number when asked.
import { Client } from 'pg'

let statements = 0
Object.defineProperty(Client.prototype, 'query', {
  value: new Proxy(Reflect.get(Client.prototype, 'query'), {
    apply(query, client, args) {
      statements += 1
      return Reflect.apply<unknown, unknown[], unknown>(query, client, args)
    },
  }),
})
process.on('message', (message) => {
  if (message === 'statements') process.send?.({ statements })
})
