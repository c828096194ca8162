/** As many as one claim can look at: who had a turn before that is taken for one who never had. */
const REMEMBERED = 1000

/** Whose turn was last: of users with equally many in the lanes, the one who waited longest for a turn comes first. */
export type Turns = {
  /** Users who had a turn, the last one at the end. */
  users(): readonly number[]
  take(userId: number): void
}

/** Of this process alone: where each worker is fair, all of them are. */
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
