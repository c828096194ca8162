import { expect, test } from 'vitest'
import { firstOfLast, formatResultsAddress, parseResultsAddress } from './results-address.ts'

test.each([
  '',
  'age=7d',
  'age=now&sort=views&brand=2&account=3&platform=youtube&from=2026-11-01&to=2026-11-30',
])('the address %j is read and written the same', (address) =>
  expect(formatResultsAddress(parseResultsAddress(new URLSearchParams(address))).toString()).toBe(address),
)

test('invalid values in an address are ignored', () =>
  expect(
    parseResultsAddress(new URLSearchParams('age=2h&sort=x&brand=-1&platform=x&from=2026-02-30')),
  ).toEqual({
    age: '24h',
    sort: 'newest',
    conditions: {},
  }))

test('the last days end with today', () => {
  expect(firstOfLast(7, '2026-11-29')).toBe('2026-11-23')
  expect(firstOfLast(28, '2026-03-10')).toBe('2026-02-11')
})
