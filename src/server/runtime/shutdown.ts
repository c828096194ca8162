/** Ends everything that a process has started, once and within one deadline. */
export type Shutdown = {
  readonly signal: AbortSignal
  /** `stop` is called when the process ends, concurrently with all other work. */
  addWork(stop: Stop): void
  /** Closed after all work has stopped, the last added first. */
  addResource(close: Stop): void
  extend(ms: number): void
  /** Starts the process. An error is reported and ends it with 1; errors during an end are ignored. */
  run(start: () => Promise<void>): Promise<void>
  /** The first caller's exit code counts. */
  end(code: number): Promise<void>
}
type Stop = () => Promise<unknown>

/** Time limits from the beginning of the end: for unfinished starts, for work, and in total. */
export const DEADLINES_MS = { start: 5_000, work: 14_000, all: 18_000 }

/**
 * Work that has not stopped at its deadline is abandoned, as after a kill; the next start recovers. `exit` is called once
 * with the exit code, `report` at most once with the error of a failed start.
 */
export function createShutdown(
  { exit, report }: { readonly exit: (code: number) => void; readonly report: (error: unknown) => void },
  deadlines: typeof DEADLINES_MS = DEADLINES_MS,
): Shutdown {
  const ending = new AbortController()
  const work: Stop[] = []
  const resources: Stop[] = []
  let extraMs = 0
  let starting: Promise<unknown> = Promise.resolve()
  let ended: Promise<void> | null = null

  const stopAll = async (code: number) => {
    const began = performance.now()
    const by = (deadlineMs: number, ...stops: Promise<unknown>[]) =>
      settledWithin(began + deadlineMs + extraMs - performance.now(), stops)
    ending.abort()
    await Promise.all([by(deadlines.work, ...work.map((stop) => stop())), by(deadlines.start, starting)])
    for (const close of resources.toReversed()) await by(deadlines.all, close())
    exit(code)
  }
  const end = (code: number) => (ended ??= stopAll(code))

  return {
    signal: ending.signal,
    addWork: (stop) => work.push(stop),
    addResource: (close) => resources.push(close),
    extend: (ms) => (extraMs += ms),
    async run(start) {
      try {
        const started = start()
        starting = started
        await started
      } catch (error) {
        // Errors during an end are expected.
        if (!ending.signal.aborted) report(error)
        await end(1)
      }
    },
    end,
  }
}

async function settledWithin(ms: number, stops: readonly Promise<unknown>[]): Promise<void> {
  const over = Promise.withResolvers<void>()
  const timer = setTimeout(over.resolve, Math.max(ms, 0))
  await Promise.race([Promise.allSettled(stops), over.promise])
  clearTimeout(timer)
}
