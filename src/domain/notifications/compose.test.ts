import { describe, expect, it } from 'vitest'
import type { Reason } from '#contract/deliveries.ts'
import { type DeliveryState, initial } from '../delivery/state.ts'
import {
  composeForAccount,
  composeForPost,
  isNews,
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

const ofPost = (...deliveries: TroubledDelivery[]) => {
  const content = composeForPost(deliveries, 2)
  if (content === null) throw new Error('no trouble')
  return content
}

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
      [on(1, { trouble: 'missed', reason: reason('It was due.', 'Publish it.') }), on(2), on(3)],
      3,
      'Failed on 2 of 3 accounts',
      '@a2 (TikTok), @a3 (TikTok): Too long. Retry.\n@a1 (TikTok): It was due. Publish it.',
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
    const { facts } = ofPost(on(1))
    expect(isNews(ofPost(on(1, { reason: reason('Other words.') })), facts)).toBe(false)
    for (const change of [{ attempt: 2 }, { goesOutAt: 2_000 }, { trouble: 'unconfirmed' }] as const)
      expect(isNews(ofPost(on(1, change)), facts)).toBe(true)
    expect(isNews(ofPost(on(1), on(2)), facts)).toBe(true)
  })
})

const limitOf = (...ids: number[]) =>
  composeForAccount('@a', {
    kind: 'limit',
    deliveries: ids.map((deliveryId) => ({ deliveryId, goesOutAt: 1, reason: reason('15 a day.') })),
    waiting: ids.length,
  })

describe('an account', () => {
  const linkedAt = new Date('2026-01-01T00:00:00Z')
  it.each([
    [0, '@a must be linked again'],
    [1, '@a must be linked again · 1 post waits'],
    [7, '@a must be linked again · 7 posts wait'],
    [500, '@a must be linked again · 500+ posts wait'],
  ])('to be linked again says that %i posts wait', (waiting, title) => {
    const content = composeForAccount('@a', {
      kind: 'link_again',
      reason: 'It was revoked.',
      linkedAt,
      waiting,
    })
    expect(content).toMatchObject({ kind: 'link_again', title, message: 'It was revoked.' })
  })

  it('that reached a limit says each reason once, and is news once other posts wait', () => {
    expect(limitOf(1, 2)).toMatchObject({
      title: '@a has reached a limit · 2 posts wait',
      message: '15 a day. Retry.',
    })
    expect(isNews(limitOf(1, 2, 3), limitOf(1, 2).facts)).toBe(false)
    expect(isNews(limitOf(3), limitOf(1, 2, 3).facts)).toBe(false)
    expect(isNews(limitOf(4), limitOf(1, 2, 3).facts)).toBe(true)
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
  [' ', 'A post without a caption'],
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
