/** Lets only so many calls run at a time; the others wait in order. */
export type CallGate = <T>(call: () => Promise<T>) => Promise<T>

export function createCallGate(limit: number): CallGate {
  let running = 0
  const waiting: (() => void)[] = []
  return async (call) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve))
    running += 1
    try {
      return await call()
    } finally {
      running -= 1
      waiting.shift()?.()
    }
  }
}
