import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { deadlineIn } from './deadline.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

it('a deadline is over after its time, and within the margin before', () => {
  const deadline = deadlineIn(30_000)
  vi.advanceTimersByTime(14_000)
  expect(deadline.isOver()).toBe(false)
  expect(deadline.isOver(15_000)).toBe(false)
  vi.advanceTimersByTime(1_000)
  expect(deadline.isOver(15_000)).toBe(true)
  vi.advanceTimersByTime(15_000)
  expect(deadline.isOver()).toBe(true)
})

it('a deadline is over after a suspend in which the monotonic clock stood still', () => {
  const deadline = deadlineIn(30_000)
  vi.setSystemTime(Date.now() + 3_600_000)
  expect(deadline.isOver()).toBe(true)
})

it('a wall clock that is set back does not extend a deadline', () => {
  const deadline = deadlineIn(30_000)
  vi.advanceTimersByTime(29_000)
  vi.setSystemTime(Date.now() - 3_600_000)
  vi.advanceTimersByTime(1_000)
  expect(deadline.isOver()).toBe(true)
})
