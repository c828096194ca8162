import { setTimeout as sleep } from 'node:timers/promises'
import { deadlineIn, OVER } from './deadline.ts'

/** A cached value that other processes may change. */
export type TtlCache<T> = {
  /** At most `goodForMs` old. */
  get(): Promise<T>
  /** Read after this call, for a caller that misses something; at most one read per `restMs` for all callers. */
  reload(): Promise<T>
}

/** A failed read fails the callers that wait for it, and is not cached. */
export function ttlCache<T>(
  read: () => Promise<T>,
  { goodForMs, restMs }: { goodForMs: number; restMs: number },
): TtlCache<T> {
  let kept: { readonly value: T } | null = null
  let goodUntil = OVER
  let restingUntil = Number.NEGATIVE_INFINITY
  let underWay: Promise<unknown> = Promise.resolve()
  let waiting: Promise<T> | null = null

  const readOnce = async (): Promise<T> => {
    const until = deadlineIn(goodForMs)
    const value = await read()
    kept = { value }
    goodUntil = until
    return value
  }
  const reloadOnce = async (): Promise<T> => {
    await underWay
    const rest = restingUntil - performance.now()
    if (rest > 0) await sleep(rest)
    restingUntil = performance.now() + restMs
    waiting = null // a caller from here on may miss what this read does not see
    const reading = readOnce()
    underWay = reading.then(
      () => null,
      () => null, // its callers get the error
    )
    return reading
  }
  const reload = () => (waiting ??= reloadOnce())
  return {
    reload,
    get: () => (kept !== null && !goodUntil.isOver() ? Promise.resolve(kept.value) : reload()),
  }
}
