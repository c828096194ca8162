import { expect, test } from 'vitest'
import { dueWhen } from './due-when.ts'

const clock = { zone: 'Europe/Lisbon', now: Date.parse('2026-11-22T02:00:00.000Z') }
const scheduled = { status: 'scheduled', due_at: '2026-11-22T03:09:00.000Z', reason: null } as const
const since = '2026-11-22T02:09:00.000Z'
const reason = { code: 'account_paused', message: '', remedy: '', detail: null } as const
const paused = {
  ...scheduled,
  reason: { ...reason, pause: { of: 'account', since, until: scheduled.due_at } },
} as const

test('a scheduled post shows the time of its first delivery', () => {
  expect(dueWhen([{ ...scheduled, due_at: '2026-11-23T08:00:00.000Z' }, scheduled], clock)).toBe(
    'Today, 03:09',
  )
})

test('a post is paused only if all its accounts are paused', () => {
  expect(dueWhen([paused], clock)).toBe('paused, next try: Today, 03:09')
  expect(dueWhen([paused, scheduled], clock)).toBe('Today, 03:09')
})

test('a post that is due or publishing shows no time', () => {
  expect(dueWhen([{ ...scheduled, due_at: '2026-11-22T01:59:00.000Z' }], clock)).toBe('starting now')
  expect(dueWhen([scheduled, { ...scheduled, status: 'processing' }], clock)).toBe('publishing now')
})
