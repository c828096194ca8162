/** Ends a wait early, of one waiter at a time. A notification without a waiter is kept: the next wait ends at once. */
export type WakeSignal = {
  readonly notify: () => void
  readonly wait: (ms: number) => Promise<void>
}

export function createWakeSignal(): WakeSignal {
  let isNotified = false
  let wake: (() => void) | null = null
  return {
    notify: () => {
      isNotified = true
      wake?.()
    },
    wait: (ms) =>
      new Promise((resolve) => {
        const done = () => {
          isNotified = false
          wake = null
          clearTimeout(timer)
          resolve()
        }
        const timer = setTimeout(done, ms)
        wake = done
        if (isNotified) done()
      }),
  }
}
