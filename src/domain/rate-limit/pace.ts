/** How often a call may be made: `most` times in any `perS` seconds. */
export type Rate = { readonly most: number; readonly perS: number }

/** Epoch ms, in ascending order: when the call was made, and when those who wait may come. */
export type Turns = { readonly made: readonly number[]; readonly promised: readonly number[] }

export const NO_TURNS: Turns = { made: [], promised: [] }

/** Between our leave to call and the call's arrival at the platform, whose minute is not ours. */
const SLACK_MS = 10_000
/** Who has not come for so long is not coming: cancelled meanwhile, or its worker died. */
const MISSED_MS = 60_000
/** Between two who wait for the same moment, so that they do not all come at once. */
const APART_MS = 1000

/**
 * A turn at a limited call. `at <= now`: it is now, and counted as made; otherwise it is promised for then. First come,
 * first served: who waits for the same is never overtaken, and each comes at a moment of their own instead of all asking again
 * and again.
 *
 * @param promised what the one who asks was promised before
 * @param notBefore a moment before which nobody gets a turn
 */
export function takeTurn(
  turns: Turns,
  rate: Rate,
  { promised, notBefore, now }: { promised: number | null; notBefore: number; now: number },
): { readonly turns: Turns; readonly at: number } {
  const windowMs = rate.perS * 1000 + SLACK_MS
  // Another machine's clock may be ahead of ours, or its turn was given while we waited for ours.
  const known = madeBy(now, turns.made, windowMs)
  const present = Math.max(now, known.at(-1) ?? now)
  const made = known.filter((at) => at > present - windowMs)
  const isHeld = promised !== null && turns.promised.includes(promised)
  const others = turns.promised.filter((at) => at > present - MISSED_MS && at !== promised)
  const earliest = Math.max(present, notBefore)
  // Whoever was promised a moment that has come is held up by calls that were really made, and not by those after them.
  const free = isHeld && promised <= present ? firstFree(made, rate.most, windowMs, earliest) : Infinity
  if (free <= present) return gone()
  if (isHeld && promised > present && promised >= notBefore) return comesAt(promised)
  const behind = isHeld ? earliest : endOfLine(others, earliest, windowMs)
  const next = firstFree([...made, ...others].toSorted(ascending), rate.most, windowMs, behind)
  return next <= present ? gone() : comesAt(ofTheirOwn(others, next))

  function gone() {
    return { turns: { made: [...made, present], promised: others }, at: now }
  }
  function comesAt(at: number) {
    return { turns: { made, promised: [...others, at].toSorted(ascending) }, at }
  }
}

/** No machine's clock is ahead by more than a window: what lies further ahead was made while the time itself was wrong. */
const madeBy = (now: number, made: readonly number[], windowMs: number): readonly number[] =>
  made.map((at) => (at > now + windowMs ? now : at)).toSorted(ascending)

/**
 * Behind those who wait from `from` on. A rate keeps nobody from the one before for longer than its window: who comes later than
 * that waits for something else, such as a stop that is over by now, and is not in front.
 */
function endOfLine(others: readonly number[], from: number, windowMs: number): number {
  let end = from
  for (const at of others) {
    if (at > end + windowMs) return end
    end = Math.max(end, at + APART_MS)
  }
  return end
}

/** The first moment from `from` on at which fewer than `most` of these times lie within the window before it. */
function firstFree(times: readonly number[], most: number, windowMs: number, from: number): number {
  let at = from
  for (;;) {
    const inWindow = times.filter((time) => time > at - windowMs && time <= at)
    const oldest = inWindow[inWindow.length - most]
    if (oldest === undefined) return at
    at = oldest + windowMs
  }
}

/** A promise is known again by its moment. */
function ofTheirOwn(others: readonly number[], at: number): number {
  return others.includes(at) ? ofTheirOwn(others, at + 1) : at
}

const ascending = (a: number, b: number): number => a - b

/** How many posts of a day are used, by the platform's word. `total: null`: it does not tell. */
export type Told = { readonly used: number; readonly total: number | null; readonly at: number }

/** What we know beside it: of this account, posts on their way, and posts that became live since. */
export type Ours = { readonly onTheirWay: number; readonly since: number }

/** The platform is asked how much is left: as long as there is room, and while there is none. */
const ASK_AGAIN_MS = 300_000
const ASK_WHILE_FULL_MS = 3_600_000
/** Our own posts fill it: some may fail, and give their room back. */
const ASK_WHILE_FILLING_MS = 60_000
/** For so long nobody else asks. */
const ASKING_MS = 30_000

/** `askAt`: the platform is not asked before. */
export type Room =
  | { readonly kind: 'go' }
  | { readonly kind: 'ask'; readonly askAt: number }
  | { readonly kind: 'full'; readonly until: number; readonly total: number | null }

/** Whether one more post may be begun. */
export function roomFor(told: Told | null, askAt: number | null, ours: Ours, now: number): Room {
  if (askAt === null || askAt <= now) return { kind: 'ask', askAt: now + ASKING_MS }
  if (told === null) return { kind: 'full', until: askAt, total: null }
  if (told.total === null || told.used + ours.since + ours.onTheirWay < told.total) return { kind: 'go' }
  const soon = told.at + ASK_WHILE_FILLING_MS
  const until = told.used < told.total && soon > now ? Math.min(soon, askAt) : askAt
  return { kind: 'full', until, total: told.total }
}

/** When to ask next. */
export const askAgainAt = ({ used, total, at }: Told): number =>
  at + (total !== null && used >= total ? ASK_WHILE_FULL_MS : ASK_AGAIN_MS)
