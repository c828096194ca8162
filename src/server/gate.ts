/** Lets a few in at a time and keeps a short queue; who comes when that is full is turned away at once. */
export type Gate = {
  /** Runs the work when there is a place, or answers `null` without running it. */
  run<T>(work: () => Promise<T>): Promise<T | null>
}

export function createGate(size: { places: number; waiting: number }): Gate {
  let free = size.places
  const queue: (() => void)[] = []

  const leave = () => {
    const next = queue.shift()
    if (next) next()
    else free += 1
  }

  return {
    async run(work) {
      if (free > 0) free -= 1
      else if (queue.length < size.waiting) await new Promise<void>((enter) => queue.push(enter))
      else return null
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
