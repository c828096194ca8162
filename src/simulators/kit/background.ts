import { CannotWrite } from './store.ts'

const RETRY_MS = 1000

export interface Background {
  /** If the result cannot be written, as on a full disk, the work is repeated until it can. */
  run(work: () => Promise<void>): void
  /** Resolves once no work is running; work that waits for its next try does not count. */
  idle(): Promise<void>
}

export function openBackground(): Background {
  const underWay = new Set<Promise<void>>()
  const run = (work: () => Promise<void>): void => {
    const attempt = work()
      .catch((error: unknown) => {
        if (!(error instanceof CannotWrite)) throw error
        setTimeout(() => run(work), RETRY_MS).unref()
      })
      .finally(() => underWay.delete(attempt))
    underWay.add(attempt)
  }
  return {
    run,
    idle: async () => {
      // Work may begin more work.
      // oxlint-disable-next-line no-await-in-loop -- one round after the other
      while (underWay.size > 0) await Promise.allSettled(underWay)
    },
  }
}
