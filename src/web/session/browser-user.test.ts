import { expect, test, vi } from 'vitest'
import { hasLoggedOut, isLoggedOut, recordUser } from './browser-user.ts'

/** Takes so many values in all. */
function stubStorage(capacity: number): void {
  const kept = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    removeItem: (key: string) => kept.delete(key),
    setItem: (key: string, value: string) => {
      if (capacity-- <= 0) throw new DOMException('full', 'QuotaExceededError')
      kept.set(key, value)
    },
  })
}

test('a log-out is one of all users of its provider, until somebody logs in', () => {
  stubStorage(Infinity)
  expect([hasLoggedOut('key', 'ada'), isLoggedOut('key')]).toEqual([false, false])
  recordUser('key', 'ada')
  recordUser('key', null)
  expect([hasLoggedOut('key', 'ada'), isLoggedOut('key')]).toEqual([true, true])
  expect([hasLoggedOut('other key', 'ada'), isLoggedOut('other key')]).toEqual([false, false])
  recordUser('key', 'eve')
  expect([hasLoggedOut('key', 'ada'), hasLoggedOut('key', 'eve'), isLoggedOut('key')]).toEqual([
    true,
    false,
    false,
  ])
})

test('a login that a full storage cannot record is not taken for a log-out', () => {
  stubStorage(1)
  recordUser('key', null)
  recordUser('key', 'ada')
  expect([hasLoggedOut('key', 'ada'), isLoggedOut('key')]).toEqual([false, false])
})
