// Preloaded into a process of the bench: counts its SQL statements by their text, those that begin and end transactions too, and
// tells the counts when asked.
import { Client } from 'pg'

const counts: Record<string, number> = {}
Object.defineProperty(Client.prototype, 'query', {
  value: new Proxy(Reflect.get(Client.prototype, 'query'), {
    apply(query, client, args: unknown[]) {
      const text = textOf(args[0])
      counts[text] = (counts[text] ?? 0) + 1
      return Reflect.apply<unknown, unknown[], unknown>(query, client, args)
    },
  }),
})
process.on('message', (message) => {
  if (message === 'statements') process.send?.({ statements: counts })
})

const textOf = (first: unknown): string =>
  typeof first === 'object' && first !== null && 'text' in first ? String(first.text) : String(first)
