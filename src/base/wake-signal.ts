/** Waits that a ring ends early. A ring while nobody waits is not lost: the next wait ends at once. */
export type Bell = {
  readonly ring: () => void
  readonly wait: (ms: number) => Promise<void>
}

export function createBell(): Bell {
  let rung = false
  let wake: (() => void) | null = null
  return {
    ring: () => {
      rung = true
      wake?.()
    },
    wait: (ms) =>
      new Promise((resolve) => {
        const done = () => {
          rung = false
          wake = null
          clearTimeout(timer)
          resolve()
        }
        const timer = setTimeout(done, ms)
        wake = done
        if (rung) done()
      }),
  }
}
