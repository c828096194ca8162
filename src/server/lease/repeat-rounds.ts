import type { Logger } from 'pino'
import { createWakeSignal } from '#base/wake-signal.ts'
import type { Bus } from '../db/bus.ts'

type Rounds = {
  /** What is claimed, for the log. */
  readonly what: string
  readonly pollMs: number
  /** Rounds begin at least this far apart: what many wake for is claimed together. */
  readonly apartMs?: number
  /** Least time from the beginning of a round that found nothing to the next; being woken does not shorten it. */
  readonly idleApartMs?: number
  readonly now: () => number
  /** Starts what is due. @returns how much was started */
  readonly claim: () => Promise<number>
  /** When the next becomes due (epoch ms); null: nothing waits. */
  readonly nextAt: () => Promise<number | null>
}

/** How far apart the rounds of a worker are that found nothing where something was due, since another was faster. */
const LATE_APART_MS = { first: 100, most: 500 }

/**
 * Claims in rounds until it is stopped: at once again after a round that found something, else when the next becomes due,
 * when woken, or after `pollMs`. All workers wait for the same row: those that come too late for it make fewer rounds.
 */
export function repeatRounds(
  { bus, log }: { readonly bus: Pick<Bus, 'onWake'>; readonly log: Logger },
  { what, pollMs, apartMs = 0, idleApartMs = 0, now, claim, nextAt }: Rounds,
): { wake(): void; claimedAt(): number; stop(): Promise<void> } {
  const stopping = new AbortController()
  const wakeSignal = createWakeSignal()
  const stopSignal = createWakeSignal()
  const unsubscribe = bus.onWake(wakeSignal.notify)
  let apart = apartMs
  let next: number | null = null
  let claimedAt = performance.now()
  /** @returns how long after its beginning the next may begin (ms) */
  const round = async (): Promise<number> => {
    const wasDue = next !== null && next <= now()
    next = null
    const count = await claim()
    claimedAt = performance.now()
    if (count > 0) {
      apart = apart / 2 < LATE_APART_MS.first ? apartMs : apart / 2
      return apart
    }
    if (wasDue) apart = Math.min(Math.max(apart * 2, LATE_APART_MS.first), LATE_APART_MS.most)
    next = await nextAt()
    await wakeSignal.wait(next === null ? pollMs : Math.min(pollMs, Math.max(next - now(), 10)))
    return Math.max(apart, idleApartMs)
  }
  const loop = async () => {
    while (!stopping.signal.aborted) {
      const begun = performance.now()
      const spacing = await round().catch(async (error: unknown) => {
        log.error({ err: error }, `claiming due ${what} failed: the worker tries again shortly`)
        await wakeSignal.wait(pollMs)
        return apart
      })
      const early = spacing - (performance.now() - begun)
      if (early > 0) await stopSignal.wait(early)
    }
  }
  const ended = loop()
  return {
    wake: wakeSignal.notify,
    claimedAt: () => claimedAt,
    async stop() {
      stopping.abort()
      unsubscribe()
      wakeSignal.notify()
      stopSignal.notify()
      await ended
    },
  }
}
