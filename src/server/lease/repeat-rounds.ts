import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createWakeSignal } from '#base/wake-signal.ts'
import type { Bus } from '../db/bus.ts'

type Rounds = {
  /** What is claimed, for the log. */
  readonly what: string
  readonly pollMs: number
  /** Rounds begin at least this far apart: what many wake for is claimed together. */
  readonly apartMs?: number
  readonly now: () => number
  /** Starts what is due. @returns how much was started */
  readonly claim: () => Promise<number>
  /** When the next becomes due (epoch ms); null: nothing waits. */
  readonly nextAt: () => Promise<number | null>
}

/**
 * Claims in rounds until it is stopped: at once again after a round that found something, else when the next becomes due,
 * when woken, or after `pollMs`.
 */
export function repeatRounds(
  { bus, log }: { readonly bus: Pick<Bus, 'onWake'>; readonly log: Logger },
  { what, pollMs, apartMs = 0, now, claim, nextAt }: Rounds,
): { wake(): void; stop(): Promise<void> } {
  const stopping = new AbortController()
  const wakeSignal = createWakeSignal()
  const unsubscribe = bus.onWake(wakeSignal.notify)
  const round = async () => {
    if ((await claim()) > 0) return
    const next = await nextAt()
    await wakeSignal.wait(next === null ? pollMs : Math.min(pollMs, Math.max(next - now(), 10)))
  }
  const loop = async () => {
    while (!stopping.signal.aborted) {
      const done = round().catch((error: unknown) => {
        log.error({ err: error }, `claiming due ${what} failed: the worker tries again shortly`)
        return wakeSignal.wait(pollMs)
      })
      await Promise.all([done, sleep(apartMs)])
    }
  }
  const ended = loop()
  return {
    wake: wakeSignal.notify,
    async stop() {
      stopping.abort()
      unsubscribe()
      wakeSignal.notify()
      await ended
    },
  }
}
