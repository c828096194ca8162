import type { Logger } from 'pino'
import { createWakeSignal } from '#base/wake-signal.ts'
import type { Bus } from '../db/bus.ts'

type Rounds = {
  readonly what: string
  readonly pollMs: number
  /** The least time between rounds, so that many wake-ups share one claim. */
  readonly apartMs?: number
  /** The least time after a round that found nothing; wake-ups do not shorten it. */
  readonly idleApartMs?: number
  readonly now: () => number
  readonly claim: () => Promise<number>
  /** When the next becomes due (epoch ms); null: nothing waits. */
  readonly nextAt: () => Promise<number | null>
}

/** Delays of a worker that found nothing due because another one was faster. */
const LATE_APART_MS = { first: 100, most: 500 }

/**
 * Claims in rounds until it is stopped: at once after a round that found something, otherwise when something becomes due,
 * when woken, or after `pollMs`. Workers that come too late for the same rows make fewer rounds.
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
  /** @returns the time (ms) from its beginning to the next one */
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
