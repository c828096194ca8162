/** Counts the turns of the event loop until it is stopped: none, and nobody else was served meanwhile. */
export function countTurns(): { stop(): number } {
  let turns = 0
  let next = setImmediate(count)
  function count() {
    turns += 1
    next = setImmediate(count)
  }
  return {
    stop: () => {
      clearImmediate(next)
      return turns
    },
  }
}
