/** Counts the event loop's turns until it is stopped: with none, nobody else was served meanwhile. */
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
