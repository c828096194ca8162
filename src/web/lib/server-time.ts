// The server decides what is past, and a computer's own clock may be hours wrong. Each answer of the API says what time it is there.

/** An answer that took longer is no measure, and a smaller difference may be the way's. */
const TOLERANCE_MS = 5_000

/** The server's clock is ahead of this computer's by this. */
let offsetMs = 0
const listeners = new Set<() => void>()

/** The time at the server (epoch ms), as far as it is known: that of this computer before the first answer. */
export const serverNow = (): number => Date.now() + offsetMs

/** @param date the answer's `Date` header. @param startedAt when it was asked for, by `performance.now()` */
export function readServerTime(date: unknown, startedAt: number): void {
  const at = typeof date === 'string' ? Date.parse(date) : NaN
  if (Number.isNaN(at) || performance.now() - startedAt > TOLERANCE_MS) return
  const measuredMs = at - Date.now()
  if (Math.abs(measuredMs - offsetMs) <= TOLERANCE_MS) return
  offsetMs = Math.abs(measuredMs) <= TOLERANCE_MS ? 0 : measuredMs
  for (const listener of listeners) listener()
}

/** Calls back when the server's clock turns out to differ. @returns an end to that */
export function onServerTimeChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
