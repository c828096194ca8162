import { setTimeout as sleep } from 'node:timers/promises'
import { deadlineIn, OVER } from './deadline.ts'

export type TtlCache<T> = {
  get(): Promise<T>
  /** Reads after this call, for a caller that misses something; at most once per `restMs` for all callers. */
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
    waiting = null // a later caller may miss what this read does not see
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
