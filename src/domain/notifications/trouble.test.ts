import { expect, it } from 'vitest'
import { type DeliveryState, initial } from '../delivery/state.ts'
import { troubleOf } from './trouble.ts'

const attempted = { attempt: 1, repeats: 0 }
const reason = { code: 'x', message: 'No.', remedy: 'Retry.', detail: null }
const blocked = (cause: 'account' | 'limit' | 'missed' | 'paused' | 'restored'): DeliveryState => ({
  ...attempted,
  kind: 'blocked',
  cause,
  until: null,
  dueAt: null,
  reason,
  earlier: null,
})
const failed = { ...attempted, kind: 'failed', at: 0, reason, settled: null } as const

it.each<[trouble: string | null, state: DeliveryState]>([
  ['failed', failed],
  [null, { ...failed, settled: { kind: 'dismissed', at: 0 } }],
  [null, { ...failed, settled: { kind: 'replaced', at: 0, postId: 2 } }],
  [
    'unconfirmed',
    {
      ...attempted,
      kind: 'unconfirmed',
      session: {},
      since: 0,
      checks: 0,
      commits: 1,
      reason,
      answer: null,
      restored: false,
    },
  ],
  ['missed', blocked('missed')],
  ['link_again', blocked('account')],
  ['limit', blocked('limit')],
  ['restored', blocked('restored')],
  [null, blocked('paused')],
  [null, initial(0)],
  [null, { ...attempted, kind: 'cancelled', at: 0 }],
])('users are notified of "%s" for a delivery: %j', (trouble, state) => {
  expect(troubleOf(state)).toBe(trouble)
})
