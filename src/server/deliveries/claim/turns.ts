/** As many users as one claim can look at; older turns are forgotten. */
const REMEMBERED = 1000

/** The order of the users' last turns: of users with equally many jobs, the one whose turn is longest ago comes first. */
export type Turns = {
  /** Users who had a turn, the last one at the end. */
  users(): readonly number[]
  take(userId: number): void
}

/** Each process remembers its own: if each worker is fair, all are together. */
export function createTurns(): Turns {
  const had = new Set<number>()
  return {
    users: () => [...had],
    take(userId) {
      had.delete(userId)
      had.add(userId)
      const [first] = had
      if (had.size > REMEMBERED && first !== undefined) had.delete(first)
    },
  }
}
