import { afterEach, expect, test, vi } from 'vitest'
import { ttlCache } from './ttl-cache.ts'

afterEach(() => vi.useRealTimers())

function createSource() {
  const source = { value: 1, reads: 0, fails: false }
  const read = async () => {
    source.reads += 1
    const { value } = source
    await new Promise((resolve) => setTimeout(resolve, 5))
    if (source.fails) throw new Error('it did not answer')
    return value
  }
  return Object.assign(source, { read })
}

test('a value is cached until its TTL ends, then read again', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  const source = createSource()
  const cache = ttlCache(source.read, { goodForMs: 50, restMs: 0 })
  expect(await Promise.all([cache.get(), cache.get()])).toEqual([1, 1])
  source.value = 2
  vi.advanceTimersByTime(49)
  expect(await cache.get()).toBe(1)
  expect(source.reads).toBe(1)
  vi.advanceTimersByTime(1)
  expect(await cache.get()).toBe(2)
})

test('a caller who misses an entry gets a read that started after the call', async () => {
  const source = createSource()
  const cache = ttlCache(source.read, { goodForMs: 60_000, restMs: 0 })
  const first = cache.reload()
  await expect.poll(() => source.reads, { interval: 1 }).toBe(1)
  source.value = 2
  expect(await Promise.all([first, cache.reload()])).toEqual([1, 2])
})

test('many misses cause one read per interval', async () => {
  const source = createSource()
  const cache = ttlCache(source.read, { goodForMs: 60_000, restMs: 100 })
  const began = performance.now()
  const asked: Promise<number>[] = []
  while (performance.now() - began < 350) {
    asked.push(...Array.from({ length: 100 }, () => cache.reload()))
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await Promise.all(asked)
  expect(source.reads).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - began) / 100))
})

test('a failed read is not shared with other callers', async () => {
  const source = createSource()
  const cache = ttlCache(source.read, { goodForMs: 60_000, restMs: 0 })
  source.fails = true
  await expect(cache.get()).rejects.toThrow('it did not answer')
  source.fails = false
  expect(await cache.get()).toBe(1)
})
