/** Counts by name within a window that is the same for all; nothing is kept of the one before. */
export type Counter = {
  /** Counts one, and says the how manieth it is. */
  count(name: string): number
}

/** Beyond so many names the window is full of strangers; they count as one. */
const MAX_NAMES = 10_000

/** In memory, for what costs less to do than to write down. */
export function createCounter(windowMs: number, now: () => number): Counter {
  let ends = 0
  const counts = new Map<string, number>()
  return {
    count(name) {
      // A clock that was set back begins a window too.
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
