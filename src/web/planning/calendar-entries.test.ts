import { expect, test } from 'vitest'
import { CalendarDraft, CalendarPost } from '#contract/planning/calendar.ts'
import { byDay, chooseShown, clockIn, entriesOf, minuteOf, proposedTime } from './calendar-entries.ts'

const post = (post_id: number, at: string, status = 'scheduled') =>
  CalendarPost.parse({
    post_id,
    version: 1,
    timezone: 'Europe/Lisbon',
    at,
    last_at: at,
    post_at: at,
    text: `post ${post_id}`,
    poster_url: null,
    brand_id: 1,
    marks: [{ platform: 'tiktok', accounts: 1 }],
    slot: null,
    status,
    settled: false,
    held_for: null,
    fixed: null,
  })
const draft = (at: string) =>
  CalendarDraft.parse({
    draft_id: '11111111-1111-4111-8111-111111111111',
    version: 1,
    publish_at: { local: '2026-11-25T09:00', timezone: 'UTC' },
    at,
    text: 'draft',
    poster_url: null,
    brand_id: null,
    marks: [],
    slot: null,
  })

test('entries are on the days and minutes that the clock of the page shows', () => {
  const posts = [post(1, '2026-11-24T23:30:00.000Z'), post(2, '2026-11-25T22:59:00.000Z')]
  const entries = entriesOf({ posts, drafts: [draft('2026-11-25T09:00:00.000Z')] }, clockIn('Europe/Paris'))
  expect(entries.map(({ key, local }) => [key.slice(0, 6), local])).toEqual([
    ['post-1', '2026-11-25T00:30'],
    ['draft-', '2026-11-25T10:00'],
    ['post-2', '2026-11-25T23:59'],
  ])
  expect(entries.map(minuteOf)).toEqual([30, 600, 1439])
  const days = byDay(['2026-11-24', '2026-11-25'], entries)
  expect([...days].map(([day, its]) => [day, its.length])).toEqual([
    ['2026-11-24', 0],
    ['2026-11-25', 3],
  ])
})

test('a moved entry is shown at its new time, and keeps its key', () => {
  const posts = [post(1, '2026-11-24T10:00:00.000Z'), post(2, '2026-11-24T11:00:00.000Z')]
  const moved = new Map([['post-1', Date.parse('2026-11-24T12:00:00Z')]])
  expect(entriesOf({ posts, drafts: [] }, clockIn('UTC'), moved).map(({ key }) => key)).toEqual([
    'post-2',
    'post-1',
  ])
})

const hour = (its: number) => `2026-11-25T0${its}:00:00.000Z`

test('a day that shows few of its posts shows what needs a look and what is to come, in order', () => {
  const states = ['published', 'published', 'failed', 'published', 'scheduled', 'scheduled']
  const posts = states.map((status, nth) => post(nth + 1, hour(nth), status))
  const shown = chooseShown(entriesOf({ posts, drafts: [] }, clockIn('UTC')), 3)
  expect(shown.map(({ key }) => key)).toEqual(['post-3', 'post-5', 'post-6'])
})

test('a post that goes out at two times has two keys', () => {
  const posts = [post(1, '2026-11-24T10:00:00.000Z'), post(1, '2026-11-25T10:00:00.000Z')]
  const keys = entriesOf({ posts, drafts: [] }, clockIn('UTC')).map(({ key }) => key)
  expect(new Set(keys).size).toBe(2)
})

test.each([
  ['2026-11-26', '2026-11-25T12:00', '2026-11-26T18:00'],
  ['2026-11-25', '2026-11-25T12:00', '2026-11-25T18:00'],
  ['2026-11-25', '2026-11-25T18:00', '2026-11-25T19:00'],
  ['2026-11-25', '2026-11-25T23:05', null],
  ['2026-11-24', '2026-11-25T12:00', null],
])('a post made on %s at %s is proposed for %s', (day, now, time) => {
  expect(proposedTime(day, now)).toBe(time)
})
