/** Two of them tell inputs apart that one takes for the same. */
export const SEEDS = [0x811c9dc5, 0x01234567] as const

/** FNV-1a, 32 bits. Not `crypto.subtle`, which is missing on pages without TLS. */
export function fnv1a(values: Iterable<number>, seed: number): number {
  let hash = seed
  for (const value of values) hash = Math.imul(hash ^ value, 0x01000193)
  return hash >>> 0
}
