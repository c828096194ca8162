export type Deadline = {
  isOver(marginMs?: number): boolean
}

/**
 * Reads both clocks: the monotonic one cannot be set, only the wall clock runs while the machine sleeps. A process that was
 * suspended thus notices that its lease may be taken.
 */
export function deadlineIn(ms: number): Deadline {
  const [monotonicEnd, wallEnd] = [performance.now() + ms, Date.now() + ms]
  return {
    isOver: (marginMs = 0) =>
      performance.now() >= monotonicEnd - marginMs || Date.now() >= wallEnd - marginMs,
  }
}

export const OVER: Deadline = { isOver: () => true }
