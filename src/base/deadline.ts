/** The end of something that lasts so long. */
export type Deadline = {
  /** Whether it is over, or will be within `marginMs`. */
  isOver(marginMs?: number): boolean
}

/**
 * Reckoned by what the machine counts, which nobody can set, and by its clock, which alone goes on while the machine sleeps: it is
 * over when either says so. So a process that was suspended does not take for its own what others have taken up since.
 */
export function deadlineIn(ms: number): Deadline {
  const [counted, dated] = [performance.now() + ms, Date.now() + ms]
  return {
    isOver: (marginMs = 0) => performance.now() >= counted - marginMs || Date.now() >= dated - marginMs,
  }
}

export const OVER: Deadline = { isOver: () => true }
