import { describe, expect, it } from 'vitest'
import type { Failure } from '../delivery/failure.ts'
import { type AsAskedEvent, type AsAskedState, initialAsAsked } from './as-asked.ts'
import { stepFollowUp } from './follow-up.ts'
import { describeFollowUp, viewFollowUp } from './view.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const HOUR_MS = 3_600_000
const reason = { code: 'c', message: 'It is private.', remedy: 'Change it.', detail: null }
const unreachable: Failure = { kind: 'unreachable', reason }

const states = {
  waiting: initialAsAsked(NOW),
  done: { kind: 'done', at: NOW, seen: true },
  failed: { kind: 'failed', at: NOW, reason, dismissed: false },
} as const satisfies Record<string, AsAskedState>

const events = {
  post_searched: { type: 'post_unknown', searching: true },
  post_unknown: { type: 'post_unknown', searching: false },
  postponed: { type: 'postponed', until: NOW + 1000, reason },
  as_asked: { type: 'as_asked' },
  differs: { type: 'differs', reason },
  unreadable: { type: 'unreadable', failure: unreachable },
  gone: { type: 'unreadable', failure: { kind: 'account', reason, expired: false, gone: true } },
  retry: { type: 'retry' },
  dismiss: { type: 'dismiss' },
} as const satisfies Record<string, AsAskedEvent>

const TABLE: Record<keyof typeof states, Partial<Record<keyof typeof events, AsAskedState['kind']>>> = {
  waiting: {
    post_searched: 'waiting',
    post_unknown: 'done',
    postponed: 'waiting',
    as_asked: 'waiting',
    differs: 'failed',
    unreadable: 'waiting',
    gone: 'done',
  },
  done: {},
  failed: { retry: 'waiting', dismiss: 'failed' },
}

const keys = <T extends object>(o: T) => Object.keys(o) as (keyof T)[] // keys of const objects above

function next(state: AsAskedState, event: AsAskedEvent, now = NOW) {
  const result = stepFollowUp({ kind: 'as_asked', state }, event, now, 'youtube')
  if ('refused' in result || result.to.kind !== 'as_asked') return null
  return { to: result.to.state, wakeAt: result.wakeAt }
}

describe('the transition table of looking whether a post is as asked', () => {
  for (const from of keys(states)) {
    for (const name of keys(events)) {
      const to = TABLE[from][name]
      it(`${from} + ${name} -> ${to ?? 'refused'}`, () => {
        expect(next(states[from], events[name])?.to.kind).toBe(to)
      })
    }
  }
})

it('it is looked at again after an hour, a day and a week, and then no more', () => {
  let state: AsAskedState = states.waiting
  const looks: number[] = []
  for (let now: number | null = NOW; now !== null;) {
    looks.push((now - NOW) / HOUR_MS)
    const moved = next(state, events.as_asked, now)
    state = moved?.to ?? state
    now = moved?.wakeAt ?? null
  }
  expect(looks).toEqual([0, 1, 24, 168])
  expect(state).toMatchObject({ kind: 'done', seen: true })
})

it('looks that fail are repeated, and then given up without a word', () => {
  let state: AsAskedState = states.waiting
  for (let tries = 0; tries < 6; tries += 1) state = next(state, events.unreadable)?.to ?? state
  expect(state).toMatchObject({ kind: 'done', seen: false })
  expect(describeFollowUp({ kind: 'as_asked', state })).toBeNull()
})

it('only what is different needs attention and has a line', () => {
  const seen = keys(states).map((name) => viewFollowUp({ kind: 'as_asked', state: states[name] }))
  expect(seen.map(({ needs_attention }) => needs_attention)).toEqual([false, false, true])
  expect(keys(states).map((name) => describeFollowUp({ kind: 'as_asked', state: states[name] }))).toEqual([
    null,
    null,
    'It is private.',
  ])
})
