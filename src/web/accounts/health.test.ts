import { describe, expect, test } from 'vitest'
import { Account } from '#contract/accounts.ts'
import { healthOf } from './health.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const DAY_MS = 86_400_000

const seen = (change: Partial<Account>) =>
  healthOf(
    Account.parse({
      account_id: 1,
      brand_id: 1,
      username: 'nova',
      platform: 'tiktok',
      display_name: 'Nova',
      avatar_url: null,
      health: { status: 'ok' },
      paused: false,
      paused_until: null,
      can_publish: true,
      permissions: [],
      linked_at: '2026-11-01T12:00:00.000Z',
      access_ends_at: new Date(NOW + 60 * DAY_MS).toISOString(),
      ...change,
    }),
    NOW,
    'Europe/Lisbon',
  )

describe('the health of an account', () => {
  test('is "linked" with the day on which the access ends', () => {
    expect(seen({})).toEqual({
      kind: 'linked',
      about: 'Access until 20 Jan 2027, renewed automatically',
    })
    expect(seen({ access_ends_at: null })).toEqual({ kind: 'linked', about: null })
  })

  test('is "expires" when access ends soon and was not renewed', () => {
    expect(seen({ access_ends_at: new Date(NOW + 12 * DAY_MS).toISOString() })).toEqual({
      kind: 'expires',
      word: 'Expires in 12 d',
      why: "Access ends on 3 Dec 2026 and couldn't be renewed. Link the account again before then.",
    })
    expect(seen({ access_ends_at: new Date(NOW - 1).toISOString() })).toMatchObject({
      kind: 'expires',
      word: 'Expired',
    })
  })

  test('is "link again" with the reason when the platform rejects the access', () => {
    const health = { status: 'relink', reason: 'The owner has withdrawn it.' } as const
    expect(seen({ health, can_publish: false })).toEqual({
      kind: 'relink',
      word: 'Link again',
      why: 'The owner has withdrawn it.',
    })
  })

  test('is "can\'t post" when the permission is missing', () => {
    expect(seen({ can_publish: false })).toMatchObject({ kind: 'may_not_post', word: "Can't post" })
  })
})
