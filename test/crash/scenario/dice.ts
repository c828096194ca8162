/** Deterministic by seed (mulberry32, public domain). */
export type Dice = {
  int(below: number): number
  chance(probability: number): boolean
  pick<T>(from: readonly [T, ...T[]] | readonly T[]): T
}

export function throwDice(seed: number): Dice {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const int = (below: number) => Math.floor(next() * below)
  return {
    int,
    chance: (probability) => next() < probability,
    pick: (from) => {
      const picked = from[int(from.length)]
      if (picked === undefined) throw new Error('There is nothing to pick from.')
      return picked
    },
  }
}
