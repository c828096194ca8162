import { setTimeout as sleep } from 'node:timers/promises'
import { deadlineIn, OVER } from './deadline.ts'

/** What was read lately from a place where others change it. */
export type Fresh<T> = {
  /** As it was at most `goodForMs` ago. */
  recent(): Promise<T>
  /** As it is, or was after this was asked: for whoever misses something. However many ask, at most one read per `restMs`. */
  anew(): Promise<T>
}

/** Keeps what `read` gave for a while. A read that fails fails those who wait for it; the next who asks reads again. */
export function keepFresh<T>(
  read: () => Promise<T>,
  { goodForMs, restMs }: { goodForMs: number; restMs: number },
): Fresh<T> {
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
  const takeTurn = async (): Promise<T> => {
    await underWay
    const rest = restingUntil - performance.now()
    if (rest > 0) await sleep(rest)
    restingUntil = performance.now() + restMs
    waiting = null // whoever asks from here on may miss what this read does not see
    const reading = readOnce()
    underWay = reading.then(
      () => null,
      () => null, // whoever waits for it hears of it
    )
    return reading
  }
  const anew = () => (waiting ??= takeTurn())
  return {
    anew,
    recent: () => (kept !== null && !goodUntil.isOver() ? Promise.resolve(kept.value) : anew()),
  }
}
