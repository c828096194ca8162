import type { Instagram } from './state.ts'

const hourMs = 3_600_000

const hourOf = (instagram: Instagram): number => Math.floor(instagram.clock.now() / hourMs)

/** A creator's calls for insights in this hour of the practice clock. */
export function insightCalls(instagram: Instagram, username: string): number {
  const counted = instagram.insightCalls.get(username)
  return counted?.hour === hourOf(instagram) ? counted.calls : 0
}

/** @returns the number of calls with this one */
export function countInsightCall(instagram: Instagram, username: string): number {
  const calls = insightCalls(instagram, username) + 1
  instagram.insightCalls.put(username, { hour: hourOf(instagram), calls })
  return calls
}
