/**
 * Lets callers that ask for the same at the same time share one read, and still tells each what was true after it asked: who
 * comes while one runs waits for the next one, which all who wait then share.
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
