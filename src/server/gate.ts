/** A semaphore with a bounded, fair queue. A task that finds the queue full is rejected at once. */
export type Gate = {
  /** Runs the task when a slot is free; `null`: rejected, the task was not run. */
  run<T>(task: () => Promise<T>, caller?: Caller): Promise<T | null>
}

export type Caller = {
  /** Who asks, such as a network address or a user id. Keys take turns; `null` has no limit of its own. */
  readonly key: string | null
  /** May use the reserved part of the queue. */
  readonly known: boolean
}

export type GateSize = {
  readonly places: number
  readonly waiting: number
  readonly waitingPerKey?: number
  /** How many of the waiting only known callers may be. */
  readonly reserved?: number
}

const ANYONE: Caller = { key: null, known: false }

export function createGate({ places, waiting, waitingPerKey = waiting, reserved = 0 }: GateSize): Gate {
  let free = places
  let knownFirst = true
  const queues = { known: createFairQueue(), others: createFairQueue() }

  const hasRoom = ({ key, known }: Caller): boolean => {
    const others = queues.others.size()
    if (others + queues.known.size() >= waiting) return false
    if (!known && others >= waiting - reserved) return false
    return key === null || (known ? queues.known : queues.others).sizeOf(key) < waitingPerKey
  }

  const leave = () => {
    const order = knownFirst ? [queues.known, queues.others] : [queues.others, queues.known]
    knownFirst = !knownFirst
    const next = order[0]?.shift() ?? order[1]?.shift()
    if (next) next()
    else free += 1
  }

  return {
    async run(task, caller = ANYONE) {
      if (free > 0) free -= 1
      else if (hasRoom(caller)) {
        const queue = caller.known ? queues.known : queues.others
        await new Promise<void>((enter) => queue.push(caller.key, enter))
      } else return null
      try {
        return await task()
      } finally {
        leave()
      }
    },
  }
}

/** Round-robin between keys, first come first served within each. */
function createFairQueue() {
  const byKey = new Map<string | null, (() => void)[]>()
  let size = 0
  return {
    size: () => size,
    sizeOf: (key: string | null) => byKey.get(key)?.length ?? 0,
    push(key: string | null, enter: () => void) {
      const same = byKey.get(key)
      if (same) same.push(enter)
      else byKey.set(key, [enter])
      size += 1
    },
    shift(): (() => void) | undefined {
      const first = byKey.entries().next()
      if (first.done) return undefined
      const [key, [enter, ...rest]] = first.value
      // A key that has more goes behind all others.
      byKey.delete(key)
      if (rest.length > 0) byKey.set(key, rest)
      size -= 1
      return enter
    },
  }
}
