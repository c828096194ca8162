import { expect, test } from 'vitest'
import { timeOfPost } from './post.ts'

const clock = { zone: 'Europe/Lisbon', now: Date.parse('2026-11-22T02:00:00.000Z') }
const scheduled = {
  status: 'scheduled',
  due_at: '2026-11-22T03:09:00.000Z',
  reason: null,
  paused: null,
} as const
const published = { ...scheduled, status: 'published', due_at: null } as const
const reason = { code: 'account_paused', message: '', remedy: '', detail: null } as const
const onHold = {
  ...scheduled,
  reason: {
    ...reason,
    pause: { of: 'account', since: '2026-11-22T02:09:00.000Z', until: scheduled.due_at },
  },
} as const
const AT = '2026-11-22T01:00:00.000Z'
const post = (goes_out_at: string, ...deliveries: Parameters<typeof timeOfPost>[0]['deliveries']) => ({
  publish_at: null,
  goes_out_at,
  deliveries,
})

test.each([
  [
    'a post whose accounts follow each other shows the first and the last time',
    { ...post('2026-11-23T19:00:00.000Z', scheduled), publish_at: '2026-11-23T18:00:00.000Z' },
    'Tomorrow, 18:00–19:00',
  ],
  [
    'a post that goes out over midnight shows both days',
    { ...post('2026-11-23T00:15:00.000Z', scheduled), publish_at: '2026-11-22T23:30:00.000Z' },
    'Today, 23:30 – Tomorrow, 00:15',
  ],
  ['a scheduled post shows its own time', post('2026-11-23T18:00:00.000Z', scheduled), 'Tomorrow, 18:00'],
  [
    'a published post shows the time it was due',
    post('2026-11-21T18:00:00.000Z', published),
    'Yesterday, 18:00',
  ],
  [
    'a post is on hold if all that waits is',
    post(AT, onHold, published),
    'Today, 01:00 · on hold, next try: Today, 03:09',
  ],
  ['a post is not on hold if one account is not', post(AT, onHold, scheduled), 'Today, 01:00'],
  [
    'a due post that is paused does not start',
    post(AT, { ...scheduled, due_at: AT, paused: 'brand' }),
    'Today, 01:00',
  ],
  ['a post that is due starts', post(AT, { ...scheduled, due_at: AT }), 'Today, 01:00 · starting now'],
  [
    'a post of which one account is under way is publishing',
    post(AT, scheduled, { ...scheduled, status: 'processing' }),
    'Today, 01:00 · publishing now',
  ],
])('%s', (_, shown, words) => {
  expect(timeOfPost(shown, clock)).toBe(words)
})
