export type Rate = { readonly most: number; readonly perS: number }

/** Epoch ms, ascending: the calls made, and the times reserved for waiting callers. */
export type CallTimes = { readonly made: readonly number[]; readonly reserved: readonly number[] }

export const NO_CALLS: CallTimes = { made: [], reserved: [] }

/** A call reaches the platform up to this long after our permission, and its minute is not ours. */
const SLACK_MS = 10_000
/** A reservation this old is abandoned: the delivery was cancelled, or its worker died. */
const ABANDONED_MS = 60_000
/** Spreads reservations for the same moment, so that they do not all come at once. */
const APART_MS = 1000

/**
 * Reserves a moment for a limited call, first come, first served. `at <= now`: the call may be made now and counts as made;
 * otherwise the caller asks again at `at`. @param reservedAt the caller's earlier reservation @param notBefore no call is
 * allowed before this moment
 */
export function reserveCallTime(
  times: CallTimes,
  rate: Rate,
  { reservedAt, notBefore, now }: { reservedAt: number | null; notBefore: number; now: number },
): { readonly times: CallTimes; readonly at: number } {
  const windowMs = rate.perS * 1000 + SLACK_MS
  // Another machine's clock may be ahead of ours, or its call was counted while we waited for the lock.
  const known = withoutFuture(now, times.made, windowMs)
  const present = Math.max(now, known.at(-1) ?? now)
  const made = known.filter((at) => at > present - windowMs)
  const hasReservation = reservedAt !== null && times.reserved.includes(reservedAt)
  const others = times.reserved.filter((at) => at > present - ABANDONED_MS && at !== reservedAt)
  const earliest = Math.max(present, notBefore)
  // Only real calls delay a reservation that is due, not later reservations.
  const free =
    hasReservation && reservedAt <= present ? firstFree(made, rate.most, windowMs, earliest) : Infinity
  if (free <= present) return allowed()
  if (hasReservation && reservedAt > present && reservedAt >= notBefore) return reserved(reservedAt)
  const behind = hasReservation ? earliest : endOfReservations(others, earliest, windowMs)
  const next = firstFree([...made, ...others].toSorted(ascending), rate.most, windowMs, behind)
  return next <= present ? allowed() : reserved(unusedMoment(others, next))

  function allowed() {
    return { times: { made: [...made, present], reserved: others }, at: now }
  }
  function reserved(at: number) {
    return { times: { made, reserved: [...others, at].toSorted(ascending) }, at }
  }
}

/** Clocks differ by less than a window: later times were recorded while a clock was wrong. */
const withoutFuture = (now: number, made: readonly number[], windowMs: number): readonly number[] =>
  made.map((at) => (at > now + windowMs ? now : at)).toSorted(ascending)

/**
 * The time after the reservations from `from` on. A gap of more than a window ends them: later reservations wait for
 * something else, such as a cool-down.
 */
function endOfReservations(others: readonly number[], from: number, windowMs: number): number {
  let end = from
  for (const at of others) {
    if (at > end + windowMs) return end
    end = Math.max(end, at + APART_MS)
  }
  return end
}

/** The first moment from `from` on with fewer than `most` of these times in the window before it. */
function firstFree(times: readonly number[], most: number, windowMs: number, from: number): number {
  let at = from
  for (;;) {
    const inWindow = times.filter((time) => time > at - windowMs && time <= at)
    const oldest = inWindow[inWindow.length - most]
    if (oldest === undefined) return at
    at = oldest + windowMs
  }
}

/** A reservation is identified by its moment. */
function unusedMoment(others: readonly number[], at: number): number {
  return others.includes(at) ? unusedMoment(others, at + 1) : at
}

const ascending = (a: number, b: number): number => a - b
