export type Counter = {
  count(name: string): number
}

/** Names beyond this limit count as one, since strangers choose them. */
const MAX_NAMES = 10_000

export function createCounter(windowMs: number, now: () => number): Counter {
  let ends = 0
  const counts = new Map<string, number>()
  return {
    count(name) {
      // A clock that was set back starts a new window too.
      if (now() >= ends || now() < ends - windowMs) {
        counts.clear()
        ends = now() + windowMs
      }
      const key = counts.has(name) || counts.size < MAX_NAMES ? name : ''
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      return count
    },
  }
}
