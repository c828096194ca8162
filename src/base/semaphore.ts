/**
 * A semaphore with bounded, fair lists of waiters: one of known callers, one of others. When they are full, a key with fewer
 * waiting tasks displaces the last one of the key with most in the same list.
 */
export type Semaphore = {
  /** Runs the task, which never answers null, when a permit is free; `null`: rejected or aborted, the task was not run. */
  run<T>(task: () => Promise<NonNullable<T>>, caller?: Caller): Promise<NonNullable<T> | null>
}

export type Caller = {
  /** A network address or user id, for example. Keys are served round-robin. All tasks with `null` are as one key, without `maxWaitingPerKey`. */
  readonly key: string | null
  /** Known callers have a list of their own, served alternately with the other one. */
  readonly known: boolean
  /** Aborts when the caller is gone: its place among the waiters becomes free. */
  readonly gone?: AbortSignal
}

export type SemaphoreSize = {
  readonly permits: number
  readonly maxWaiting: number
  readonly maxWaitingPerKey?: number
  readonly reservedForKnown?: number
}

const ANYONE: Caller = { key: null, known: false }

export function createSemaphore({
  permits,
  maxWaiting,
  maxWaitingPerKey = maxWaiting,
  reservedForKnown = 0,
}: SemaphoreSize): Semaphore {
  let free = permits
  let knownFirst = true
  const waiters = { known: createWaiters(), others: createWaiters() }

  const isFull = ({ known }: Caller): boolean => {
    const others = waiters.others.size()
    return others + waiters.known.size() >= maxWaiting || (!known && others >= maxWaiting - reservedForKnown)
  }

  const wait = async (caller: Caller): Promise<boolean> => {
    const list = caller.known ? waiters.known : waiters.others
    const own = list.sizeOf(caller.key)
    if (caller.key !== null && own >= maxWaitingPerKey) return false
    if (isFull(caller) && !list.dropFromLongest(own)) return false
    return new Promise((settle) => {
      list.push(caller.key, settle)
      caller.gone?.addEventListener('abort', () => {
        if (list.remove(caller.key, settle)) settle(false)
      })
    })
  }

  const release = () => {
    const order = knownFirst ? [waiters.known, waiters.others] : [waiters.others, waiters.known]
    knownFirst = !knownFirst
    const next = order[0]?.shift() ?? order[1]?.shift()
    if (next) next(true)
    else free += 1
  }

  return {
    async run(task, caller = ANYONE) {
      if (caller.gone?.aborted) return null
      if (free > 0) free -= 1
      else if (!(await wait(caller))) return null
      try {
        return await task()
      } finally {
        release()
      }
    },
  }
}

/** `admitted`: the task may run; otherwise it was dropped in favour of another key's. */
type Waiting = (admitted: boolean) => void

/** Round-robin between keys, first come first served within each. */
function createWaiters() {
  const byKey = new Map<string | null, Waiting[]>()
  let size = 0
  return {
    size: () => size,
    sizeOf: (key: string | null) => byKey.get(key)?.length ?? 0,
    push(key: string | null, enter: Waiting) {
      const same = byKey.get(key)
      if (same) same.push(enter)
      else byKey.set(key, [enter])
      size += 1
    },
    dropFromLongest(own: number): boolean {
      const [longest] = [...byKey.values()].toSorted((a, b) => b.length - a.length)
      if (!longest || longest.length <= own + 1) return false
      longest.pop()?.(false)
      size -= 1
      return true
    },
    /** The other tasks of the key keep their place in the round-robin. */
    remove(key: string | null, enter: Waiting): boolean {
      const same = byKey.get(key) ?? []
      const place = same.indexOf(enter)
      if (place < 0) return false
      same.splice(place, 1)
      if (same.length === 0) byKey.delete(key)
      size -= 1
      return true
    },
    shift(): Waiting | undefined {
      const first = byKey.entries().next()
      if (first.done) return undefined
      const [key, [enter, ...rest]] = first.value
      byKey.delete(key)
      if (rest.length > 0) byKey.set(key, rest)
      size -= 1
      return enter
    },
  }
}
