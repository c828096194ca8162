import type { Band } from '#contract/results.ts'

/** Posts of an account that are compared with, the latest. */
export const COMPARED_POSTS = 30
/** With fewer than these there is no telling what is usual. */
export const FEWEST_POSTS = 5
const ABOVE = 1.5

/** The median of the account's other posts; null: too few to tell. */
export function findUsual(others: readonly number[]): number | null {
  if (others.length < FEWEST_POSTS) return null
  const sorted = others.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  const low = sorted[Math.ceil(half) - 1] ?? 0
  const high = sorted[Math.floor(half)] ?? 0
  return (low + high) / 2
}

export function compareToUsual(value: number | null, usual: number | null): Band | null {
  if (value === null || usual === null) return null
  if (usual === 0) return value > 0 ? 'above' : 'usual'
  if (value >= usual * ABOVE) return 'above'
  return value * ABOVE <= usual ? 'below' : 'usual'
}
