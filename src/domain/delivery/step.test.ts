import { describe, expect, it } from 'vitest'
import type { Failure } from './failure.ts'
import { REASONS } from './reasons.ts'
import type { DeliveryEvent, DeliveryState, Unconfirmed } from './state.ts'
import { step } from './step.ts'
import { describe as describeState, view } from './view.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const session = { publish_id: 'p1' }
const reason = { code: 'c', message: 'm', remedy: 'r', detail: null }

const rejected: Failure = { kind: 'rejected', reason }
const retryable: Failure = { kind: 'rejected', reason, againInS: [300, 1800] }
const unreachable: Failure = { kind: 'unreachable', reason }
const account: Failure = { kind: 'account', reason, expired: false }
const throttled: Failure = { kind: 'throttled', reason, retryAfterS: 60, limit: false }
const dailyLimit: Failure = { kind: 'throttled', reason, retryAfterS: 3600, limit: true }
const unexpected: Failure = { kind: 'unexpected', reason, status: 418 }

const ONCE = { attempt: 1, repeats: 0 } as const
const DOUBT = { session, since: NOW, looks: 0 }
const failed = { kind: 'failed', ...ONCE, at: NOW, reason, settled: null } as const
const BLOCKED = { kind: 'blocked', ...ONCE, until: null, dueAt: null, reason, earlier: null } as const
const UNTROUBLED = { lostOpenings: 0, commits: 0, notReady: 0, renewed: false } as const
const PREPARING = { kind: 'preparing', ...ONCE, tries: 0, ...UNTROUBLED, reason: null } as const
const SENT = { ...ONCE, session, since: NOW, commits: 1 } as const
const UNCONFIRMED = { kind: 'unconfirmed', ...SENT, checks: 0, reason, answer: null } as const

const states = {
  scheduled: { kind: 'scheduled', ...ONCE, dueAt: NOW, reason: null, earlier: null },
  scheduledAgain: {
    kind: 'scheduled',
    attempt: 2,
    repeats: 0,
    dueAt: NOW,
    reason: null,
    earlier: { ...DOUBT, session: { publish_id: 'p0' } },
  },
  opening: { ...PREPARING, session: null, sent: 0 },
  preparing: { ...PREPARING, session, sent: 5 },
  committing: { kind: 'committing', ...SENT, tries: 0, notReady: 0, renewed: false },
  processing: { kind: 'processing', ...SENT, checks: 0, reason: null },
  published: { kind: 'published', ...ONCE, at: NOW, session, postId: null, url: null, afterAll: false },
  in_inbox: { kind: 'in_inbox', ...ONCE, at: NOW, session, checks: 0 },
  failed,
  failedDismissed: { ...failed, settled: { kind: 'dismissed', at: NOW } },
  failedReplaced: { ...failed, settled: { kind: 'replaced', at: NOW, postId: 8 } },
  blocked: { ...BLOCKED, cause: 'limit', until: NOW },
  blockedByAccount: { ...BLOCKED, cause: 'account' },
  missed: { ...BLOCKED, cause: 'missed', dueAt: NOW },
  paused: { ...BLOCKED, cause: 'paused', until: NOW, dueAt: NOW },
  unconfirmed: { ...UNCONFIRMED, restored: false },
  unconfirmedAndRestored: { ...UNCONFIRMED, restored: true },
  restored: { ...BLOCKED, cause: 'restored', dueAt: NOW, reason: REASONS.restored, earlier: DOUBT },
  restoredPlanned: {
    ...BLOCKED,
    cause: 'restored',
    dueAt: NOW + 3_600_000,
    reason: REASONS.restoredPlanned,
  },
  cancelled: { kind: 'cancelled', ...ONCE, at: NOW },
} as const satisfies Record<string, DeliveryState>

const events = {
  due: { type: 'due' },
  opened: { type: 'opened', session },
  progress: { type: 'progress', session, sent: 10, waitS: 0 },
  setback: { type: 'setback', failure: unreachable, session },
  ready: { type: 'ready', session },
  crowded: { type: 'crowded' },
  accepted: { type: 'accepted', session },
  live: { type: 'live', postId: '1', url: null },
  in_inbox: { type: 'in_inbox', session },
  not_ready: { type: 'not_ready', session, reason, renewed: false },
  refused: { type: 'refused', failure: rejected, session: null },
  unanswered: { type: 'unanswered', failure: unreachable, session: null },
  unsent: { type: 'unsent', failure: unreachable },
  interrupted: { type: 'interrupted' },
  pending: { type: 'pending', session },
  uncommitted: { type: 'uncommitted', session },
  rejected: { type: 'rejected', failure: rejected },
  unreadable: { type: 'unreadable', failure: unreachable },
  relink: { type: 'relink', reason },
  erased: { type: 'erased' },
  cancel: { type: 'cancel' },
  retry: { type: 'retry' },
  dismiss: { type: 'dismiss' },
  replaced: { type: 'replaced', postId: 9 },
  rescheduled: { type: 'rescheduled', dueAt: NOW + 3_600_000 },
  edited: { type: 'edited' },
  resolve_live: { type: 'resolve', outcome: 'live' },
  resolve_in_inbox: { type: 'resolve', outcome: 'in_inbox' },
  resolve_not_live: { type: 'resolve', outcome: 'not_live' },
  linked_again: { type: 'linked_again', freeAt: NOW },
  missed: { type: 'missed', reason },
  paused: { type: 'paused', reason },
  resumed: { type: 'resumed', dueAt: NOW, reason: null },
  held: { type: 'held' },
} as const satisfies Record<string, DeliveryEvent>

/** The whole table: what each event makes of each state. What is not named is refused. */
const TABLE: Record<keyof typeof states, Partial<Record<keyof typeof events, DeliveryState['kind']>>> = {
  scheduled: {
    due: 'preparing',
    relink: 'blocked',
    cancel: 'cancelled',
    rescheduled: 'scheduled',
    edited: 'scheduled',
    missed: 'blocked',
    paused: 'blocked',
    held: 'blocked',
  },
  scheduledAgain: {
    due: 'preparing',
    accepted: 'processing',
    live: 'published',
    in_inbox: 'in_inbox',
    unreadable: 'scheduled',
    relink: 'blocked',
    cancel: 'cancelled',
    paused: 'blocked',
    held: 'blocked',
  },
  opening: {
    opened: 'preparing',
    setback: 'preparing',
    crowded: 'preparing',
    relink: 'blocked',
    cancel: 'cancelled',
    linked_again: 'preparing',
    paused: 'blocked',
    held: 'blocked',
  },
  preparing: {
    progress: 'preparing',
    setback: 'preparing',
    ready: 'committing',
    crowded: 'preparing',
    relink: 'blocked',
    cancel: 'cancelled',
    linked_again: 'preparing',
    paused: 'blocked',
    held: 'blocked',
  },
  committing: {
    accepted: 'processing',
    live: 'published',
    not_ready: 'preparing',
    refused: 'failed',
    unanswered: 'unconfirmed',
    unsent: 'preparing',
    interrupted: 'unconfirmed',
    held: 'unconfirmed',
  },
  processing: {
    accepted: 'processing',
    live: 'published',
    in_inbox: 'in_inbox',
    pending: 'processing',
    uncommitted: 'preparing',
    rejected: 'failed',
    unreadable: 'processing',
    erased: 'unconfirmed',
    linked_again: 'processing',
    held: 'unconfirmed',
  },
  published: {},
  in_inbox: {
    accepted: 'in_inbox',
    live: 'published',
    in_inbox: 'in_inbox',
    pending: 'in_inbox',
    uncommitted: 'in_inbox',
    rejected: 'failed',
    unreadable: 'in_inbox',
  },
  failed: { retry: 'scheduled', dismiss: 'failed', replaced: 'failed' },
  failedDismissed: { retry: 'scheduled', dismiss: 'failed', replaced: 'failed' },
  failedReplaced: { replaced: 'failed' },
  blocked: {
    due: 'scheduled',
    relink: 'blocked',
    erased: 'failed',
    cancel: 'cancelled',
    retry: 'scheduled',
    rescheduled: 'scheduled',
    edited: 'blocked',
    held: 'blocked',
  },
  blockedByAccount: {
    erased: 'failed',
    cancel: 'cancelled',
    linked_again: 'scheduled',
    rescheduled: 'blocked',
    edited: 'blocked',
    held: 'blocked',
  },
  missed: {
    erased: 'failed',
    cancel: 'cancelled',
    retry: 'scheduled',
    rescheduled: 'scheduled',
    edited: 'blocked',
    held: 'blocked',
  },
  paused: {
    relink: 'blocked',
    erased: 'failed',
    cancel: 'cancelled',
    missed: 'blocked',
    paused: 'blocked',
    resumed: 'scheduled',
    rescheduled: 'scheduled',
    edited: 'blocked',
    held: 'blocked',
  },
  unconfirmed: {
    accepted: 'processing',
    live: 'published',
    in_inbox: 'in_inbox',
    pending: 'unconfirmed',
    uncommitted: 'preparing',
    rejected: 'failed',
    unreadable: 'unconfirmed',
    erased: 'unconfirmed',
    resolve_live: 'published',
    resolve_in_inbox: 'in_inbox',
    resolve_not_live: 'scheduled',
    linked_again: 'unconfirmed',
    held: 'unconfirmed',
  },
  unconfirmedAndRestored: {
    accepted: 'unconfirmed',
    live: 'published',
    in_inbox: 'in_inbox',
    pending: 'unconfirmed',
    uncommitted: 'unconfirmed',
    rejected: 'blocked',
    unreadable: 'unconfirmed',
    erased: 'unconfirmed',
    resolve_live: 'published',
    resolve_in_inbox: 'in_inbox',
    resolve_not_live: 'scheduled',
    linked_again: 'unconfirmed',
    held: 'unconfirmed',
  },
  restored: {
    erased: 'failed',
    cancel: 'cancelled',
    retry: 'scheduled',
    resolve_live: 'published',
    resolve_in_inbox: 'in_inbox',
    missed: 'blocked',
    paused: 'blocked',
    resumed: 'scheduled',
  },
  restoredPlanned: {
    erased: 'failed',
    cancel: 'cancelled',
    retry: 'scheduled',
    resolve_live: 'published',
    missed: 'blocked',
    paused: 'blocked',
    resumed: 'scheduled',
    rescheduled: 'blocked',
    edited: 'blocked',
  },
  cancelled: {},
}

const keys = <T extends object>(o: T) => Object.keys(o) as (keyof T)[] // keys of const objects above

describe('the transition table', () => {
  for (const from of keys(states)) {
    for (const name of keys(events)) {
      const to = TABLE[from][name]
      it(`${from} + ${name} -> ${to ?? 'refused'}`, () => {
        const result = step(states[from], events[name], NOW)
        expect('to' in result ? result.to.kind : undefined).toBe(to)
      })
    }
  }
})

const next = (state: DeliveryState, event: DeliveryEvent, now = NOW) => {
  const result = step(state, event, now)
  if ('refused' in result) throw new Error(result.refused)
  return result
}

describe('a change of the post before it goes out', () => {
  const dueAt = NOW + 3_600_000

  it('moves what waits, and what waits for a limit is tried at the new time', () => {
    expect(next({ ...states.scheduled, reason }, events.rescheduled)).toEqual({
      to: { ...states.scheduled, dueAt },
      wakeAt: dueAt,
    })
    const freed = next(states.blocked, events.rescheduled)
    expect(freed).toMatchObject({ to: { kind: 'scheduled', dueAt, reason: null }, wakeAt: dueAt })
  })

  it('is kept by what waits for its account, and used once that is linked again', () => {
    const { to, wakeAt } = next(states.blockedByAccount, events.rescheduled)
    expect([to, wakeAt]).toEqual([{ ...states.blockedByAccount, dueAt }, null])
    expect(next(to, events.linked_again)).toMatchObject({ to: { kind: 'scheduled', dueAt }, wakeAt: dueAt })
  })

  it('is kept by what may have been posted before a restore, which stays held', () => {
    for (const held of [{ ...states.restored, earlier: null }, states.restoredPlanned])
      expect(next(held, events.rescheduled)).toEqual({ to: { ...held, dueAt }, wakeAt: null })
  })

  it('keeps the time of what is posted with something else', () => {
    const later = { ...states.scheduled, dueAt }
    expect(next(later, events.edited)).toEqual({ to: later, wakeAt: dueAt })
    expect(next(states.blockedByAccount, events.edited).wakeAt).toBeNull()
    expect(next(states.blocked, events.edited, NOW - 1000).wakeAt).toBe(NOW)
  })

  it('is never in the past: what is moved there goes out now', () => {
    const past = { type: 'rescheduled', dueAt: NOW - 5 } as const
    expect(next(states.scheduled, past)).toMatchObject({ to: { dueAt: NOW }, wakeAt: NOW })
  })
})

describe('while a draft is in the inbox', () => {
  it('the platform is asked rarely for a week, and then no more', () => {
    let state: DeliveryState = next(states.processing, events.in_inbox).to
    let askAt = next(states.processing, events.in_inbox).wakeAt
    const hours: number[] = []
    while (askAt !== null && hours.length < 50) {
      hours.push((askAt - NOW) / 3_600_000)
      const { to, wakeAt } = next(state, hours.length % 2 ? events.in_inbox : events.unreadable, askAt)
      state = to
      askAt = wakeAt
    }
    expect(hours.slice(0, 3).map((hour) => Math.round(hour * 60))).toEqual([10, 40, 100])
    expect(hours.at(-1)).toBeGreaterThan(7 * 24)
    expect(hours.length).toBeLessThan(15)
    expect(state).toMatchObject({ kind: 'in_inbox', at: NOW, session })
    expect(next(state, events.live).to).toMatchObject({ kind: 'published', postId: '1', session })
  })

  it('a failure after it ends in a failure, and nothing is sent again by itself', () => {
    const { to, wakeAt } = next(states.in_inbox, { type: 'rejected', failure: retryable })
    expect(to).toMatchObject({ kind: 'failed', attempt: 1, reason })
    expect(wakeAt).toBeNull()
  })

  it('an erased account is not asked about it any more', () => {
    const gone: Failure = { ...account, gone: true }
    expect(next(states.in_inbox, { type: 'unreadable', failure: gone })).toEqual({
      to: states.in_inbox,
      wakeAt: null,
    })
  })
})

describe('while preparing', () => {
  it('an unreachable platform is retried with back-off in the same session, then the post fails', () => {
    let state: DeliveryState = states.preparing
    const waits: number[] = []
    for (let i = 0; i < 50 && state.kind === 'preparing'; i++) {
      const result = next(state, { type: 'setback', failure: unreachable, session })
      if (result.wakeAt !== null) waits.push((result.wakeAt - NOW) / 1000)
      state = result.to
    }
    expect(state.kind).toBe('failed')
    expect(waits[0]).toBe(2)
    expect(waits.at(-1)).toBe(3600)
  })

  it('an opening that may have happened is repeated no sooner than after a quarter of a minute', () => {
    const opening = { ...states.preparing, session: null }
    const { wakeAt } = next(opening, { type: 'setback', failure: unreachable, session: null })
    expect(wakeAt).toBe(NOW + 15_000)
  })

  it('an opening whose answer is lost is repeated twice, then fails with what the user can do', () => {
    for (const lost of [unreachable, unexpected]) {
      const failure: Failure = { ...lost, mayHaveOpened: true }
      let state: DeliveryState = states.opening
      const waits: number[] = []
      while (state.kind === 'preparing' && waits.length < 20) {
        const { to, wakeAt } = next(state, { type: 'setback', failure, session: null })
        if (to.kind === 'preparing') waits.push(((wakeAt ?? 0) - NOW) / 1000)
        // A call that never reached the platform costs nothing.
        state = to.kind === 'preparing' ? next(to, { ...events.setback, session: null }).to : to
      }
      expect(waits).toEqual([15, 120])
      expect(state).toMatchObject({ kind: 'failed', reason: { code: 'opening_unanswered' } })
    }
    expect(next({ ...states.opening, lostOpenings: 2 }, events.opened).to).toMatchObject({ lostOpenings: 0 })
    const rarer: Failure = { ...unreachable, mayHaveOpened: true, openAgainMost: 1 }
    const again = next(states.opening, { type: 'setback', failure: rarer, session: null })
    expect(again).toMatchObject({ to: { kind: 'preparing' }, wakeAt: NOW + 15_000 })
    expect(next(again.to, { type: 'setback', failure: rarer, session: null }).to.kind).toBe('failed')
  })

  it('progress forgets the setbacks before it', () => {
    const { to } = next(
      { ...states.preparing, tries: 7, reason },
      { type: 'progress', session, sent: 9, waitS: 0 },
    )
    expect(to).toMatchObject({ tries: 0, reason: null, sent: 9 })
  })

  it('a dead session starts a new attempt from the first byte', () => {
    const { to } = next(states.preparing, { type: 'setback', failure: unreachable, session: null })
    expect(to).toMatchObject({ kind: 'preparing', attempt: 2, session: null, sent: 0, commits: 0 })
  })

  it('a used-up allowance holds the delivery until it returns', () => {
    const { to, wakeAt } = next(states.preparing, { type: 'setback', failure: dailyLimit, session })
    expect(to).toMatchObject({ kind: 'blocked', cause: 'limit', until: NOW + 3_600_000 })
    expect(wakeAt).toBe(NOW + 3_600_000)
  })

  it('a short throttle only waits', () => {
    const { to, wakeAt } = next(states.preparing, { type: 'setback', failure: throttled, session })
    expect(to).toMatchObject({ kind: 'preparing', tries: 0, session })
    expect(wakeAt).toBe(NOW + 60_000)
  })

  it('an account that must be linked again holds the delivery without a time', () => {
    const { to, wakeAt } = next(states.preparing, { type: 'setback', failure: account, session })
    expect(to).toMatchObject({ kind: 'blocked', cause: 'account', until: null })
    expect(wakeAt).toBeNull()
  })

  it('a definite no is final, except where the platform documents that a new attempt may succeed', () => {
    expect(next(states.preparing, { type: 'setback', failure: rejected, session: null }).to.kind).toBe(
      'failed',
    )
    const { to, wakeAt } = next(states.preparing, { type: 'setback', failure: retryable, session: null })
    expect(to).toMatchObject({ kind: 'scheduled', attempt: 2 })
    expect(wakeAt).toBe(NOW + 300_000)
  })

  it('an unknown answer is tried twice again, then shown', () => {
    const tried = { ...states.preparing, tries: 2 }
    expect(next(states.preparing, { type: 'setback', failure: unexpected, session }).to.kind).toBe(
      'preparing',
    )
    expect(next(tried, { type: 'setback', failure: unexpected, session }).to.kind).toBe('failed')
  })

  it('a call without effect is repeated with back-off, seven times in all; then the user decides', () => {
    let state: DeliveryState = states.preparing
    const waits: number[] = []
    while (state.kind === 'preparing' && waits.length < 20) {
      const asked = next(next(state, events.ready).to, events.unanswered).to
      const { to, wakeAt } = next(asked, events.uncommitted)
      state = to
      if (to.kind === 'preparing' && wakeAt !== null) waits.push((wakeAt - NOW) / 1000)
    }
    expect(waits).toEqual([2, 5, 15, 60, 300, 900])
    expect(state).toMatchObject({ kind: 'unconfirmed', attempt: 1, commits: 7 })
    const late = next({ ...states.preparing, commits: 7 }, events.ready)
    expect(late.to.kind).toBe('unconfirmed')
    expect(late.wakeAt).toBe(NOW + 60_000)
    expect(next(late.to, events.uncommitted).to.kind).toBe('unconfirmed')
  })
})

/** Everything that the platform refuses in one life, until nothing happens by itself any more. */
function waitsUntilFailed(first: DeliveryState): number[] {
  const waits: number[] = []
  let state = first
  while (state.kind !== 'failed' && waits.length < 20) {
    const { to, wakeAt } = next(next(state, events.due).to, {
      type: 'setback',
      failure: retryable,
      session: null,
    })
    if (wakeAt !== null) waits.push((wakeAt - NOW) / 1000)
    state = to
  }
  return waits
}

describe('a failure', () => {
  it('that is dismissed keeps what happened, and when', () => {
    const dismissed = step(states.failed, events.dismiss, NOW + 5)
    expect(dismissed).toEqual({
      to: { ...failed, settled: { kind: 'dismissed', at: NOW + 5 } },
      wakeAt: null,
    })
    if (!('to' in dismissed)) return
    expect(step(dismissed.to, events.dismiss, NOW + 9)).toEqual(dismissed)
  })

  it('that a newer post replaces names the last one that did', () => {
    const replaced = next(states.failedDismissed, { type: 'replaced', postId: 8 }).to
    expect(next(replaced, { type: 'replaced', postId: 9 }).to).toMatchObject({
      kind: 'failed',
      at: NOW,
      settled: { kind: 'replaced', postId: 9 },
    })
  })

  it('of a new attempt is to be settled anew', () => {
    const again = next(states.failedDismissed, events.retry).to
    const refusal = { type: 'setback', failure: rejected, session: null } as const
    const refused = next(next(again, events.due).to, refusal).to
    expect(refused).toMatchObject({ kind: 'failed', attempt: 2, settled: null })
  })

  it('offers what may be done, and says how it was settled', () => {
    const seen = [states.failed, states.failedDismissed, states.failedReplaced].map(view)
    expect(seen.map(({ actions }) => actions)).toEqual([['retry', 'dismiss'], ['retry'], []])
    expect(seen.map(({ reason: shown }) => shown?.remedy)).toEqual([
      reason.remedy,
      'It was dismissed, so there is nothing to do.',
      'A newer post has replaced it, so there is nothing to do.',
    ])
  })
})

describe('what starts afresh by itself', () => {
  it('does so as often after a retry as the first time', () => {
    expect(waitsUntilFailed(states.scheduled)).toEqual([300, 1800])
    const retried = next({ ...states.failed, attempt: 9, repeats: 2 }, events.retry).to
    expect(retried).toMatchObject({ attempt: 10, repeats: 0 })
    expect(waitsUntilFailed(retried)).toEqual([300, 1800])
  })

  it('loses none of its repeats to a used-up allowance', () => {
    let state: DeliveryState = { ...states.scheduled, repeats: 1 }
    for (let day = 0; day < 12; day += 1) {
      const blocked = next(next(state, events.due).to, {
        type: 'setback',
        failure: dailyLimit,
        session: null,
      })
      state = next(blocked.to, events.due).to
    }
    expect(state).toMatchObject({ kind: 'scheduled', repeats: 1 })
    expect(waitsUntilFailed(state)).toEqual([1800])
  })
})

describe('a session that was committed without effect', () => {
  const contested = { ...states.preparing, commits: 1 }

  it('goes on by itself or stays open, and never makes room for another', () => {
    for (const failure of [rejected, retryable, account]) {
      expect(next(contested, { type: 'setback', failure, session: null }).to).toMatchObject({
        kind: 'unconfirmed',
        attempt: 1,
        session,
      })
    }
    for (const failure of [unreachable, throttled, dailyLimit, unexpected]) {
      expect(next(contested, { type: 'setback', failure, session: null }).to).toMatchObject({
        kind: 'preparing',
        attempt: 1,
        session,
      })
    }
  })

  it('cannot be cancelled, because it may yet appear', () => {
    expect(step(contested, events.cancel, NOW)).toHaveProperty('refused')
  })
})

describe('the irreversible call', () => {
  it('without an answer leaves the outcome unconfirmed, and the platform is asked at once', () => {
    for (const event of [events.unanswered, events.interrupted]) {
      const { to, wakeAt } = next(states.committing, event)
      expect(to).toMatchObject({ kind: 'unconfirmed', session, checks: 0 })
      expect(wakeAt).toBe(NOW)
    }
  })

  it('remembers of a call without an answer what the platform said about it', () => {
    const remembered = { ...session, told: 'x' }
    expect(next(states.committing, { ...events.unanswered, session: remembered }).to).toMatchObject({
      kind: 'unconfirmed',
      session: remembered,
    })
  })

  it('refused for good with a live session goes back to it, not to a new one', () => {
    const { to } = next(states.committing, { type: 'refused', failure: throttled, session })
    expect(to).toMatchObject({ kind: 'preparing', attempt: 1, session, commits: 0 })
  })

  it('that was not executed does not count as a commit', () => {
    expect(next(states.committing, events.not_ready).to).toMatchObject({ kind: 'preparing', commits: 0 })
  })
})

/** Each round: the platform has the video, the call is made, and is answered "not ready". */
function askUntilItEnds(first: DeliveryState) {
  const waits: number[] = []
  let state = first
  while (state.kind === 'preparing' && waits.length < 100) {
    const { to, wakeAt } = next(next(state, events.ready).to, events.not_ready)
    if (to.kind === 'preparing') waits.push(((wakeAt ?? 0) - NOW) / 1000)
    state = to
  }
  return { waits, state }
}

describe('a call to publish that is answered "not ready"', () => {
  it('is made again ever later, with its reason on show, and a bounded number of times', () => {
    const { to } = next(states.committing, events.not_ready)
    expect(to).toMatchObject({ kind: 'preparing', commits: 0, notReady: 1, reason: { message: 'm' } })
    const { waits, state } = askUntilItEnds(states.preparing)
    expect(waits).toEqual([5, 15, 30, 60, 120, 300, 600, 900])
    expect(state).toMatchObject({ kind: 'unconfirmed', commits: 0, session })
  })

  it('until the bound is reached fails once the platform confirms that nothing came of it', () => {
    const { state } = askUntilItEnds(states.preparing)
    expect(next(state, events.pending).to.kind).toBe('unconfirmed')
    expect(next(state, events.live).to.kind).toBe('published')
    expect(next(state, events.uncommitted).to).toMatchObject({
      kind: 'failed',
      reason: { code: 'never_ready' },
    })
  })

  it('until the bound is reached stays open where an earlier call is', () => {
    const { state } = askUntilItEnds({ ...states.preparing, commits: 1 })
    expect(state).toMatchObject({ kind: 'unconfirmed', commits: 1 })
    expect(next(state, events.uncommitted).to.kind).toBe('preparing')
  })
})

describe('an irreversible call that never left this machine', () => {
  it('is as if it had not been decided: the same session goes on, and may still be cancelled', () => {
    const { to, wakeAt } = next(states.committing, { type: 'unsent', failure: null })
    expect(to).toMatchObject({ kind: 'preparing', attempt: 1, session, commits: 0, reason: null })
    expect(wakeAt).toBe(NOW)
    expect(next(to, events.cancel).to.kind).toBe('cancelled')
  })

  it('is tried again less and less often, and at last fails, since nothing can be live', () => {
    let state: DeliveryState = states.preparing
    const waits: number[] = []
    while (state.kind === 'preparing') {
      const { to, wakeAt } = next(next(state, events.ready).to, events.unsent)
      if (wakeAt !== null) waits.push((wakeAt - NOW) / 1000)
      state = to
    }
    expect(state).toMatchObject({ kind: 'failed', attempt: 1 })
    expect(waits).toHaveLength(13)
  })

  it('makes no room for another session where an earlier call of its own is open', () => {
    const second = { ...states.committing, commits: 2 }
    for (const failure of [rejected, retryable, account, unreachable, throttled, dailyLimit, unexpected]) {
      expect(next(second, { type: 'unsent', failure }).to).toMatchObject({ attempt: 1, session, commits: 1 })
    }
  })
})

describe('being told to slow down', () => {
  const growing: Failure = { ...throttled, retryAfterS: 900, laterS: [3600, 10_800] }

  it('again and again makes the waits longer, and never ends it', () => {
    let state: DeliveryState = states.preparing
    const waits: number[] = []
    for (let round = 0; round < 20; round += 1) {
      const { to, wakeAt } = next(state, { type: 'setback', failure: growing, session })
      waits.push(((wakeAt ?? 0) - NOW) / 1000)
      state = to
    }
    expect(waits.slice(0, 5)).toEqual([900, 3600, 10_800, 10_800, 10_800])
    expect(next(state, events.setback).to.kind).toBe('preparing')
  })

  it('with a time of its own waits for that each time', () => {
    const tried = { ...states.preparing, tries: 2 }
    expect(next(tried, { type: 'setback', failure: throttled, session }).wakeAt).toBe(NOW + 60_000)
  })

  it('holds questions about a post back as well', () => {
    const slow: Failure = { ...throttled, retryAfterS: 900 }
    for (const state of [states.processing, states.unconfirmed]) {
      expect(next(state, { type: 'unreadable', failure: slow }).wakeAt).toBe(NOW + 900_000)
    }
  })
})

describe('asking what became of it', () => {
  it('a failed question changes nothing but the time of the next', () => {
    expect(next(states.processing, { type: 'unreadable', failure: account }).to).toMatchObject({
      kind: 'processing',
      checks: 1,
    })
    expect(next(states.unconfirmed, { type: 'unreadable', failure: account }).to).toMatchObject({
      kind: 'unconfirmed',
      checks: 1,
    })
  })

  it('a platform that works on it for more than a day leaves it unconfirmed', () => {
    const day = 86_400_000
    expect(next(states.processing, events.pending, NOW + day - 1).to.kind).toBe('processing')
    expect(next(states.processing, events.pending, NOW + day + 1).to.kind).toBe('unconfirmed')
  })

  it("that has been at work for more than a day stays the user's to answer", () => {
    const late = NOW + 2 * 86_400_000
    expect(next(states.unconfirmed, events.accepted, late).to.kind).toBe('unconfirmed')
  })

  it('with a definite no that is about the account or its allowance holds the delivery', () => {
    expect(next(states.processing, { type: 'rejected', failure: dailyLimit }).to).toMatchObject({
      kind: 'blocked',
      cause: 'limit',
    })
    expect(next(states.unconfirmed, { type: 'rejected', failure: account }).to).toMatchObject({
      kind: 'blocked',
      cause: 'account',
    })
    expect(next(states.processing, { type: 'rejected', failure: unexpected }).to.kind).toBe('failed')
  })

  it.each([
    [undefined, [3, 5, 10, 15, 15]],
    [
      [5, 15, 30, 60, 120],
      [5, 15, 30, 60, 120, 120],
    ],
  ])('is done often at first, by the habits of the platform (%j), then ever more seldom', (first, waits) => {
    let state: DeliveryState = states.unconfirmed
    let now = NOW
    const waited: number[] = []
    for (let asked = 0; asked < 400 && now < NOW + 3 * 86_400_000; asked++) {
      const result = step(state, events.unreadable, now, first)
      if (!('to' in result) || result.wakeAt === null) throw new Error('it is always asked again')
      waited.push((result.wakeAt - now) / 1000)
      state = result.to
      now = result.wakeAt
    }
    expect(waited.slice(0, waits.length)).toEqual(waits)
    expect(waited).toEqual(waited.toSorted((a, b) => a - b))
    expect(new Set(waited)).toContain(900)
    expect(waited.at(-1)).toBe(86_400)
  })

  it('tells when it was asked last, and what came of that', () => {
    const later = NOW + 5000
    expect(next(states.unconfirmed, events.unreadable, later).to).toMatchObject({
      checks: 1,
      answer: { at: later, message: 'm' },
    })
    expect(next(states.unconfirmed, events.pending, later).to).toMatchObject({
      answer: { at: later, message: 'It could not say yet whether the post is live.' },
    })
  })

  it('is never given up', () => {
    const { wakeAt } = next({ ...states.unconfirmed, checks: 999 }, events.pending, NOW + 90 * 86_400_000)
    expect(wakeAt).not.toBeNull()
  })
})

it('nobody is told that a post is tried again whose outcome is open', () => {
  const told = { ...unreachable, reason: { ...reason, remedy: 'It is tried again.' } }
  for (const { to } of [
    next(states.committing, { type: 'unanswered', failure: told, session: null }),
    next(states.processing, { type: 'unreadable', failure: told }),
  ]) {
    expect(to).toHaveProperty(
      'reason.remedy',
      'Reelay is checking with the platform and will not send it twice.',
    )
  }
})

describe('a post of which the user said that it is not there', () => {
  const again = next(states.unconfirmed, events.resolve_not_live).to

  it('keeps what is needed to ask the platform once more', () => {
    expect(again).toMatchObject({ kind: 'scheduled', attempt: 2, earlier: { session, since: NOW } })
  })

  it('is not sent again where it turns out to be live, and says so', () => {
    const { to } = next(again, events.live)
    expect(to).toMatchObject({ kind: 'published', postId: '1', session, afterAll: true })
    expect(describeState(to)).toBe('It turned out to be live, so it was not sent again.')
  })

  it('is not sent again while the platform works on it, unless it has for too long', () => {
    expect(next(again, events.accepted).to).toMatchObject({ kind: 'processing', session, since: NOW })
    expect(step(again, events.accepted, NOW + 2 * 86_400_000)).toHaveProperty('refused')
  })

  it('starts afresh where the platform says nothing else, or cannot be asked for some minutes', () => {
    expect(next(again, events.due).to).toMatchObject({ kind: 'preparing', attempt: 2, session: null })
    let state = again
    const waits: number[] = []
    while (state.kind === 'scheduled') {
      const { to, wakeAt } = next(state, events.unreadable)
      waits.push(((wakeAt ?? 0) - NOW) / 1000)
      state = to
    }
    expect(waits).toEqual([2, 5, 10, 30, 60, 300, 0])
    expect(state).toMatchObject({ kind: 'preparing', attempt: 2, session: null })
  })
})

describe('an account that must be linked again', () => {
  const tomorrow = NOW + 86_400_000

  it('holds what waits for its time, which it keeps', () => {
    const { to, wakeAt } = next({ ...states.scheduled, dueAt: tomorrow }, events.relink)
    expect(to).toMatchObject({ kind: 'blocked', cause: 'account', dueAt: tomorrow })
    expect(wakeAt).toBeNull()
    const linked = next(to, events.linked_again)
    expect(linked).toMatchObject({ to: { kind: 'scheduled', attempt: 1, dueAt: tomorrow }, wakeAt: tomorrow })
    expect(next(to, events.linked_again, tomorrow + 5).wakeAt).toBe(tomorrow + 5)
  })

  it('holds what prepares, which starts afresh at once when it is linked', () => {
    const { to } = next(states.preparing, events.relink)
    const linked = next(to, events.linked_again)
    expect(linked).toMatchObject({ to: { kind: 'scheduled', attempt: 2 }, wakeAt: NOW })
  })

  it('leaves alone what may be at the platform', () => {
    const contested = { ...states.preparing, commits: 1 }
    for (const state of [contested, states.committing, states.processing, states.unconfirmed]) {
      expect(step(state, events.relink, NOW)).toHaveProperty('refused')
    }
  })

  it('does not make what the user doubted be forgotten', () => {
    const held = next(states.scheduledAgain, events.relink).to
    expect(next(held, events.linked_again).to).toEqual(states.scheduledAgain)
  })
})

describe('an account whose data was deleted', () => {
  const gone: Failure = { ...account, gone: true }

  it('leaves an open outcome to the user, and the platform is not asked any more', () => {
    const contested = { ...states.preparing, commits: 1 }
    const { checks: _checks, ...ends } = next(states.unconfirmed, events.erased).to as Unconfirmed
    for (const { to, wakeAt } of [
      next(states.unconfirmed, events.erased),
      next(states.processing, events.erased),
      next(contested, events.erased),
      next(contested, { type: 'setback', failure: gone, session }),
      next(states.processing, { type: 'unreadable', failure: gone }),
    ]) {
      expect(to).toMatchObject({ ...ends, reason: { code: 'account_erased_open' } })
      expect(wakeAt).toBeNull()
    }
  })

  it('is where nothing is sent again, whatever the user says', () => {
    const open = next(states.unconfirmed, events.erased).to
    expect(next(open, events.resolve_live).to.kind).toBe('published')
    expect(next(open, events.resolve_not_live).to).toMatchObject({
      kind: 'failed',
      reason: { code: 'account_erased' },
    })
  })

  it('ends what has nothing at the platform as failed', () => {
    for (const { to } of [
      next(states.preparing, { type: 'setback', failure: gone, session }),
      next(states.committing, { type: 'refused', failure: gone, session }),
      next(states.committing, { type: 'unsent', failure: gone }),
      next(states.blockedByAccount, events.erased),
    ]) {
      expect(to.kind).toBe('failed')
    }
  })
})

const hold = (state: DeliveryState) => next(state, { type: 'held' })

describe('data that were restored or copied', () => {
  it('hold what is due as maybe posted, and what is planned as waiting', () => {
    expect(hold(states.scheduled)).toMatchObject({
      to: { cause: 'restored', reason: REASONS.restored, dueAt: NOW },
      wakeAt: null,
    })
    const planned = { ...states.scheduled, dueAt: NOW + 1 }
    expect(hold(planned).to).toMatchObject({ reason: REASONS.restoredPlanned, dueAt: NOW + 1 })
  })

  it('keep an opened session, which is asked about before another is opened', () => {
    const { to } = hold(states.preparing)
    expect(to).toMatchObject({ kind: 'blocked', earlier: { session } })
    const { to: again } = next(to, { type: 'retry' })
    expect(again).toMatchObject({ kind: 'scheduled', attempt: 2, earlier: { session } })
    expect(next(again, { type: 'live', postId: '1', url: null }).to).toMatchObject({ afterAll: true })
  })

  it('ask at once about what may be out, and hold it when the platform says no', () => {
    for (const state of [states.committing, states.processing, states.unconfirmed]) {
      const asked = hold(state)
      expect(asked).toMatchObject({ to: { kind: 'unconfirmed', restored: true, session }, wakeAt: NOW })
      for (const failure of [rejected, retryable, account, dailyLimit, throttled, unexpected])
        expect(next(asked.to, { type: 'rejected', failure })).toMatchObject({
          to: { kind: 'blocked', cause: 'restored' },
          wakeAt: null,
        })
    }
  })

  it('go on at their own times once they need not be held', () => {
    const { to } = hold({ ...states.scheduled, dueAt: NOW + 5 })
    expect(next(to, { type: 'resumed', dueAt: NOW + 5, reason: null })).toMatchObject({
      to: { kind: 'scheduled', attempt: 1, dueAt: NOW + 5 },
      wakeAt: NOW + 5,
    })
  })
})
