/** Resolves after a time, when the browser is online again, or when the signal aborts: whatever comes first. */
export function waitForNetwork(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const done = () => resolve()
  if (signal.aborted) done()
  const timer = setTimeout(done, ms)
  signal.addEventListener('abort', done, { once: true })
  window.addEventListener('online', done)
  return promise.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', done)
    window.removeEventListener('online', done)
  })
}

/** Resolves when the signal aborts. */
export const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

const BACK_OFF_S = [1, 2, 4, 8, 15, 30] as const

/** Seconds until the next attempt, spread so that not all uploads of a page come back at once. */
export const backOffS = (failures: number): number =>
  (BACK_OFF_S[Math.min(failures, BACK_OFF_S.length) - 1] ?? 1) * (0.75 + Math.random() / 2)

export const withinMs = <T>(ms: number, promise: Promise<T>): Promise<T> => {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`No answer within ${ms} ms.`)), ms)
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer))
}
