/** A time limit that a suspended process notices when it resumes. */
export type Deadline = {
  /** Whether it is over, or will be within `marginMs`. */
  isOver(marginMs?: number): boolean
}

/**
 * Over when either clock says so: the monotonic clock cannot be set, the wall clock alone runs while the machine sleeps.
 * A process that was suspended then knows that its lease may have been taken by another.
 */
export function deadlineIn(ms: number): Deadline {
  const [monotonicEnd, wallEnd] = [performance.now() + ms, Date.now() + ms]
  return {
    isOver: (marginMs = 0) =>
      performance.now() >= monotonicEnd - marginMs || Date.now() >= wallEnd - marginMs,
  }
}

export const OVER: Deadline = { isOver: () => true }
