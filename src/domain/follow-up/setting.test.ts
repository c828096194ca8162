import { describe, expect, it } from 'vitest'
import type { Failure } from '../delivery/failure.ts'
import { stepFollowUp } from './follow-up.ts'
import { initialSetting, type SettingEvent, type SettingState } from './setting.ts'
import { describeFollowUp, viewFollowUp } from './view.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const reason = { code: 'c', message: 'Not reached.', remedy: 'Wait.', detail: null }
const unreachable: Failure = { kind: 'unreachable', reason }

const states = {
  waiting: initialSetting(NOW),
  done: { kind: 'done', at: NOW },
  failed: { kind: 'failed', at: NOW, reason, dismissed: false },
} as const satisfies Record<string, SettingState>

const events = {
  post_searched: { type: 'post_unknown', searching: true },
  post_unknown: { type: 'post_unknown', searching: false },
  postponed: { type: 'postponed', until: NOW + 1000, reason },
  setback: { type: 'setback', failure: unreachable },
  refused: { type: 'setback', failure: { kind: 'rejected', reason } },
  set: { type: 'set' },
  retry: { type: 'retry' },
  dismiss: { type: 'dismiss' },
} as const satisfies Record<string, SettingEvent>

const TABLE: Record<keyof typeof states, Partial<Record<keyof typeof events, SettingState['kind']>>> = {
  waiting: {
    post_searched: 'waiting',
    post_unknown: 'failed',
    postponed: 'waiting',
    setback: 'waiting',
    refused: 'failed',
    set: 'done',
  },
  done: {},
  failed: { retry: 'waiting', dismiss: 'failed' },
}

const keys = <T extends object>(o: T) => Object.keys(o) as (keyof T)[] // keys of const objects above
const closing = (state: SettingState) => ({ kind: 'comments_off', state }) as const

function next(state: SettingState, event: SettingEvent, now = NOW) {
  const result = stepFollowUp(closing(state), event, now, 'instagram')
  if ('refused' in result || result.to.kind !== 'comments_off') return null
  return { to: result.to.state, wakeAt: result.wakeAt }
}

describe('the transition table of comments that are turned off', () => {
  for (const from of keys(states)) {
    for (const name of keys(events)) {
      const to = TABLE[from][name]
      it(`${from} + ${name} -> ${to ?? 'refused'}`, () => {
        expect(next(states[from], events[name])?.to.kind).toBe(to)
      })
    }
  }
})

it('comments that are still on after a day are left to the user', () => {
  const late = next(states.waiting, events.setback, NOW + 86_400_000)
  expect(late).toMatchObject({ to: { kind: 'failed', reason }, wakeAt: null })
  expect(next(states.waiting, events.setback)?.wakeAt).toBe(NOW + 2000)
  expect(viewFollowUp(closing(states.failed))).toMatchObject({
    needs_attention: true,
    actions: ['retry', 'dismiss'],
  })
  const dismissed = next(states.failed, events.dismiss)?.to ?? states.failed
  expect(viewFollowUp(closing(dismissed))).toMatchObject({ needs_attention: false, actions: ['retry'] })
})

it('each state of it has words of its own', () => {
  const lines = Object.values(states).map((state) => describeFollowUp(closing(state)))
  expect(lines).toEqual(['Comments will be turned off next.', 'Comments are off.', 'Not reached.'])
})

it('a cover has words of its own, too', () => {
  const words = Object.values(states).map((state) => describeFollowUp({ kind: 'cover', state }))
  expect(words).toEqual(['The thumbnail will be set next.', 'The thumbnail is set.', 'Not reached.'])
  const moved = stepFollowUp({ kind: 'cover', state: states.waiting }, events.post_unknown, NOW, 'youtube')
  expect('to' in moved ? describeFollowUp(moved.to) : null).toMatch(/^The thumbnail could not be set/)
})
