import { describe, expect, it } from 'vitest'
import type { Reason } from '#contract/deliveries.ts'
import { type DeliveryState, initial } from '../delivery/state.ts'
import {
  composeForAccount,
  composeForPost,
  toSubject,
  type TroubledDelivery,
  findTrouble,
} from './compose.ts'

const reason = (message: string, remedy = 'Retry.'): Reason => ({ code: 'x', message, remedy, detail: null })
const on = (deliveryId: number, change: Partial<TroubledDelivery> = {}): TroubledDelivery => ({
  deliveryId,
  trouble: 'failed',
  account: `@a${deliveryId}`,
  platform: 'TikTok',
  reason: reason('Too long.'),
  attempt: 1,
  goesOutAt: 1_000,
  ...change,
})

const facts = (change: Partial<TroubledDelivery>) => composeForPost([on(1, change)], 1)?.facts

describe('a post', () => {
  it.each([
    ['of one account names it', [on(1)], 1, 'Failed on @a1 (TikTok)', 'Too long. Retry.'],
    [
      'says how many accounts it is about',
      [on(1), on(2)],
      6,
      'Failed on 2 of 6 accounts',
      'Too long. Retry.',
    ],
    [
      'is named by what weighs most, and lists each reason with its accounts',
      [on(1, { trouble: 'limit', reason: reason('Enough today.', 'It waits.') }), on(2), on(3)],
      3,
      'Failed on 2 of 3 accounts',
      '@a2 (TikTok), @a3 (TikTok): Too long. Retry.\n@a1 (TikTok): Enough today. It waits.',
    ],
    [
      'that is open',
      [on(1, { trouble: 'unconfirmed' })],
      2,
      'Not confirmed on @a1 (TikTok)',
      'Too long. Retry.',
    ],
    [
      'that was missed',
      [on(1, { trouble: 'missed' })],
      1,
      'Missed its time on @a1 (TikTok)',
      'Too long. Retry.',
    ],
    [
      'lists three reasons and counts the others',
      [1, 2, 3, 4, 5].map((id) => on(id, { reason: reason(`R${id}.`, '') })),
      5,
      'Failed on 5 of 5 accounts',
      '@a1 (TikTok): R1.\n@a2 (TikTok): R2.\n@a3 (TikTok): R3.\nAnd 2 more reasons.',
    ],
  ])('%s', (_what, troubled, accounts, title, message) => {
    expect(composeForPost(troubled, accounts)).toMatchObject({ title, message })
  })

  it('that has recovered makes no notification', () => {
    expect(composeForPost([], 3)).toBeNull()
  })

  it('is news again after a retry or at another time, and not otherwise', () => {
    expect(facts({ reason: reason('Other words.') })).toEqual(facts({}))
    expect(facts({ attempt: 2 })).not.toEqual(facts({}))
    expect(facts({ goesOutAt: 2_000 })).not.toEqual(facts({}))
    expect(facts({ trouble: 'unconfirmed' })).not.toEqual(facts({}))
  })
})

describe('an account', () => {
  const linkedAt = new Date('2026-01-01T00:00:00Z')
  it.each([
    [0, 'It was revoked.'],
    [1, 'It was revoked. One post is waiting for it.'],
    [7, 'It was revoked. 7 posts are waiting for it.'],
  ])('to be linked again says that %i posts wait', (waiting, message) => {
    const content = composeForAccount('@a', {
      kind: 'link_again',
      reason: 'It was revoked.',
      linkedAt,
      waiting,
    })
    expect(content).toMatchObject({ kind: 'link_again', title: 'Link @a again', message })
  })

  it('whose access ends says the day on the clocks of its user', () => {
    const endsAt = new Date('2026-03-01T03:00:00Z')
    const inZone = (timeZone: string) =>
      composeForAccount('@a', { kind: 'access_ending', endsAt, timeZone }).title
    expect(inZone('Europe/Lisbon')).toBe('Link @a again by 1 March')
    expect(inZone('America/New_York')).toBe('Link @a again by 28 February')
  })
})

it.each([
  ['Two\nlines   here', 'Two lines here'],
  [' ', 'A post without text'],
  ['x'.repeat(80), 'x'.repeat(80)],
  ['👋'.repeat(81), `${'👋'.repeat(79)}…`],
])('a text is shortened to one line of 80 signs: %j', (text, subject) => {
  expect(toSubject(text)).toBe(subject)
})

const attempted = { attempt: 1, repeats: 0 }
const blocked = (cause: 'account' | 'limit' | 'missed' | 'paused' | 'restored'): DeliveryState => ({
  ...attempted,
  kind: 'blocked',
  cause,
  until: null,
  dueAt: null,
  reason: reason('No.'),
  earlier: null,
})
const failed = { ...attempted, kind: 'failed', at: 0, reason: reason('No.'), settled: null } as const

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
      reason: reason('No.'),
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
  expect(findTrouble(state)).toBe(trouble)
})
