import { afterEach, expect, test, vi } from 'vitest'
import { onServerTimeChange, readServerTime, serverNow } from './server-time.ts'

const NOW = Date.parse('2026-11-24T12:00:00Z')
const HOUR_MS = 3_600_000
const dateHeader = (at: number) => new Date(at).toUTCString()

const setClock = (at: number) => vi.spyOn(Date, 'now').mockReturnValue(at)
/** As if this computer had never been wrong. */
afterEach(() => readServerTime(dateHeader(Date.now()), performance.now()))

test('a computer whose clock is hours wrong takes the time of the server’s answers', () => {
  setClock(NOW + 2 * HOUR_MS)
  const changed = vi.fn()
  const end = onServerTimeChange(changed)
  readServerTime(dateHeader(NOW), performance.now())
  expect(serverNow()).toBe(NOW)
  expect(changed).toHaveBeenCalledOnce()
  setClock(NOW + HOUR_MS)
  readServerTime(dateHeader(NOW + HOUR_MS), performance.now())
  expect(serverNow(), 'the clock was set right').toBe(NOW + HOUR_MS)
  end()
})

test('seconds of difference are the way’s, and a slow or foreign answer tells nothing', () => {
  setClock(NOW)
  readServerTime(dateHeader(NOW - 3_000), performance.now())
  readServerTime(dateHeader(NOW - HOUR_MS), performance.now() - 60_000)
  readServerTime(undefined, performance.now())
  readServerTime('yesterday', performance.now())
  expect(serverNow()).toBe(NOW)
})
