import { expect, test } from 'vitest'
import { datedConditions, formatResultsAddress, parseResultsAddress } from './results-address.ts'

test.each([
  '',
  'age=7d',
  'days=28&brand=2',
  'age=now&sort=views&brand=2&account=3&platform=youtube&from=2026-11-01&to=2026-11-30',
])('the address %j is read and written the same', (address) =>
  expect(formatResultsAddress(parseResultsAddress(new URLSearchParams(address))).toString()).toBe(address),
)

test('invalid values in an address are ignored', () =>
  expect(
    parseResultsAddress(new URLSearchParams('age=2h&sort=x&days=30&brand=-1&platform=x&from=2026-02-30')),
  ).toEqual({
    age: '24h',
    sort: 'newest',
    days: null,
    conditions: {},
  }))

test.each([
  [7, '2026-11-29', '2026-11-23'],
  [28, '2026-03-10', '2026-02-11'],
] as const)('the last %d days end with the present day %s', (days, today, from) => {
  expect(datedConditions({ days, conditions: { platform: 'tiktok' } }, today)).toEqual({
    platform: 'tiktok',
    from,
  })
})

test('the last days take the place of fixed days', () =>
  expect(parseResultsAddress(new URLSearchParams('days=7&from=2026-11-01&to=2026-11-30'))).toMatchObject({
    days: 7,
    conditions: {},
  }))
