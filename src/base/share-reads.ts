/**
 * Lets concurrent callers share one read and still see everything that was true when they asked: a caller that comes during
 * a read waits for the next one, shared by all who wait.
 */
export function shareReads<From extends object, R>(
  read: (from: From, key: string) => Promise<R>,
): (from: From, key: string) => Promise<R> {
  type Line = { readonly running: Promise<R>; next?: Promise<R> }
  const lines = new WeakMap<From, Map<string, Line>>()

  function start(from: From, key: string): Promise<R> {
    const byKey = lines.get(from) ?? new Map<string, Line>()
    lines.set(from, byKey)
    const line: Line = { running: read(from, key) }
    byKey.set(key, line)
    const end = () => {
      if (!line.next) byKey.delete(key)
    }
    line.running.then(end, end)
    return line.running
  }

  return (from, key) => {
    const line = lines.get(from)?.get(key)
    if (!line) return start(from, key)
    const follow = () => start(from, key)
    return (line.next ??= line.running.then(follow, follow))
  }
}
