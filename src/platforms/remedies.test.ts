import { describe, expect, it } from 'vitest'
import type { Reason } from '#contract/deliveries.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { initial, type DeliveryEvent, type DeliveryState } from '#domain/delivery/state.ts'
import { step } from '#domain/delivery/step.ts'
import type { Failure } from '#domain/delivery/failure.ts'
import { PLATFORM_FACTS } from './registry.ts'

const NOW = Date.UTC(2026, 10, 22)
const session = { id: 's' }

/** Every way in which a call can fail, for every state that makes a call. */
const FAILINGS: Record<string, (failure: Failure) => DeliveryEvent> = {
  open: (failure) => ({ type: 'setback', failure, session: null }),
  send: (failure) => ({ type: 'setback', failure, session }),
  'send, dead': (failure) => ({ type: 'setback', failure, session: null }),
  commit: (failure) => ({ type: 'refused', failure, session }),
  'commit, dead': (failure) => ({ type: 'refused', failure, session: null }),
  'commit, unsent': (failure) => ({ type: 'unsent', failure }),
  'commit, not ready': ({ reason }) => ({ type: 'not_ready', session, reason, renewed: false }),
  'commit, unanswered': (failure) => ({ type: 'unanswered', failure, session: null }),
  check: (failure) => ({ type: 'rejected', failure }),
}

function towards(failing: string, state: DeliveryState): DeliveryEvent | null {
  switch (state.kind) {
    case 'scheduled':
      return { type: 'due' }
    case 'preparing':
      if (failing === 'open') return null
      if (state.session === null) return { type: 'opened', session }
      return failing.startsWith('send') ? null : { type: 'ready', session }
    case 'committing':
      return failing === 'check' ? { type: 'accepted', session } : null
    case 'processing':
    case 'published':
    case 'in_inbox':
    case 'failed':
    case 'blocked':
    case 'unconfirmed':
    case 'cancelled':
      return null
  }
}

function* said(failing: string, failure: Failure): Generator<{ state: DeliveryState; reason: Reason }> {
  let state: DeliveryState = initial(NOW)
  for (let moves = 0; moves < 200; moves += 1) {
    const event: DeliveryEvent = towards(failing, state) ?? (FAILINGS[failing] ?? never)(failure)
    const moved = step(state, event, NOW)
    if ('refused' in moved) return
    state = moved.to
    if ('reason' in state && state.reason !== null) yield { state, reason: state.reason }
  }
}
const never = (): DeliveryEvent => expect.unreachable()

const PROMISES = /by itself|tries again|tried again|starts again|goes out/i
const ASKS = /\b(retry|try again|retry it|make a new post|upload it again|send it again)\b/i

describe.each(PLATFORM_IDS)('what a delivery to %s says of every failure', (platform) => {
  const failures = PLATFORM_FACTS[platform].failures.filter(({ when }) => when === 'publishing')

  it.each(Object.keys(FAILINGS))('follows the state that it led to: %s', (failing) => {
    const kinds = new Set<string>()
    for (const { failure } of failures) {
      for (const { state, reason } of said(failing, failure)) {
        kinds.add(state.kind)
        const text = `${state.kind}: ${reason.message} ${reason.remedy}`
        if (state.kind === 'failed') expect(text).not.toMatch(PROMISES)
        const waits =
          state.kind === 'scheduled' ||
          state.kind === 'preparing' ||
          (state.kind === 'blocked' && state.cause === 'limit')
        if (!waits) continue
        expect(text).toMatch(PROMISES)
        expect(text).not.toMatch(ASKS)
      }
    }
    expect(kinds.size).toBeGreaterThan(0)
  })
})
