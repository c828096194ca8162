import { describe, expect, it } from 'vitest'
import type { Failure } from '../delivery/failure.ts'
import { type CommentEvent, type CommentState, initialComment } from './comment-state.ts'
import { stepFollowUp } from './follow-up.ts'
import { describeFollowUp, viewFollowUp } from './view.ts'

const comment = (state: CommentState) => ({ kind: 'first_comment', state }) as const

function stepComment(state: CommentState, event: CommentEvent, now = NOW) {
  const result = stepFollowUp(comment(state), event, now, 'instagram')
  if ('refused' in result || result.to.kind !== 'first_comment') return null
  return { to: result.to.state, wakeAt: result.wakeAt }
}

const NOW = Date.UTC(2026, 10, 20, 12)
const DAY_MS = 86_400_000
const reason = { code: 'c', message: 'Not reached.', remedy: 'Wait.', detail: null }

const rejected: Failure = { kind: 'rejected', reason }
const repeatable: Failure = { kind: 'rejected', reason, againInS: [30, 300] }
const unreachable: Failure = { kind: 'unreachable', reason }
const throttled: Failure = { kind: 'throttled', reason, retryAfterS: 900, laterS: [3600], limit: false }
const account: Failure = { kind: 'account', reason, expired: false }
const unexpected: Failure = { kind: 'unexpected', reason, status: 418 }

const calling = { kind: 'commenting', since: NOW, tries: 2, renewed: false, at: NOW } as const
const asked = { kind: 'unconfirmed', calledAt: NOW, checks: 0, reason, dismissed: false } as const
const states = {
  waiting: initialComment(NOW),
  calling: { ...calling, calledAt: null },
  callingAgain: { ...calling, calledAt: NOW - 60_000 },
  unconfirmed: { ...asked, asking: true },
  leftToUser: { ...asked, asking: false },
  done: { kind: 'done', at: NOW, commentId: '1' },
  failed: { kind: 'failed', at: NOW, calledAt: NOW - 60_000, reason, dismissed: false },
} as const satisfies Record<string, CommentState>

const events = {
  post_searched: { type: 'post_unknown', searching: true },
  post_unknown: { type: 'post_unknown', searching: false },
  postponed: { type: 'postponed', until: NOW + 1000, reason },
  setback: { type: 'setback', failure: unreachable },
  ready: { type: 'ready' },
  commented: { type: 'commented', commentId: '1' },
  refused: { type: 'refused', failure: rejected, renewed: false },
  renewed: { type: 'refused', failure: account, renewed: true },
  unanswered: { type: 'unanswered', failure: unreachable },
  unsent: { type: 'unsent', failure: unreachable },
  stopped: { type: 'unsent', failure: null },
  interrupted: { type: 'interrupted' },
  found: { type: 'found', commentId: '1' },
  missing: { type: 'missing' },
  unreadable: { type: 'unreadable', failure: unreachable },
  retry: { type: 'retry' },
  dismiss: { type: 'dismiss' },
} as const satisfies Record<string, CommentEvent>

const AFTER_CALL = {
  commented: 'done',
  refused: 'failed',
  renewed: 'waiting',
  unanswered: 'unconfirmed',
  unsent: 'waiting',
  stopped: 'waiting',
  interrupted: 'unconfirmed',
} as const
const AFTER_QUESTION = {
  postponed: 'unconfirmed',
  found: 'done',
  missing: 'unconfirmed',
  unreadable: 'unconfirmed',
  dismiss: 'unconfirmed',
} as const

/** The whole table: the state after each event. Missing events are refused. */
const TABLE: Record<keyof typeof states, Partial<Record<keyof typeof events, CommentState['kind']>>> = {
  waiting: {
    post_searched: 'waiting',
    post_unknown: 'failed',
    postponed: 'waiting',
    setback: 'waiting',
    ready: 'commenting',
    found: 'done',
  },
  calling: AFTER_CALL,
  callingAgain: AFTER_CALL,
  unconfirmed: AFTER_QUESTION,
  leftToUser: { ...AFTER_QUESTION, retry: 'unconfirmed' },
  done: {},
  failed: { retry: 'waiting', dismiss: 'failed' },
}

const keys = <T extends object>(o: T) => Object.keys(o) as (keyof T)[] // keys of const objects above

describe('the transition table of first comments', () => {
  for (const from of keys(states)) {
    for (const name of keys(events)) {
      const to = TABLE[from][name]
      it(`${from} + ${name} -> ${to ?? 'refused'}`, () => {
        expect(stepComment(states[from], events[name])?.to.kind).toBe(to)
      })
    }
  }
})

function next(state: CommentState, event: CommentEvent, now = NOW) {
  const result = stepComment(state, event, now)
  if (result === null) throw new Error(`"${event.type}" was refused while "${state.kind}"`)
  return result
}

it('only a refusal or a call that never left leads from a call to another one', () => {
  const reached = new Set<string>()
  const seen = (state: CommentState) => {
    const key = `${state.kind} ${'asking' in state && state.asking}`
    if (reached.has(key)) return
    reached.add(key)
    for (const event of Object.values(events)) {
      if (event.type === 'refused' || event.type === 'unsent') continue
      const result = stepComment(state, event)
      if (result !== null) seen(result.to)
    }
  }
  seen(states.calling)
  expect([...reached].map((key) => key.split(' ')[0])).toEqual(
    expect.arrayContaining(['commenting', 'unconfirmed', 'done']),
  )
  expect([...reached].filter((key) => key.startsWith('waiting') || key.startsWith('failed'))).toEqual([])
})

it('the time of the first call is kept through refusals, and not set by a call that never left', () => {
  const refused = next(states.calling, { ...events.refused, failure: throttled })
  expect(refused).toMatchObject({ to: { kind: 'waiting', calledAt: NOW }, wakeAt: NOW + 3_600_000 })
  const later = NOW + 3_600_000
  const again = next(next(refused.to, events.ready, later).to, events.unanswered, later)
  expect(again.to).toMatchObject({ kind: 'unconfirmed', calledAt: NOW })
  expect(next(states.calling, events.unsent).to).toMatchObject({ kind: 'waiting', calledAt: null })
  expect(next(states.callingAgain, events.stopped).to).toMatchObject({ calledAt: NOW - 60_000 })
  expect(next(states.failed, events.retry).to).toMatchObject({ calledAt: NOW - 60_000, tries: 0 })
})

function waitsAfter(failure: Failure): number[] {
  const found: number[] = []
  let state: CommentState = states.waiting
  while (state.kind === 'waiting' && found.length < 50) {
    const { to, wakeAt } = next(state, { type: 'setback', failure })
    state = to
    if (wakeAt !== null) found.push((wakeAt - NOW) / 1000)
  }
  expect(state).toMatchObject(found.length === 50 ? { kind: 'waiting' } : { kind: 'failed', reason })
  return found
}

it('refusals are repeated as their rule says, and setbacks with back-off', () => {
  expect(waitsAfter(rejected)).toEqual([])
  expect(waitsAfter(account)).toEqual([])
  expect(waitsAfter(repeatable)).toEqual([30, 300])
  expect(waitsAfter(unexpected)).toEqual([5, 30])
  expect(waitsAfter(unreachable).slice(0, 3)).toEqual([2, 5, 10])
  expect(waitsAfter(throttled).slice(0, 3)).toEqual([900, 3600, 3600])
})

it('a comment that would come a day after its post is left to the user', () => {
  const { to } = next(states.waiting, events.post_searched, NOW + DAY_MS)
  expect(to).toMatchObject({ kind: 'failed', reason: { code: 'post_id_unknown' } })
  expect(next(states.waiting, { type: 'setback', failure: throttled }, NOW + DAY_MS).to.kind).toBe('failed')
})

it('an open outcome is asked about less and less, then only when the user asks', () => {
  let state: CommentState = states.unconfirmed
  const waits: number[] = []
  for (;;) {
    const { to, wakeAt } = next(state, events.missing)
    state = to
    if (wakeAt === null) break
    waits.push((wakeAt - NOW) / 1000)
  }
  expect(waits[0]).toBe(3)
  expect(waits.toSorted((a, b) => a - b)).toEqual(waits)
  expect(state).toMatchObject({ kind: 'unconfirmed', asking: false })
  expect(viewFollowUp(comment(state))).toMatchObject({ status: 'unconfirmed', actions: ['retry', 'dismiss'] })
  expect(next(state, events.retry)).toMatchObject({ to: { kind: 'unconfirmed', asking: true }, wakeAt: NOW })
  expect(viewFollowUp(comment(states.unconfirmed)).actions).toEqual(['dismiss'])
})

it('what failed or is unconfirmed needs attention until it is dismissed', () => {
  const needing = keys(states).filter((name) => viewFollowUp(comment(states[name])).needs_attention)
  expect(needing).toEqual(['unconfirmed', 'leftToUser', 'failed'])
  for (const name of needing) {
    const { to, wakeAt } = next(states[name], events.dismiss)
    expect(viewFollowUp(comment(to))).toMatchObject({ status: states[name].kind, needs_attention: false })
    expect(viewFollowUp(comment(to)).actions).not.toContain('dismiss')
    expect(wakeAt).toBe(name === 'unconfirmed' ? NOW : null)
  }
})

it('without access nobody is asked until the user has linked the account again', () => {
  const { to, wakeAt } = next(states.unconfirmed, { type: 'unreadable', failure: account })
  expect({ to, wakeAt }).toMatchObject({ to: { kind: 'unconfirmed', asking: false }, wakeAt: null })
})

it('each state has words of its own, and only what may be missing can be tried again', () => {
  const lines = Object.values(states).map((state) => describeFollowUp(comment(state)))
  expect(lines.filter((line) => !/comment.*[.]$/.test(line ?? ''))).toEqual([])
  expect(new Set(lines).size).toBe(lines.length - 2)
  const retryable = keys(states).filter((name) =>
    viewFollowUp(comment(states[name])).actions.includes('retry'),
  )
  expect(retryable).toEqual(['leftToUser', 'failed'])
  const repeated = next(states.waiting, events.setback).to
  expect(describeFollowUp(comment(repeated))).toBe(
    'First comment: Not reached. Reelay tries again automatically.',
  )
})
